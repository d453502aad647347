#include "sim/world/statements.hpp"

#include <fmt/format.h>

#include <map>
#include <regex>

#include "sql/catalogue.hpp"

namespace gleaner::world {
namespace {

/// A statement without its constants, which PostgreSQL replaces.
std::string shape_of(const std::string& text) {
  static const std::regex constants{R"(\$\d+|'[^']*'|\b\d+(\.\d+)?\b)"};
  static const std::regex blanks{R"(\s+)"};
  return std::regex_replace(std::regex_replace(text, constants, "?"), blanks, " ");
}

std::map<std::string, std::string_view> names() {
  std::map<std::string, std::string_view> names;
  for (const auto& query : sql::queries()) names.emplace(shape_of(std::string{query.text}), query.name);
  return names;
}

}  // namespace

std::string heaviest_statements(WorldDatabase& database, int most) {
  constexpr std::size_t kShown = 90;
  const auto known = names();
  std::string lines = "   total s   calls   plans      plan ms     execute ms\n";
  for (const auto& row : database.query(sql::world_heaviest_statements{.most = most})) {
    const auto shape = shape_of(row.query.value_or(""));
    const auto name = known.find(shape);
    lines += fmt::format("{:>10} {:>7} {:>7} {:>12} {:>14}  {}\n", row.total_s.value_or(""), row.calls.value_or(""), row.plans.value_or(""),
                         row.plan_ms.value_or(""), row.execute_ms.value_or(""),
                         name == known.end() ? shape.substr(0, kShown) : std::string{name->second});
  }
  return lines;
}

}  // namespace gleaner::world
