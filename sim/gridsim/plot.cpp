#include "sim/gridsim/plot.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <set>

#include "lib/process/child.hpp"
#include "lib/process/exit_code.hpp"

namespace gleaner::gridsim {
namespace {

namespace fs = std::filesystem;
using process::Error;
using process::ExitCode;

constexpr std::size_t kParts = 240;
constexpr int kPanelHeight = 220;
constexpr int kWidth = 900;
constexpr std::string_view kLocalColour = "#b8b8b8";
constexpr std::string_view kKilledColour = "#c00000";
constexpr std::string_view kStartsColour = "#202020";
/// Okabe and Ito's colours, which colour-blind people can distinguish, then lighter ones of them.
constexpr auto kColours = std::to_array<std::string_view>(
    {"#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#7f6bb2", "#8c564b", "#2f4b7c"});

struct Panel {
  std::string title;
  UseOverTime use;
  int resources = 0;
};

/// A text in gnuplot's single quotes, without characters that its enhanced mode (which is off) interprets.
std::string in_script(const std::string& text) {
  std::string result{"'"};
  for (const char c : text) {
    if (c == '\'') result += "''";
    else result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return result + "'";
}

struct TimeUnit {
  double seconds;
  std::string_view name;
};
TimeUnit unit_for(double seconds) {
  if (seconds > 4 * 86400.0) return {86400, "days"};
  if (seconds > 2 * 3600.0) return {3600, "hours"};
  return seconds > 600.0 ? TimeUnit{60, "minutes"} : TimeUnit{1, "seconds"};
}

std::vector<Panel> panels_of(const std::vector<Variant>& variants) {
  std::vector<Panel> panels;
  if (variants.size() == 1) {
    const auto& clusters = variants.front().scenario.clusters;
    for (std::size_t i = 0; i < clusters.size(); ++i)
      panels.push_back({clusters[i].name, use_over_time(variants.front(), i, kParts), clusters[i].resources()});
    return panels;
  }
  for (const auto& variant : variants)
    panels.push_back({variant.name, use_over_time(variant, std::nullopt, kParts), variant.metrics.all.resources});
  return panels;
}

/// Columns: time, then the sums of all below and with each one: the topmost is drawn first. Steps, with both ends of each, so that one
/// outline draws them all; what stays as it was needs no step.
std::string data_block(std::size_t index, const UseOverTime& use, double unit) {
  auto text = fmt::format("$data{} << EOD\n", index);
  const auto parts = use.means.front().size();
  const auto sums = [&](std::size_t part) {
    std::string line;
    double sum = 0;
    for (const auto& mean : use.means) line += fmt::format(" {:.5g}", sum += mean[part]);
    return line;
  };
  const auto point = [&](std::size_t part, const std::string& line) {
    text += fmt::format("{:.5g}{}\n", use.step * static_cast<double>(part) / unit, line);
  };
  auto level = sums(0);
  point(0, level);
  for (std::size_t part = 1; part < parts; ++part) {
    auto next = sums(part);
    if (next == level) continue;
    point(part, level);
    point(part, next);
    level = std::move(next);
  }
  point(parts, level);
  return text + "EOD\n";
}

std::string_view colour_of(std::size_t who, std::size_t campaigns) {
  if (who > campaigns) return who == campaigns + 1 ? kKilledColour : kStartsColour;
  return who == 0 ? kLocalColour : kColours[(who - 1) % kColours.size()];
}

std::string curves(std::size_t index, const Panel& panel) {
  std::string text{"plot "};
  for (std::size_t who = panel.use.means.size(); who-- > 0;)
    text += fmt::format("$data{} using 1:{} with filledcurves y1=0 linecolor rgb '{}' fillstyle solid 1 noborder notitle, ", index, who + 2,
                        colour_of(who, panel.use.means.size() - 3));
  return text + fmt::format("{} with lines linecolor rgb '#404040' dashtype 2 notitle\n", panel.resources);
}

/// A panel without axes that holds the legend.
std::string legend(const Scenario& scenario) {
  std::string text{
      "unset title\nunset xlabel\nunset ylabel\nunset xtics\nunset ytics\nunset grid\nunset border\nset key center center maxrows 3 samplen 1.5 spacing 1.2\n"};
  text += "set xrange [0:1]\nset yrange [0:1]\nplot ";
  const auto entry = [](std::string_view colour, const std::string& name) {
    return fmt::format("NaN with boxes linecolor rgb '{}' fillstyle solid 1 title {}", colour, in_script(name));
  };
  text += entry(kLocalColour, "local jobs");
  for (std::size_t i = 0; i < scenario.campaigns.size(); ++i)
    text += ", " + entry(colour_of(i + 1, scenario.campaigns.size()), scenario.campaigns[i].name);
  text += ", " + entry(kKilledColour, "killed") + ", " + entry(kStartsColour, "starts and ends of jobs");
  return text + ", NaN with lines linecolor rgb '#404040' dashtype 2 title 'all resources'\n";
}

}  // namespace

UseOverTime use_over_time(const Variant& variant, std::optional<std::size_t> cluster, std::size_t parts) {
  const double end = variant.metrics.end;
  const auto campaigns = variant.scenario.campaigns.size();
  const auto killed = campaigns + 1, starts = campaigns + 2;
  UseOverTime use{.step = end / static_cast<double>(parts), .means = {}};
  use.means.assign(campaigns + 3, std::vector<double>(parts, 0.0));
  const auto change = [&](std::size_t who, double at, double delta) {
    if (at >= end) return;
    auto& means = use.means[who];
    const auto part = std::min(parts - 1, static_cast<std::size_t>(at / use.step));
    // The rest of its own part now, a whole step from the next one on: summed up below.
    const double rest = (use.step * static_cast<double>(part + 1) - at) / use.step;
    means[part] += delta * rest;
    if (part + 1 < parts) means[part + 1] += delta * (1 - rest);
  };
  const auto is_here = [&](int where) { return !cluster || static_cast<std::size_t>(where) == *cluster; };
  for (const auto& one : variant.outcome.usage) {
    if (is_here(one.cluster)) change(one.campaign == kLocal ? 0 : starts, seconds_of(one.time), one.delta);
  }
  // Jobs hold their resources without running their commands only while they start and end.
  for (const auto& job : variant.outcome.jobs) {
    const double seconds = seconds_run(job, end);
    if (!is_here(job.cluster) || seconds <= 0) continue;
    const auto who = was_lost(job) ? killed : static_cast<std::size_t>(job.campaign + 1);
    const double from = std::max(0.0, seconds_of(*job.started)), to = seconds_of(*job.started) + seconds;
    change(who, from, job.width);
    change(who, to, -job.width);
    change(starts, from, -job.width);
    change(starts, to, job.width);
  }
  for (auto& means : use.means) {
    for (std::size_t part = 1; part < parts; ++part) means[part] += means[part - 1];
  }
  return use;
}

std::string gnuplot_script(const fs::path& file, const std::vector<Variant>& variants) {
  const auto panels = panels_of(variants);
  const auto unit = unit_for(variants.front().metrics.end);
  double longest = 0;
  for (const auto& variant : variants) longest = std::max(longest, variant.metrics.end);
  const auto rows = panels.size() + 1;
  auto script = fmt::format("set terminal svg size {},{} noenhanced font 'sans-serif,12' background rgb 'white'\nset output {}\n", kWidth,
                            static_cast<int>(panels.size()) * kPanelHeight + 100, in_script(file.string()));
  for (std::size_t i = 0; i < panels.size(); ++i) script += data_block(i, panels[i].use, unit.seconds);
  const double legend_part = 100.0 / (static_cast<double>(panels.size()) * kPanelHeight + 100);
  const double panel_part = (1 - legend_part) / static_cast<double>(panels.size());
  script += fmt::format(
      "set multiplot\nset tics nomirror out\nset border 3\nset grid ytics linecolor rgb '#dddddd'\nset lmargin 9\nset rmargin 3\nset xrange [0:{:.6g}]\nset ylabel 'resources'\n",
      longest / unit.seconds);
  for (std::size_t i = 0; i + 1 < rows; ++i) {
    const bool last = i + 2 == rows;
    script += fmt::format("set origin 0,{:.6f}\nset size 1,{:.6f}\nset title {} offset 0,-0.6\nset yrange [0:{:.6g}]\n{}\n",
                          1 - panel_part * static_cast<double>(i + 1), panel_part, in_script(panels[i].title), panels[i].resources * 1.05,
                          last ? fmt::format("set xlabel '{}'", unit.name) : std::string{"unset xlabel"});
    script += curves(i, panels[i]);
  }
  script += fmt::format("set origin 0,0\nset size 1,{:.6f}\nset lmargin 2\nset rmargin 2\nset tmargin 0\nset bmargin 0\n", legend_part);
  return script + legend(variants.front().scenario) + "unset multiplot\nunset output\n";
}

void draw(const fs::path& file, const std::vector<Variant>& variants) {
  const auto beside = [&](std::string_view suffix) { return fs::path{fmt::format("{}.{}{}", file.string(), getpid(), suffix)}; };
  const auto script = beside(".gnuplot");
  const auto picture = beside(".svg");
  struct Remove {
    std::vector<fs::path> files;
    ~Remove() {
      std::error_code ignored;
      for (const auto& one : files) fs::remove(one, ignored);
    }
  } const remove{{script, picture}};
  std::ofstream output{script, std::ios::binary};
  output << gnuplot_script(picture, variants);
  output.close();
  if (!output) throw Error{ExitCode::failure, fmt::format("{}: it cannot be written", file.string())};
  const auto drawn = process::capture({.arguments = {"gnuplot", script.string()}}, std::chrono::minutes{2});
  if (!drawn)
    throw Error{ExitCode::unavailable, fmt::format("no plot: {} (plots need gnuplot: install the package gnuplot-nox)", drawn.error())};
  if (!drawn->end.succeeded())
    throw Error{ExitCode::failure, fmt::format("no plot: gnuplot ended with {}: {}", drawn->end.text(), drawn->output)};
  std::error_code error;
  fs::rename(picture, file, error);
  if (error) throw Error{ExitCode::failure, fmt::format("{}: it cannot be written: {}", file.string(), error.message())};
}

}  // namespace gleaner::gridsim
