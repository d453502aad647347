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
  std::string lines = "   total s   calls      plan ms     execute ms\n";
  for (
      const auto& row : database.query(fmt::format(
          "SELECT round(((total_exec_time + total_plan_time) / 1000)::numeric, 2), calls, round((total_plan_time / greatest(plans, 1))::numeric, 3),"
          " round(mean_exec_time::numeric, 3), query FROM pg_stat_statements ORDER BY total_exec_time + total_plan_time DESC LIMIT {}",
          most))) {
    const auto shape = shape_of(row[4].value_or(""));
    const auto name = known.find(shape);
    lines += fmt::format("{:>10} {:>7} {:>12} {:>14}  {}\n", row[0].value_or(""), row[1].value_or(""), row[2].value_or(""),
                         row[3].value_or(""), name == known.end() ? shape.substr(0, kShown) : std::string{name->second});
  }
  return lines;
}

}  // namespace gleaner::world
