// The failed tasks of a campaign, by groups that failed alike.
#include <fmt/format.h>

#include "clients/ending.hpp"
#include "clients/gridstat/views.hpp"
#include "lib/terminal/text.hpp"

namespace gleaner::gridstat {
namespace {

using clients::Json;
using terminal::Align;
using terminal::Cell;
using terminal::Shrink;

std::string first_tasks(const Json& group) {
  std::string text;
  const auto& tasks = group["first_tasks"].items();
  for (const auto& task : tasks) text += (text.empty() ? "" : ",") + std::to_string(task.integer());
  return group["tasks"].integer() > std::ssize(tasks) ? text + ",..." : text;
}

}  // namespace

terminal::Table failures_table(const Json& failures, const Setting& setting) {
  terminal::Table table{.columns = {{"group", "Group", Align::right},
                                    {"tasks", "Tasks", Align::right},
                                    {"cluster", "Cluster", Align::left, Shrink::last},
                                    {"cause", "Cause"},
                                    {"first_tasks", "Among them", Align::left, Shrink::left_out},
                                    {"stderr_line", "Of its stderr", Align::left, Shrink::when_needed}},
                        .rows = {},
                        .when_empty = "No task of it has failed.",
                        .heading = setting.heading};
  for (const auto& group : failures["items"].items()) {
    table.rows.push_back({Cell{group["id"].integer()}, Cell{group["tasks"].integer()}, Cell{group["cluster_name"].text()},
                          Cell{clients::cause_of(group["ending"].text(), group["exit_code"].whole())}, Cell{first_tasks(group)},
                          Cell{group["stderr_line"].text()}});
  }
  return table;
}

std::string failures_hint(std::int64_t campaign, const Json& failures, const Setting& setting) {
  const auto& groups = failures["items"].items();
  std::string text;
  if (const auto others = failures["others"].integer(); others > 0)
    text += fmt::format("{} failed task{} in no group. ", others, others == 1 ? " is" : "s are");
  if (groups.empty()) return fitted(text, setting);
  const auto& first = groups.front();
  const auto& tasks = first["first_tasks"].items();
  if (!tasks.empty()) text += fmt::format("'gridstat {} --task {} -E' shows the stderr of one; ", campaign, tasks.front().integer());
  text += fmt::format("'gridstat {} --failure {}' lists the tasks of group {}; ", campaign, first["id"].integer(), first["id"].integer());
  text += fmt::format("'gridsub --retry {} --failure {}' runs the {} of group {} again", campaign, first["id"].integer(),
                      first["tasks"].integer() == 1 ? "task" : fmt::format("{} tasks", first["tasks"].integer()), first["id"].integer());
  return fitted(text, setting);
}

}  // namespace gleaner::gridstat
