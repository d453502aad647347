// Every pair of what a campaign file may say: it works, or a sentence names both keys. docs/combinations.md shows them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lib/jdl/described_keys.hpp"
#include "lib/jdl/parse.hpp"
#include "sim/combinations/features.hpp"
#include "sim/combinations/jdl_values.hpp"

namespace gleaner::jdl {
namespace {

using combinations::KeyValue;
using combinations::kValues;

enum class Outcome { works, noted, refused };

/// The messages for a campaign file.
struct Said {
  Outcome outcome = Outcome::works;
  std::vector<Problem> problems;
};

const KnownClusters kTwoClusters{.enabled = {"alpha", "beta"}, .disabled = {}};

/// The key of the companions; empty: none.
std::string_view companion_of(const KeyValue& value) {
  const auto quoted = value.companions.substr(0, value.companions.find(':'));
  return quoted.empty() ? quoted : quoted.substr(1, quoted.size() - 2);
}

/// The campaign file with these members, by key: one that has a value of its own does not get that of a companion.
std::string text_of(const std::vector<KeyValue>& values) {
  std::string members;
  std::set<std::string_view> keys;
  for (const auto& each : values) {
    members += fmt::format(", \"{}\": {}", each.key, each.value);
    keys.insert(each.key);
  }
  for (const auto& each : values) {
    if (!each.companions.empty() && keys.insert(companion_of(each)).second) members += fmt::format(", {}", each.companions);
  }
  return fmt::format(R"({{"name": "n", "nb_jobs": 12, "exec_file": "work", "clusters": {{"alpha": {{}}, "beta": {{}}}}{}}})", members);
}

Said said_of(const std::vector<KeyValue>& values) {
  auto parsed = parse_with_warnings(text_of(values), {}, &kTwoClusters);
  if (!parsed) return {Outcome::refused, parsed.error()};
  return {parsed->warnings.empty() ? Outcome::works : Outcome::noted, parsed->warnings};
}

/// Whether a message names the key, or the one that comes with it.
bool names(const Problem& problem, const KeyValue& value) {
  const auto text = problem.path + " " + problem.message;
  const auto companion = companion_of(value);
  return text.find(value.key) != std::string::npos || (!companion.empty() && text.find(companion) != std::string::npos);
}
bool names_both(const Problem& problem, const std::pair<KeyValue, KeyValue>& pair) {
  return names(problem, pair.first) && names(problem, pair.second);
}

/// The pairs of values of different keys.
std::vector<std::pair<KeyValue, KeyValue>> pairs() {
  std::vector<std::pair<KeyValue, KeyValue>> all;
  for (std::size_t i = 0; i < kValues.size(); ++i)
    for (std::size_t j = i + 1; j < kValues.size(); ++j)
      if (kValues[i].key != kValues[j].key) all.emplace_back(kValues[i], kValues[j]);
  return all;
}

TEST(JdlCombinations, EachKeyIsThere) {
  const std::set<std::string_view> of_all{"name", "clusters", "params", "param_file", "nb_jobs", "exec_file", "resource"};
  for (const auto& key : described_keys()) {
    if (of_all.contains(key.name)) continue;
    EXPECT_TRUE(std::ranges::any_of(kValues, [&](const auto& value) { return value.key == key.name; })) << key.name;
  }
}

TEST(JdlCombinations, EachValue_IsTakenByItself) {
  for (const auto& value : kValues) {
    const auto said = said_of({value});
    EXPECT_EQ(said.outcome, Outcome::works) << text_of({value}) << "\n" << render(said.problems, "c");
  }
}

TEST(JdlCombinations, APairThatDoesNotWork_IsReportedInWordsThatNameBoth) {
  for (const auto& pair : pairs()) {
    const auto said = said_of({pair.first, pair.second});
    if (said.outcome == Outcome::works) continue;
    EXPECT_TRUE(std::ranges::any_of(said.problems, [&](const auto& problem) { return names_both(problem, pair); }))
        << text_of({pair.first, pair.second}) << "\n"
        << render(said.problems, "c");
  }
}

std::string in_cell(std::string text) {
  for (auto place = text.find('|'); place != std::string::npos; place = text.find('|', place + 2)) text.insert(place, 1, '\\');
  return text;
}

std::string written(const KeyValue& value) { return fmt::format("`{}: {}`", value.key, value.value); }

/// The lines of one outcome: the pairs whose sentence is the same are one line.
std::string lines_of(Outcome outcome, std::size_t& count) {
  struct Line {
    std::vector<std::string> ones, others;
    std::string sentence;
  };
  std::vector<Line> lines;
  const auto add = [](std::vector<std::string>& to, std::string text) {
    if (std::ranges::find(to, text) == to.end()) to.push_back(std::move(text));
  };
  for (const auto& pair : pairs()) {
    const auto said = said_of({pair.first, pair.second});
    if (said.outcome != outcome) continue;
    ++count;
    const auto problem = std::ranges::find_if(said.problems, [&](const auto& each) { return names_both(each, pair); });
    const auto sentence = problem == said.problems.end() ? std::string{} : problem->message;
    auto line = std::ranges::find_if(lines, [&](const auto& each) { return each.sentence == sentence; });
    if (line == lines.end()) line = lines.insert(line, Line{{}, {}, sentence});
    add(line->ones, written(pair.first));
    add(line->others, written(pair.second));
  }
  std::string text;
  for (const auto& line : lines)
    text += fmt::format("| {} | {} | {} |\n", fmt::join(line.ones, ", "), fmt::join(line.others, ", "), in_cell(line.sentence));
  return text;
}

/// A value in a cell; with `*`: the world alone plays it.
std::string played(const std::string& value, const std::vector<std::string>& everywhere) {
  const auto text = value.empty() ? std::string{"nothing"} : fmt::format("`{}`", value);
  return in_cell(text) + (std::ranges::find(everywhere, value) == everywhere.end() ? "\\*" : "");
}

/// The lines of what campaigns have beside each other, in pairs.
std::string lines_of_features() {
  const auto everywhere = combinations::features(combinations::Stage::processes);
  std::string text;
  for (const auto& feature : combinations::features(combinations::Stage::world)) {
    const auto known = std::ranges::find(everywhere, feature.name, &combinations::Feature::name);
    const auto values = known == everywhere.end() ? std::vector<std::string>{} : known->values;
    std::vector<std::string> cells;
    for (const auto& value : feature.values) cells.push_back(played(value, values));
    text += fmt::format("| {} | {} |\n", feature.name, fmt::join(cells, ", "));
  }
  return text;
}

/// docs/combinations.md
std::string document() {
  std::size_t noted = 0, refused = 0;
  const auto notes = lines_of(Outcome::noted, noted);
  const auto refusals = lines_of(Outcome::refused, refused);
  std::set<std::string_view> keys;
  for (const auto& value : kValues) keys.insert(value.key);
  return fmt::format(
      R"(# Keys of a campaign file beside each other

A test makes this page, `tests/unit/jdl_combinations_test.cpp`, from the values in `sim/combinations/jdl_values.hpp`: {} values of {} keys, {} pairs of different keys. Of these, {} are accepted without a word, {} are accepted with a note, and {} are refused. `gridsub --strict` refuses those with a note, too. The answers below are those to a campaign of 12 tasks on two clusters.

## Accepted with a note

One of the keys has no effect, or less than it says.

| one | other | note |
|---|---|---|
{}
## Refused

| one | other | error |
|---|---|---|
{}
## Played

The values of `sim/combinations/features.cpp`: each pair of them that is not refused is in a campaign that runs. `tests/system/combinations_test.cpp` runs such campaigns on processes; `tools/world --features array` plays them on a virtual clock, under faults, with the values that have a `*`, too ([world](architecture/world.md#the-covering-array)). `PRE` is an earlier campaign; `action` is what the user does meanwhile; what begins with `grid` is configured, or done, by the administrator.

| subject | values |
|---|---|
{})",
      kValues.size(), keys.size(), pairs().size(), pairs().size() - noted - refused, noted, refused, notes, refusals, lines_of_features());
}

TEST(JdlCombinations, ThePage_ShowsThem) {
  const auto path = fmt::format("{}/docs/combinations.md", std::getenv("GLEANER_SOURCE_DIR"));
  const auto made = document();
  if (std::getenv("GLEANER_WRITE_DOCUMENTS") != nullptr) std::ofstream{path} << made;
  std::ifstream file{path};
  const std::string there{std::istreambuf_iterator<char>{file}, {}};
  EXPECT_EQ(there, made) << "GLEANER_WRITE_DOCUMENTS=1 writes it";
}

}  // namespace
}  // namespace gleaner::jdl
