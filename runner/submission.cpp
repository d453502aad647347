#include "runner/submission.hpp"

#include <fmt/format.h>

#include "lib/grid/walltime.hpp"
#include "lib/jdl/parameter.hpp"
#include "runner/command/command.hpp"

namespace gleaner::runner {
namespace {

tl::expected<std::vector<std::string>, std::string> arguments(const store::LaunchLine& line) {
  jdl::Parameter parameter{line.parameter};
  if (line.form == 'a') {
    auto read = jdl::parse_ndjson(line.parameter);
    if (!read) return tl::unexpected{read.error().message};
    parameter = std::move(*read);
  }
  auto words = jdl::arguments_of(parameter);
  if (!words) return tl::unexpected{words.error().message};
  return *words;
}

std::vector<std::string> types_of(const store::LaunchToMake& launch) {
  std::vector<std::string> types;
  for (std::size_t begin = 0; begin < launch.job_types.size();) {
    const auto comma = std::min(launch.job_types.find(',', begin), launch.job_types.size());
    if (comma > begin) types.push_back(launch.job_types.substr(begin, comma - begin));
    begin = comma + 1;
  }
  if (launch.best_effort) types.emplace_back("besteffort");
  return types;
}

/// OAR reserves no memory; a job that needs some is sent to nodes that have it.
std::string properties_of(const store::LaunchToMake& launch) {
  if (!launch.memory_mb || launch.memory_property.empty()) return launch.properties;
  const auto least = (*launch.memory_mb + launch.memory_unit_mb - 1) / launch.memory_unit_mb;
  const auto memory = fmt::format("{} >= {}", launch.memory_property, least);
  return launch.properties.empty() ? memory : fmt::format("({}) AND {}", launch.properties, memory);
}

}  // namespace

std::string tag_of(const store::LaunchToMake& launch, std::string_view grid) {
  return fmt::format("cigri.{}.{}-{}", launch.campaign.value(), launch.id.value(), grid);
}

tl::expected<oar::SubmitRequest, std::string> request_of(const store::LaunchToMake& launch, const std::vector<store::LaunchLine>& lines,
                                                         std::string_view cluster, std::string_view grid) {
  const LaunchFacts facts{.grid = std::string{grid},
                          .campaign = launch.campaign,
                          .tag = tag_of(launch, grid),
                          .exec_file = launch.exec_file,
                          .cluster = std::string{cluster},
                          .user = launch.login,
                          .workdir = launch.exec_directory,
                          .resources = launch.request,
                          .walltime = grid::format_walltime(launch.walltime)};
  auto command = JobCommand::create(facts);
  if (!command) return tl::unexpected{command.error()};
  oar::SubmitRequest request;
  request.user = launch.login;
  request.name = facts.tag;
  request.resources = launch.request;
  request.walltime = facts.walltime;
  request.command = command->text();
  request.types = types_of(launch);
  request.properties = properties_of(launch);
  request.project = launch.project;
  if (launch.exec_directory != "$HOME") request.directory = launch.exec_directory;
  // CiGri's names, which its users' scripts remove and read.
  request.stdout_file = fmt::format("OAR.cigri.{}.%jobid%.stdout", launch.campaign.value());
  request.stderr_file = fmt::format("OAR.cigri.{}.%jobid%.stderr", launch.campaign.value());
  for (const auto& line : lines) {
    auto words = arguments(line);
    if (!words) return tl::unexpected{fmt::format("task {}: {}", line.task.value(), words.error())};
    auto text = parameter_line({.task = line.task, .attempt = line.attempt, .job = line.job, .arguments = std::move(*words)});
    if (!text) return tl::unexpected{fmt::format("task {}: {}", line.task.value(), text.error())};
    request.lines.push_back(std::move(*text));
  }
  return request;
}

}  // namespace gleaner::runner
