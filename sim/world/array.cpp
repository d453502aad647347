#include "sim/world/array.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace gleaner::world {
namespace {

using combinations::Choice;
using combinations::Pair;
using Subject = combinations::Feature;
using Rows = std::vector<std::vector<std::size_t>>;

struct Array {
  std::vector<Subject> features;
  std::size_t of_campaigns = 0;  ///< the first so many features
  Rows campaigns;
  Rows grids;
};

Rows rows_of(const std::vector<Subject>& features) {
  constexpr std::uint64_t kSeed = 2009;  // the same array for all worlds
  std::vector<std::size_t> sizes;
  for (const auto& feature : features) sizes.push_back(feature.values.size());
  return combinations::covering_array(
      sizes, [&](const Pair& pair) { return combinations::is_allowed(features, pair); }, kSeed);
}

const Array& array() {
  static const Array kArray = [] {
    Array made;
    made.features = combinations::features(combinations::Stage::world);
    std::ranges::stable_partition(made.features, [](const Subject& feature) { return !combinations::is_of_the_grid(feature); });
    const auto first = std::ranges::find_if(made.features, combinations::is_of_the_grid);
    made.of_campaigns = static_cast<std::size_t>(first - made.features.begin());
    made.campaigns = rows_of({made.features.begin(), first});
    made.grids = rows_of({first, made.features.end()});
    return made;
  }();
  return kArray;
}

std::string json_text(const std::string& text) { return fmt::format("\"{}\"", text); }

std::string clusters_of(const std::vector<std::string>& clusters) {
  std::vector<std::string> sections;
  for (const auto& cluster : clusters) sections.push_back(fmt::format(R"("{}": {{}})", cluster));
  return fmt::format("{{{}}}", fmt::join(sections, ", "));
}

std::string user_of(const Settings& settings, int place) {
  Random random{settings.seed, fmt::format("user of campaign {}", place)};
  return std::string{random.one_of(kUsers)};
}

}  // namespace

const std::vector<combinations::Feature>& features_of_array() { return array().features; }

std::vector<std::size_t> choices_of(std::uint64_t seed, int place) {
  const auto& [features, of_campaigns, campaigns, grids] = array();
  auto choices = campaigns[(seed * kRowsOfWorld + static_cast<std::uint64_t>(place)) % campaigns.size()];
  const auto& grid = grids[seed % grids.size()];
  choices.insert(choices.end(), grid.begin(), grid.end());
  return choices;
}

Row row_of(std::uint64_t seed, int place) {
  const auto choices = choices_of(seed, place);
  Row row;
  for (std::size_t i = 0; i < choices.size(); ++i) row[features_of_array()[i].name] = features_of_array()[i].values[choices[i]];
  return row;
}

Jdl campaign_of(const Settings& settings, int place, const Row& row, const std::vector<std::string>& clusters, std::int64_t before) {
  Random random{settings.seed, fmt::format("campaign {}", place)};
  Jdl jdl{.user = user_of(settings, place), .text = {}, .tasks = combinations::kTasks};
  const bool is_short = !row.at("temporal_grouping").empty();
  std::vector<std::string> parameters;
  for (int task = 0; task < combinations::kTasks; ++task) {
    Behaviour behaviour{.seconds = is_short ? random.between(6, 40) : random.between(20, 300)};
    behaviour.status = task == combinations::kAlwaysFails ? 9 : 0;
    behaviour.fails = task == combinations::kFailsOnce ? 1 : 0;
    behaviour.fails_with = combinations::kStatusOfOnce;
    behaviour.saves = !row.at("checkpoint").empty() && task % 2 == 0;
    behaviour.leaves = !row.at("output_files").empty();
    parameters.push_back(json_text(fmt::format("{} {}", task, text_of(behaviour))));
  }
  std::vector<std::string> members{fmt::format(R"("name": "c{}")", place), R"("exec_file": "task")",
                                   fmt::format(R"("params": [{}])", fmt::join(parameters, ", ")),
                                   fmt::format(R"("clusters": {})", clusters_of(clusters))};
  for (std::size_t i = 0; i < array().of_campaigns; ++i) {
    const auto& name = features_of_array()[i].name;
    if (name == combinations::kAction || row.at(name).empty()) continue;
    members.push_back(combinations::replaced(row.at(name), combinations::kBefore, std::to_string(before)));
  }
  jdl.text = fmt::format("{{{}}}", fmt::join(members, ", "));
  return jdl;
}

Jdl campaign_before(const Settings& settings, int place, const std::vector<std::string>& clusters) {
  constexpr int kMoreTasks = 2;  // those that a user appends
  Jdl jdl{.user = user_of(settings, place), .text = {}, .tasks = combinations::kTasks + kMoreTasks};
  std::vector<std::string> parameters;
  for (std::int64_t task = 0; task < jdl.tasks; ++task) parameters.push_back(json_text(text_of({.seconds = 10 + task})));
  jdl.text = fmt::format(R"({{"name": "{}", "exec_file": "task", "min_duration": "0", "gives": ["size"], "params": [{}], "clusters": {}}})",
                         kNameOfBefore, fmt::join(parameters, ", "), clusters_of(clusters));
  return jdl;
}

std::string input_of(int task) { return fmt::format("input {}\n", task); }

}  // namespace gleaner::world
