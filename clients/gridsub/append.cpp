#include "clients/gridsub/append.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <sstream>

#include "clients/asked.hpp"
#include "clients/gridsub/parameters.hpp"
#include "clients/gridsub/problems.hpp"
#include "clients/gridsub/submit.hpp"
#include "lib/jdl/campaign_file.hpp"
#include "lib/process/values.hpp"
#include "lib/terminal/text.hpp"

namespace gleaner::gridsub {
namespace {

using process::Error;
using process::ExitCode;

constexpr std::string_view kNothing = "nothing was appended";

/// Where the new tasks' parameters come from.
struct Source {
  std::string name;                             ///< for messages
  std::unique_ptr<clients::BodySource> body{};  ///< what is sent
  std::optional<std::int64_t> count{};          ///< so many tasks, whose parameters are their numbers
};

Source lines_of(const std::string& path) {
  auto file = std::make_unique<ParameterFile>(path == "-" ? path : process::expand_home(path).string());
  const auto name = file->name();
  const auto checked = check_parameters(*file);
  if (!checked) throw wrong_input(checked.error(), name, kNothing);
  return {.name = name, .body = std::make_unique<ParameterLines>(std::move(file))};
}

Source array_of(std::string name, std::unique_ptr<std::istream> text) {
  auto array = ParameterArray::read(*text);
  if (!array) throw wrong_input({array.error()}, name, kNothing);
  return {.name = std::move(name), .body = std::make_unique<ParameterArray>(std::move(*array))};
}

Source source_of(const process::Arguments& arguments) {
  std::vector<std::string> given;
  for (const std::string_view option : {"jobfile", "jsonjob", "nb-jobs", "param-file"}) {
    for (std::size_t i = 0; i < arguments.all(option).size(); ++i) given.push_back(fmt::format("--{}", option));
  }
  if (given.size() > 1) throw Error{ExitCode::usage, fmt::format("the parameters are given twice: by {} and by {}", given[0], given[1])};
  if (const auto path = arguments.value("jobfile")) return array_of(*path == "-" ? "standard input" : *path, open_array(*path));
  if (const auto text = arguments.value("jsonjob")) return array_of("-J", std::make_unique<std::istringstream>(*text));
  if (arguments.has("nb-jobs")) return {.name = "-n", .count = clients::number_of(arguments, "nb-jobs", 0, 1, jdl::kMostTasks)};
  if (const auto path = arguments.value("param-file")) return lines_of(*path);
  if (::isatty(STDIN_FILENO) == 0) return lines_of("-");
  throw Error{ExitCode::usage, "the new tasks have no parameters: give them by -F, -J, -p or -n, or on standard input"};
}

void check_append_options(const process::Arguments& arguments) {
  for (const std::string_view option : {"file", "json", "type", "what-if"}) {
    if (arguments.has(option))
      throw Error{ExitCode::usage, fmt::format("--campaign and --{} exclude each other: --campaign appends tasks to a campaign that was "
                                               "submitted before",
                                               option)};
  }
}

}  // namespace

std::int64_t append(const process::Context& context, terminal::Output& output) {
  const auto& arguments = context.arguments;
  check_append_options(arguments);
  const auto ids = clients::ids_of(arguments.all("campaign"));
  if (ids.size() != 1)
    throw Error{ExitCode::usage, fmt::format("--campaign={}: tasks are appended to one campaign: give one id, such as {}",
                                             clients::joined(ids), ids.empty() ? 12 : ids[0])};
  auto source = source_of(arguments);
  clients::ApiClient api{context.config};
  auto path = fmt::format("/v1/campaigns/{}/tasks", ids[0]);
  std::string query;
  if (source.count) query += fmt::format("&nb_jobs={}", *source.count);
  if (arguments.has("dry-run")) query += "&dry_run=1";
  if (!query.empty()) query[0] = '?';
  NoBody nothing;
  auto& body = source.body ? *source.body : static_cast<clients::BodySource&>(nothing);
  const auto reply = api.post_once({.path = path + query,
                                    .in_doubt = "whether the tasks were appended is unknown",
                                    .remedy = "'gridstat ID' shows what was appended; append them again only if they are not there"},
                                   body);
  if (reply.status == 400) throw wrong_input(problems_of(reply.json), source.name, kNothing);
  show_warnings(reply, output);
  const auto first = reply.json["appended"]["first_task"].integer();
  const auto tasks = reply.json["appended"]["tasks"].integer();
  const auto what = fmt::format("{}, {}", terminal::counted(tasks, "task"),
                                tasks == 1 ? fmt::format("number {}", first) : fmt::format("numbers {} to {}", first, first + tasks - 1));
  if (arguments.has("dry-run")) {
    output.show({.text = fmt::format("campaign {} can have them: {}; nothing was appended\n", ids[0], what), .json = reply.body});
  } else if (const auto announcement = announcement_of(context); is_cigri(announcement)) {
    const auto document = announcement == Announcement::cigri_details ? reply.body + "\n" : std::string{};
    terminal::Output::pass_on(fmt::format("Jobs successfully added to campaign {}\n{}", ids[0], document));
  } else {
    output.report(fmt::format("Jobs successfully added to campaign {}: {}", ids[0], what));
    output.show({.text = fmt::format("CAMPAIGN_ID={}\n", ids[0]),
                 .json = reply.body,
                 .ids = {fmt::format("{}", ids[0])},
                 .done = fmt::format("the jobs were added to campaign {}", ids[0])});
  }
  return ids[0];
}

}  // namespace gleaner::gridsub
