// Shows campaigns as campaign files that can be submitted again, and the parameters or numbers of some of their tasks.
#include <fmt/format.h>

#include "clients/gridstat/gridstat.hpp"
#include "clients/task_lines.hpp"

namespace gleaner::gridstat {
namespace {

using clients::Json;

/// A task's parameter, a line or a list of arguments, from a line of the API's list of tasks.
std::string parameter_of(std::string_view line) {
  const auto task = Json::parse(line);
  if (!task) throw process::Error{process::ExitCode::failure, fmt::format("the API sent a task that is no JSON: {}", task.error())};
  const auto& arguments = (*task)["arguments"];
  return clients::dump(arguments.is_null() ? (*task)["parameters"] : arguments, clients::Layout::one_line);
}

void show_one(const Run& run, std::int64_t id) {
  const auto jdl = run.api.get(fmt::format("/v1/campaigns/{}/jdl", id)).json;
  const auto tasks = run.api.get(fmt::format("/v1/campaigns/{}", id)).json["total_tasks"];
  const auto shown = [&](const Json& json) {
    return run.form == terminal::Form::json ? run.document(json) : clients::dump(json, clients::Layout::indented);
  };
  if (jdl["nb_jobs"].whole() == tasks.whole()) return terminal::Output::pass_on(shown(jdl) + "\n");
  // Tasks that were appended, or a test, have other parameters than the numbers.
  std::vector<Json::Member> members;
  for (const auto& member : jdl.members()) {
    if (member.first != "nb_jobs") members.push_back(member);
  }
  auto head = shown(Json::of(std::move(members)));
  head.erase(head.find_last_not_of(" \n", head.rfind('}') - 1) + 1);
  terminal::Output::pass_on(head + ",\n\"params\": [");
  const auto count = pass_on_lines(run, fmt::format("/v1/campaigns/{}/tasks.ndjson", id), parameter_of);
  if (count < tasks.integer())
    throw process::Error{process::ExitCode::failure,
                         fmt::format("the API listed {} of {} tasks: what was printed is not whole", count, tasks.integer())};
  terminal::Output::pass_on("\n]}\n");
}

/// A line for each task, in pieces.
void print_tasks(const Run& run, const std::string& path, const std::function<std::string(const Json&)>& line_of) {
  constexpr std::size_t kPiece = 64 * 1024;
  std::string lines;
  clients::read_tasks(run.api, path, [&](const Json& task) {
    lines += line_of(task) + "\n";
    if (lines.size() < kPiece) return;
    terminal::Output::pass_on(lines);
    lines.clear();
  });
  terminal::Output::pass_on(lines);
}

}  // namespace

void show_jdl(const Run& run, const std::vector<std::int64_t>& ids) {
  for (const auto id : ids) show_one(run, id);
}

void show_parameters(const Run& run, std::int64_t id) {
  const auto path = tasks_path(run, id, "ndjson");
  if (run.form == terminal::Form::json) {
    terminal::Output::pass_on("[");
    pass_on_lines(run, path, parameter_of);
    return terminal::Output::pass_on("\n]\n");
  }
  print_tasks(run, path, clients::parameter_line);
}

void show_task_numbers(const Run& run, const std::vector<std::int64_t>& ids) {
  for (const auto id : ids)
    print_tasks(run, tasks_path(run, id, "ndjson"), [](const Json& task) { return fmt::format("{}", task["id"].integer()); });
}

}  // namespace gleaner::gridstat
