#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lib/grid/fields.hpp"
#include "lib/grid/grouping.hpp"
#include "lib/jdl/needs.hpp"
#include "lib/jdl/values.hpp"
#include "sim/gridsim/engine/scenario_values.hpp"

/// The keys of a scenario that are fields of facts (lib/grid/planning_facts.hpp).
namespace gleaner::gridsim {

inline void read_into(bool& into, const Node& value, const Path& at, grid::FieldBounds, Findings& findings) {
  if (value.kind == jdl::NodeKind::boolean) into = value.text == "true";
  else refuse(value, at, "true or false", findings);
}
inline void read_into(std::string& into, const Node& value, const Path& at, grid::FieldBounds, Findings& findings) {
  if (auto word = jdl::read_word(value, at.text, "a name", findings)) into = std::move(*word);
}
inline void read_into(grid::Needs& into, const Node& value, const Path& at, grid::FieldBounds, Findings& findings) {
  jdl::read_needs(value, at.text, nullptr, into, findings);
}
inline void read_into(grid::Grouping& into, const Node& value, const Path& at, grid::FieldBounds, Findings& findings) {
  const bool is_word = value.kind == jdl::NodeKind::boolean || value.kind == jdl::NodeKind::string;
  if (const auto known = grid::grouping(value.text); known && is_word) into = *known;
  else refuse(value, at, R"(true, false or "auto")", findings);
}
inline void read_into(double& into, const Node& value, const Path& at, grid::FieldBounds bounds, Findings& findings) {
  if (const auto number = read_number(value, at, {bounds.least, bounds.most}, findings)) into = *number;
}
template <std::integral Number>
void read_into(Number& into, const Node& value, const Path& at, grid::FieldBounds bounds, Findings& findings) {
  const auto number =
      jdl::read_integer(value, at.text, {static_cast<std::int64_t>(bounds.least), static_cast<std::int64_t>(bounds.most)}, findings);
  if (number) into = static_cast<Number>(*number);
}
template <class Value>
void read_into(std::optional<Value>& into, const Node& value, const Path& at, grid::FieldBounds bounds, Findings& findings) {
  Value read{};
  const auto before = findings.count();
  read_into(read, value, at, bounds, findings);
  if (findings.count() == before) into = read;
}

/// Adds a key for each field that a scenario contains; the values are read into `facts`.
template <class Facts, class... Fields>
void add_keys(std::vector<Key>& keys, Facts& facts, const std::tuple<Fields...>& fields, Findings& findings) {
  grid::for_each_scenario_field(fields, [&](const auto& field) {
    keys.push_back({field.name, [&facts, &findings, &field](const Node& value, const Path& at) {
                      read_into(facts.*field.member, value, at, field.bounds, findings);
                    }});
  });
}

}  // namespace gleaner::gridsim
