#include "runner/submission.hpp"

#include <fmt/format.h>

#include "lib/grid/campaign_folder.hpp"
#include "lib/grid/checkpoint.hpp"
#include "lib/grid/job_identity.hpp"
#include "lib/grid/oarsub_words.hpp"
#include "lib/grid/resource_request.hpp"
#include "lib/grid/task_outputs.hpp"
#include "lib/grid/walltime.hpp"
#include "lib/jdl/parameter.hpp"
#include "lib/jdl/problem.hpp"
#include "lib/text/words.hpp"

namespace gleaner::runner {
namespace {

tl::expected<std::vector<std::string>, std::string> arguments(const store::LaunchToMake& launch, const store::LaunchLine& line) {
  jdl::Parameter parameter{line.parameter};
  if (line.form == 'a') {
    auto read = jdl::parse_ndjson(line.parameter);
    if (!read) return tl::unexpected{read.error().message};
    parameter = std::move(*read);
  }
  auto words = launch.params_shell ? jdl::shell_words_of(parameter) : jdl::arguments_of(parameter);
  if (!words) return tl::unexpected{words.error().message};
  return *words;
}

std::vector<std::string> types_of(const store::LaunchToMake& launch) {
  std::vector<std::string> types;
  for (std::size_t begin = 0; begin < launch.job_types.size();) {
    const auto end = std::min(launch.job_types.find('\n', begin), launch.job_types.size());
    if (end > begin) types.push_back(launch.job_types.substr(begin, end - begin));
    begin = end + 1;
  }
  if (launch.best_effort) types.emplace_back("besteffort");
  return types;
}

/// OAR reserves no memory, so a job that requests some is restricted to nodes that have it.
std::string properties_of(const store::LaunchToMake& launch) {
  if (!launch.memory_mb || launch.memory_property.empty()) return launch.properties;
  const auto least = (*launch.memory_mb + launch.memory_unit_mb - 1) / launch.memory_unit_mb;
  const auto memory = fmt::format("{} >= {}", launch.memory_property, least);
  return launch.properties.empty() ? memory : fmt::format("({}) AND {}", launch.properties, memory);
}

/// Checks the campaign's texts again: they were right at submission, but administrators, admission rules and older versions may have
/// changed them.
std::optional<std::string> wrong_for_oarsub(const oar::SubmitRequest& request, const std::string& own_properties) {
  using Grammar = std::optional<std::string> (*)(std::string_view);
  const auto wrong = [](std::string_view what, const std::string& text, Grammar grammar) -> std::optional<std::string> {
    const auto why = text.empty() ? std::nullopt : grammar(text);
    if (!why) return std::nullopt;
    return fmt::format("its {} '{}' cannot be given to OAR: {}", what, jdl::excerpt(text), *why);
  };
  const Grammar resources = [](std::string_view text) -> std::optional<std::string> {
    const auto read = grid::ResourceRequest::parse(text);
    return read ? std::nullopt : std::optional{read.error()};
  };
  if (auto why = wrong("resources", request.resources, resources)) return why;
  // Each is checked alone too: two unbalanced texts may be balanced together.
  if (auto why = wrong("properties", own_properties, grid::wrong_properties)) return why;
  if (auto why = wrong("properties", request.properties, grid::wrong_properties)) return why;
  if (auto why = wrong("project", request.project, grid::wrong_project)) return why;
  for (const auto& type : request.types) {
    if (auto why = wrong("cluster_job_type", type, grid::wrong_job_type)) return why;
  }
  return std::nullopt;
}

std::optional<PoolFacts> pool_of(const store::LaunchToMake& launch, const std::vector<store::LaunchLine>& lines,
                                 const grid::Epochs& epochs) {
  if (!launch.pool) return std::nullopt;
  PoolFacts pool{.folder = grid::fence_name(epochs, launch.campaign, launch.id),
                 .duration = *launch.pool,
                 .task_walltime = launch.walltime,
                 .first_job = grid::JobId{0},
                 .jobs = 0,
                 .side_by_side = launch.side_by_side};
  for (const auto& line : lines) {
    if (line.pooled) continue;
    if (pool.jobs++ == 0 || line.job < pool.first_job) pool.first_job = line.job;
  }
  return pool;
}

/// A line of the array, or of the file `pool`.
tl::expected<std::string, std::string> text_of(const store::LaunchToMake& launch, const store::LaunchLine& line,
                                               const grid::Epochs& epochs) {
  auto words = arguments(launch, line);
  if (!words) return tl::unexpected{fmt::format("task {}: {}", line.task.value(), words.error())};
  const TaskFacts task{.task = line.task,
                       .attempt = line.attempt,
                       .job = line.job,
                       .fence = grid::fence_name(epochs, launch.campaign, line.fence),
                       .arguments = std::move(*words)};
  auto text = line.pooled ? pool_line(task) : parameter_line(task);
  if (!text) return tl::unexpected{fmt::format("task {}: {}", line.task.value(), text.error())};
  return text;
}

/// As wrong_for_oarsub(), of the texts that the wrapper's shell reads.
std::optional<std::string> wrong_folders(const store::LaunchToMake& launch) {
  if (auto why = grid::wrong_exec_directory(launch.exec_directory))
    return fmt::format("its exec_directory '{}' cannot be used: {}", jdl::excerpt(launch.exec_directory), *why);
  if (auto why = launch.output_directory.empty() ? std::nullopt : grid::wrong_output_directory(launch.output_directory))
    return fmt::format("its output_directory '{}' cannot be used: {}", jdl::excerpt(launch.output_directory), *why);
  return std::nullopt;
}

/// The shell text that the job runs. A script is a bash of its own, with the status of its last command.
std::string command_of(const store::LaunchToMake& launch) {
  if (!launch.script) return launch.exec_file;
  return fmt::format("bash -c {} {}", text::quote(launch.exec_file), grid::name_of(*launch.script));
}

}  // namespace

std::optional<std::string> condition_without(std::span<const std::string> nodes) {
  constexpr std::string_view kOfNames{"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"};
  std::string condition;
  for (const auto& node : nodes) {
    if (node.empty() || node.find_first_not_of(kOfNames) != std::string::npos) return std::nullopt;
    condition += fmt::format("{}network_address <> '{}'", condition.empty() ? "" : " AND ", node);
  }
  return condition;
}

tl::expected<Submission, std::string> submission_of(const store::LaunchToMake& launch, const std::vector<store::LaunchLine>& lines,
                                                    std::string_view cluster, const grid::Epochs& epochs, grid::Seconds notice,
                                                    EndsIn ends) {
  const bool has_oars_streams = launch.output_directory.empty() && grid::is_home(launch.exec_directory);
  const LaunchFacts facts{.grid = epochs.of(launch.campaign),
                          .campaign = launch.campaign,
                          .exec_file = command_of(launch),
                          .cluster = std::string{cluster},
                          .user = launch.login,
                          .workdir = launch.exec_directory,
                          .resources = launch.request,
                          .walltime = grid::format_walltime(launch.walltime),
                          .pool = pool_of(launch, lines, epochs),
                          .measured = launch.to_measure,
                          .output_directory = launch.output_directory,
                          .output_files = launch.output_files,
                          .input_files = launch.input_files,
                          .placeholders = launch.placeholders,
                          .checkpoint_signal = launch.checkpoint_signal,
                          .params_shell = launch.params_shell,
                          .streams_in_workdir = launch.output_directory.empty() && !has_oars_streams,
                          .noted = ends == EndsIn::claims,
                          .gives = launch.gives,
                          .epoch = epochs.of(launch.id)};
  auto command = JobCommand::create(facts);
  if (!command) return tl::unexpected{command.error()};
  oar::SubmitRequest request;
  request.user = launch.login;
  request.name = grid::launch_tag(epochs.of(launch.id), launch.campaign, launch.id);
  request.resources = launch.request;
  request.walltime = grid::format_walltime(launch.walltime + launch.pool.value_or(grid::Seconds{0}));
  request.command = command->text();
  request.types = types_of(launch);
  request.properties = properties_of(launch);
  request.project = launch.project;
  if (auto wrong = wrong_for_oarsub(request, launch.properties)) return tl::unexpected{std::move(*wrong)};
  if (auto wrong = wrong_folders(launch)) return tl::unexpected{std::move(*wrong)};
  const auto margin = grid::margin_before_end(launch.checkpoint_cost, launch.walltime, notice);
  if (const auto signal = grid::checkpoint_signal(launch.checkpoint_signal); signal && margin > grid::Seconds{0})
    request.checkpoint = {.signal = *signal, .before_end = margin};
  // CiGri's file names: its users' scripts remove and read these files.
  const auto streams_begin =
      launch.shares_home ? grid::shared_stream_begin(launch.campaign, cluster) : fmt::format("OAR.cigri.{}.", launch.campaign.value());
  request.stdout_file = streams_begin + "%jobid%.stdout";
  request.stderr_file = streams_begin + "%jobid%.stderr";
  std::vector<std::string> pooled;
  if (!has_oars_streams) {
    // The wrapper opens the tasks' files. OAR's hold no more than what the wrapper reports of attempts that it cannot begin, and what OAR
    // reports of jobs that it ends, so that one file in the home, to which OAR appends, serves the whole campaign.
    request.stdout_file = fmt::format("OAR.cigri.{}.log", launch.campaign.value());
    request.stderr_file = request.stdout_file;
  }
  for (const auto& line : lines) {
    auto text = text_of(launch, line, epochs);
    if (!text) return tl::unexpected{std::move(text.error())};
    (line.pooled ? pooled : request.lines).push_back(std::move(*text));
  }
  Submission submission{.request = std::move(request), .pool = pooled.empty() ? std::string{} : pool_list(pooled)};
  if (command->program()) submission.call = Submission::Call{command->call(), *command->program()};
  return submission;
}

}  // namespace gleaner::runner
