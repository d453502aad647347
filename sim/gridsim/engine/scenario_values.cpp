#include "sim/gridsim/engine/scenario_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lib/jdl/values.hpp"
#include "lib/process/values.hpp"
#include "lib/text/numbers.hpp"
#include "lib/text/suggest.hpp"

namespace gleaner::gridsim {
namespace {

constexpr double kLongest = 10.0 * 365 * 86400;
constexpr Range kDurations{0.001, kLongest};
constexpr std::string_view kForms =
    R"("10m", {"uniform": ["10s", "2h"]}, {"exponential": "30m"}, {"lognormal": {"median": "10m", "sigma": 1}} or {"list": ["10s", "1m"]})";

std::optional<std::vector<double>> read_times(const Node& node, const Path& path, Findings& findings) {
  if (node.kind != jdl::NodeKind::array || node.elements.empty()) {
    refuse(node, path, "an array of durations, e.g. [\"10s\", \"1m\"]", findings);
    return std::nullopt;
  }
  std::vector<double> times;
  for (std::size_t i = 0; i < node.elements.size(); ++i) {
    if (const auto seconds = read_seconds(node.elements[i], {fmt::format("{}[{}]", path.text, i)}, kDurations, findings))
      times.push_back(*seconds);
  }
  if (times.size() != node.elements.size()) return std::nullopt;
  return times;
}

std::optional<Distribution> read_uniform(const Node& node, const Path& path, Findings& findings) {
  if (node.kind != jdl::NodeKind::array || node.elements.size() != 2) {
    refuse(node, path, "two durations, e.g. [\"10s\", \"2h\"]", findings);
    return std::nullopt;
  }
  const auto times = read_times(node, path, findings);
  if (!times) return std::nullopt;
  if ((*times)[0] > (*times)[1]) {
    refuse(node, path, "the shorter duration first", findings);
    return std::nullopt;
  }
  return Uniform{(*times)[0], (*times)[1]};
}

std::optional<Distribution> read_lognormal(const Node& node, const Path& path, Findings& findings) {
  Lognormal lognormal{.median = 0, .sigma = 1, .least = kDurations.least, .most = kLongest};
  const auto before = findings.count();
  const auto time = [&](double Lognormal::*member) {
    return
        [&, member](const Node& value, const Path& at) { lognormal.*member = read_seconds(value, at, kDurations, findings).value_or(0); };
  };
  const auto read_sigma = [&](const Node& value, const Path& at) {
    lognormal.sigma = read_number(value, at, {0, 10}, findings).value_or(0);
  };
  read_object(node, path,
              {{"median", time(&Lognormal::median), Key::Need::mandatory},
               {"sigma", read_sigma, Key::Need::mandatory},
               {"least", time(&Lognormal::least)},
               {"most", time(&Lognormal::most)}},
              findings);
  if (findings.count() != before) return std::nullopt;
  if (lognormal.least > lognormal.most) {
    refuse(node, path, "least shorter than most", findings);
    return std::nullopt;
  }
  return lognormal;
}

}  // namespace

void refuse(const Node& node, const Path& path, std::string_view right, Findings& findings) {
  findings.add(node.offset, path.text, jdl::shown(node),
               fmt::format("'{}' is not right here; write {}", jdl::excerpt(jdl::shown(node)), right));
}

bool read_object(const Node& node, const Path& path, const std::vector<Key>& keys, Findings& findings) {
  if (node.kind != jdl::NodeKind::object) {
    findings.add(node.offset, path.text, jdl::shown(node), fmt::format("it is {}; write an object: {{ … }}", jdl::kind_name(node.kind)));
    return false;
  }
  std::vector<std::string_view> names;
  for (const auto& key : keys) names.push_back(key.name);
  for (const auto& member : node.members) {
    const auto known = std::ranges::find(keys, std::string_view{member.spelling}, &Key::name);
    if (known != keys.end()) {
      known->read(member.value, path / member.spelling);
      continue;
    }
    auto hint = text::did_you_mean(member.spelling, names);
    if (hint.empty()) hint = fmt::format("; there are {}", fmt::join(names, ", "));
    findings.add(member.offset, (path / member.spelling).text, member.spelling,
                 fmt::format("there is no key '{}'{}", jdl::excerpt(member.spelling), hint));
  }
  for (const auto& key : keys) {
    const auto is_there = std::ranges::any_of(node.members, [&](const jdl::Member& member) { return member.spelling == key.name; });
    if (key.need == Key::Need::mandatory && !is_there)
      findings.add(node.offset, (path / key.name).text, "", fmt::format("it is missing: write \"{}\": …", key.name));
  }
  return true;
}

std::optional<double> read_number(const Node& node, const Path& path, Range range, Findings& findings) {
  if (const auto number = text::real_number(node.text);
      node.kind == jdl::NodeKind::number && number && *number >= range.least && *number <= range.most)
    return *number;
  refuse(node, path, fmt::format("a number from {:g} to {:g}", range.least, range.most), findings);
  return std::nullopt;
}

std::optional<double> read_seconds(const Node& node, const Path& path, Range range, Findings& findings) {
  std::optional<double> seconds;
  if (node.kind == jdl::NodeKind::number) {
    if (const auto number = text::real_number(node.text)) seconds = *number;
  } else if (node.kind == jdl::NodeKind::string) {
    if (const auto duration = process::parse_duration(node.text)) seconds = std::chrono::duration<double>{*duration}.count();
  }
  if (seconds && *seconds >= range.least && *seconds <= range.most) return seconds;
  const auto bound = range.least > 0 ? ", longer than 0" : "";
  refuse(node, path, fmt::format("a time such as \"30s\", \"5m\", \"2h\", \"1d\" or \"200ms\"{}", bound), findings);
  return std::nullopt;
}

std::optional<Distribution> read_distribution(const Node& node, const Path& path, Findings& findings) {
  if (node.kind == jdl::NodeKind::string || node.kind == jdl::NodeKind::number) {
    const auto seconds = read_seconds(node, path, kDurations, findings);
    return seconds ? std::optional<Distribution>{Constant{*seconds}} : std::nullopt;
  }
  if (node.kind != jdl::NodeKind::object || node.members.size() != 1) {
    refuse(node, path, kForms, findings);
    return std::nullopt;
  }
  std::optional<Distribution> distribution;
  read_object(node, path,
              {{"uniform", [&](const Node& value, const Path& at) { distribution = read_uniform(value, at, findings); }},
               {"exponential",
                [&](const Node& value, const Path& at) {
                  if (const auto mean = read_seconds(value, at, kDurations, findings)) distribution = Exponential{*mean};
                }},
               {"lognormal", [&](const Node& value, const Path& at) { distribution = read_lognormal(value, at, findings); }},
               {"list",
                [&](const Node& value, const Path& at) {
                  if (auto times = read_times(value, at, findings)) distribution = Values{std::move(*times)};
                }}},
              findings);
  return distribution;
}

void read_names(const Node& node, const Path& path, Findings& findings, std::vector<std::string>& into) {
  if (node.kind != jdl::NodeKind::array) return refuse(node, path, "names, e.g. [\"chemistry\"]", findings);
  for (const auto& one : node.elements) {
    if (auto name = jdl::read_word(one, path.text, "a name", findings)) into.push_back(std::move(*name));
  }
}

}  // namespace gleaner::gridsim
