#include "clients/gridclusters/since.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lib/terminal/text.hpp"
#include "lib/terminal/times.hpp"
#include "lib/text/utc.hpp"

namespace gleaner::gridclusters {
namespace {

using clients::Json;
using terminal::Align;
using terminal::Cell;
using terminal::Ink;
using terminal::Shrink;

constexpr int kRows = 24;
constexpr grid::Seconds kMinute{60};

/// One slice of one cluster.
class SliceOf {
 public:
  SliceOf(const Json& cluster, std::size_t slice) : cluster_{cluster}, slice_{slice} {}
  [[nodiscard]] bool is_known() const { return !value(cluster_["known_seconds"]).is_null(); }
  [[nodiscard]] double known() const { return value(cluster_["known_seconds"]).number().value_or(0); }
  [[nodiscard]] double get(std::string_view figure, std::string_view which) const {
    return value(cluster_[figure][which]).number().value_or(0);
  }
  [[nodiscard]] double mean(std::string_view figure) const { return get(figure, "mean"); }

 private:
  [[nodiscard]] const Json& value(const Json& series) const {
    static const Json kNone;
    return slice_ < series.items().size() ? series.items()[slice_] : kNone;
  }
  const Json& cluster_;
  std::size_t slice_;
};

Cell resources(double number) {
  const auto whole = static_cast<std::int64_t>(std::llround(number));
  return {whole, fmt::format("{}", whole)};
}

std::vector<Cell> row_of(const Json& cluster, std::size_t slice, const Slices& slices) {
  const SliceOf one{cluster, slice};
  const auto begin = slices.from + static_cast<std::int64_t>(slice) * slices.step;
  const auto length = std::chrono::duration<double>(std::min(slices.to - begin, grid::Instant::duration{slices.step})).count();
  std::vector<Cell> row{Cell{cluster["cluster_name"].text()}, Cell{text::utc(begin), terminal::near_time(grid::to_unix(begin), slices.to)}};
  if (!one.is_known()) {
    row.resize(8, Cell{{}, "-"});
    row.emplace_back(std::int64_t{0}, "0%", Ink::bad);
    return row;
  }
  const auto used = one.mean("used_resources");
  const auto ours = std::min(one.mean("used_by_grid"), used);
  const auto others = std::max(0.0, std::min(one.mean("used_besteffort"), used) - ours);
  const auto least_free = one.get("max_resources", "min") - one.get("used_resources", "max") - one.get("unavailable_resources", "max");
  const auto known = length > 0 ? std::min(100.0, 100 * one.known() / length) : 0.0;
  row.push_back(resources(one.mean("max_resources")));
  row.push_back(resources(used - ours - others));
  row.push_back(resources(ours));
  row.push_back(resources(others));
  row.push_back(resources(one.mean("max_resources") - used - one.mean("unavailable_resources")));
  row.push_back(resources(std::max(0.0, least_free)));
  row.emplace_back(static_cast<std::int64_t>(std::llround(one.known())), fmt::format("{:.0f}%", std::floor(known)),
                   known < 50 ? Ink::bad : Ink::plain);
  return row;
}

}  // namespace

Slices Slices::of(process::Duration span, grid::Instant now) {
  const auto to = std::chrono::floor<grid::Seconds>(now);
  const auto step = std::max(kMinute, grid::Seconds{std::chrono::ceil<std::chrono::minutes>(span / kRows)});
  const auto begin = std::chrono::floor<grid::Seconds>(to - span).time_since_epoch();
  return {grid::Instant{begin - begin % step}, to, step};
}

std::string Slices::path() const {
  return fmt::format("/v1/gridusage?from={}&to={}&step={}", text::utc(from), text::utc(to), step.count());
}

terminal::Table use_table(const std::vector<Json>& clusters, const Slices& slices) {
  terminal::Table table{{{"cluster", "Cluster", Align::left, Shrink::last},
                         {"from", "From"},
                         {"max", "Max", Align::right, Shrink::left_out},
                         {"local", "Local", Align::right},
                         {"ours", "Ours", Align::right},
                         {"others", "Best-effort", Align::right, Shrink::left_out},
                         {"free", "Free", Align::right},
                         {"least_free", "Least free", Align::right, Shrink::left_out_first},
                         {"known_seconds", "Known", Align::right}},
                        {},
                        "There is no cluster yet: an administrator adds one with 'gridctl cluster add'."};
  for (const auto& cluster : clusters) {
    for (std::size_t slice = 0; slice < cluster["known_seconds"].items().size(); ++slice)
      table.rows.push_back(row_of(cluster, slice, slices));
  }
  return table;
}

std::string outages_text(const std::vector<Json>& clusters, grid::Instant now) {
  std::string text;
  for (const auto& cluster : clusters) {
    for (const auto& outage : cluster["outages"].items()) {
      const auto end = outage["to"].is_null() ? std::string{"now"} : terminal::near_time(outage["to"].seconds(), now);
      text += fmt::format("{}: lost from {} to {}\n", terminal::printable(cluster["cluster_name"].text()),
                          terminal::near_time(outage["from"].seconds(), now), end);
    }
  }
  return text.empty() ? text : "\n" + text;
}

}  // namespace gleaner::gridclusters
