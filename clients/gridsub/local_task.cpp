#include "clients/gridsub/local_task.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <variant>

#include "clients/gridsub/inputs.hpp"
#include "lib/grid/task_outputs.hpp"
#include "lib/grid/walltime.hpp"
#include "lib/jdl/inputs.hpp"
#include "lib/jdl/parameter_reader.hpp"
#include "lib/jdl/placement.hpp"
#include "lib/jdl/requests.hpp"
#include "lib/process/exit_code.hpp"
#include "lib/terminal/text.hpp"
#include "lib/text/suggest.hpp"
#include "runner/command/command.hpp"

namespace gleaner::gridsub {
namespace {

using process::Error;
using process::ExitCode;

/// A campaign that was not submitted has no number.
constexpr grid::CampaignId kNoCampaign{0};

Error nothing_run(std::string_view what) { return {ExitCode::usage, fmt::format("nothing was run: {}", what)}; }

const jdl::ClusterSection& section_of(const Campaign& campaign, const std::optional<std::string>& cluster) {
  const auto& sections = campaign.file.clusters;
  if (!cluster) return sections.front();
  const auto found = std::ranges::find(sections, *cluster, &jdl::ClusterSection::name);
  if (found != sections.end()) return *found;
  std::vector<std::string_view> names;
  for (const auto& section : sections) names.emplace_back(section.name);
  throw nothing_run(fmt::format("--cluster={}: {} has no such cluster; its clusters are {}{}", *cluster, campaign.source,
                                fmt::join(names, ", "), text::did_you_mean(*cluster, names)));
}

jdl::Parameter parameter_in(ParameterFile& file, std::int64_t number) {
  file.rewind();
  jdl::ParameterReader reader{file.stream()};
  for (std::int64_t read = 0;; ++read) {
    const auto next = reader.next();
    if (!next || !*next) throw Error{ExitCode::failure, fmt::format("{} has changed while it was read", file.name())};
    if (read == number) return std::string{**next};
  }
}

/// The request of the task, if expressions compute it. Which memory the nodes have is not known here, and no matter.
void compute_request(const Campaign& campaign, LocalTask& task) {
  std::vector<jdl::ClusterLimits> limits;
  for (const auto& section : campaign.file.clusters)
    limits.push_back({.name = section.name, .has_memory_property = true, .memory_max_mb = {}});
  auto requests = jdl::Requests::of(campaign.file, std::move(limits));
  if (!requests) throw nothing_run(fmt::format("{}: {}", requests.error().path, requests.error().message));
  if (!*requests) return;
  const jdl::KnownInputs inputs{sizes_of_inputs(campaign)};
  (*requests)->know_inputs(inputs);
  const auto number = (*requests)->request_of(task.number, task.parameter);
  if (!number) throw nothing_run(number.error());
  const auto place = static_cast<std::size_t>(task.section - campaign.file.clusters.data());
  for (const auto& one : (*requests)->different()) {
    if (one.cluster != place || one.request != *number) continue;
    task.resources = one.resources;
    task.cores = one.resources_per_job.value_or(1);
    task.walltime = one.walltime;
  }
}

/// Notes what happens on a cluster beside the task, and not here.
void note_what_is_left_out(LocalTask& task) {
  const auto& section = *task.section;
  if (!section.prologue.empty()) task.notes.push_back(fmt::format("the prologue of {} is not run here", section.name));
  if (!section.epilogue.empty()) task.notes.push_back(fmt::format("the epilogue of {} is not run here", section.name));
  if (!section.output_directory.empty())
    task.notes.emplace_back(
        "output_directory has no effect here: stdout and stderr are passed on, and output_files stay where the task writes them");
}

std::vector<std::string> arguments_of(const Campaign& campaign, const LocalTask& task) {
  auto words = campaign.file.params_shell ? jdl::shell_words_of(task.parameter) : jdl::arguments_of(task.parameter);
  if (!words) throw nothing_run(words.error().message);
  return std::move(*words);
}

/// The environment that OAR gives a job. Nothing of this one's own is in it.
std::vector<std::string> environment(const Campaign& campaign, const LocalTask& task, const LocalPlace& place) {
  std::vector<std::string> words;
  const auto put = [&](std::string_view name, std::string_view value) { words.push_back(fmt::format("{}={}", name, value)); };
  put("HOME", place.home);
  for (const std::string_view name : {"USER", "LOGNAME", "OAR_USER"}) put(name, place.user);
  put("SHELL", "/bin/bash");
  put("PATH", "/usr/local/bin:/usr/bin:/bin");
  for (const std::string_view name : {"OAR_JOB_ID", "OAR_JOBID", "OAR_ARRAY_ID", "OAR_ARRAYID"}) put(name, "0");
  for (const std::string_view name : {"OAR_ARRAY_INDEX", "OAR_ARRAYINDEX"}) put(name, "1");
  for (const std::string_view name : {"OAR_NODEFILE", "OAR_NODE_FILE", "OAR_FILE_NODES", "OAR_RESOURCE_FILE"})
    put(name, node_file(place).string());
  for (const std::string_view name : {"OAR_WORKDIR", "OAR_WORKING_DIRECTORY", "OAR_O_WORKDIR"}) put(name, place.home);
  put("OAR_JOB_NAME", campaign.file.name);
  put("OAR_PROJECT_NAME", task.section->project.empty() ? "default" : task.section->project);
  put("OAR_JOB_WALLTIME", grid::format_walltime(task.walltime));
  put("OAR_JOB_WALLTIME_SECONDS", std::to_string(task.walltime.count()));
  return words;
}

runner::LaunchFacts facts_of(const Campaign& campaign, const LocalTask& task, const LocalPlace& place) {
  const auto expanded = jdl::expand(*task.section, kNoCampaign);
  return {.grid = "local",
          .campaign = kNoCampaign,
          .exec_file = jdl::stored_command(expanded.exec_file, campaign.file),
          .cluster = task.section->name,
          .user = place.user,
          .workdir = expanded.exec_directory,
          .resources = task.resources,
          .walltime = grid::format_walltime(task.walltime),
          .input_files = fmt::format("{}", fmt::join(campaign.file.input_files, "\n")),
          .placeholders = campaign.file.placeholders,
          .checkpoint_signal = campaign.file.scheduling.checkpoint ? campaign.file.scheduling.checkpoint->signal : "",
          .params_shell = campaign.file.params_shell,
          .folder = place.folder.string(),
          .gives = !campaign.file.gives.empty()};
}

}  // namespace

jdl::Parameter parameter_of(Campaign& campaign, std::int64_t number) {
  if (campaign.parameters) return parameter_in(*campaign.parameters, number);
  if (const auto* params = std::get_if<jdl::Params>(&campaign.file.parameters)) return params->values.at(static_cast<std::size_t>(number));
  return std::to_string(number);
}

LocalTask local_task(Campaign& campaign, std::int64_t number, const std::optional<std::string>& cluster) {
  const auto& section = section_of(campaign, cluster);
  if (number >= campaign.tasks)
    throw nothing_run(fmt::format("--local={}: {} has {}; write a number from 0 to {}", number, campaign.source,
                                  terminal::counted(campaign.tasks, "task"), campaign.tasks - 1));
  LocalTask task{.number = number,
                 .parameter = parameter_of(campaign, number),
                 .section = &section,
                 .resources = section.resources.text(),
                 .cores = section.resources.resources().value_or(1),
                 .walltime = section.walltime};
  jdl::PlacementCheck placement{campaign.file};
  if (const auto why = placement.wrong(number, task.parameter)) throw nothing_run(*why);
  if (placement.note()) task.notes.push_back(*placement.note());
  compute_request(campaign, task);
  note_what_is_left_out(task);
  return task;
}

std::filesystem::path inputs_folder(const LocalPlace& place) { return place.folder / "inputs/f"; }

std::filesystem::path node_file(const LocalPlace& place) { return place.folder / "nodes"; }

std::string directory_of(const LocalTask& task, const LocalPlace& place) {
  return grid::folder_with_values(jdl::expand(*task.section, kNoCampaign).exec_directory, place.home, place.user);
}

std::vector<std::string> job_words(const Campaign& campaign, const LocalTask& task, const LocalPlace& place) {
  const auto command = runner::JobCommand::create(facts_of(campaign, task, place));
  if (!command) throw nothing_run(command.error());
  const auto line = runner::parameter_line({.task = grid::TaskNumber{task.number},
                                            .attempt = 0,
                                            .job = grid::JobId{0},
                                            .fence = "0",
                                            .arguments = arguments_of(campaign, task)});
  if (!line) throw nothing_run(line.error());
  std::vector<std::string> words{"env", "-i"};
  for (auto& variable : environment(campaign, task, place)) words.push_back(std::move(variable));
  words.insert(words.end(), {"bash", "-c", command->script(), command->mark()});
  for (std::size_t begin = 0; begin < line->size();) {
    const auto end = std::min(line->find(' ', begin), line->size());
    words.push_back(line->substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

}  // namespace gleaner::gridsub
