#include "clients/gridsub/rerun.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>

#include "clients/asked.hpp"
#include "clients/task_lines.hpp"

namespace gleaner::gridsub {
namespace {

using clients::Json;
using process::Error;
using process::ExitCode;

/// Their names, as a campaign file may write them.
bool is_parameter_key(std::string key) {
  constexpr std::array<std::string_view, 3> kKeys{"params", "nb_jobs", "param_file"};
  std::ranges::transform(key, key.begin(), [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return std::ranges::find(kKeys, key) != kKeys.end();
}

std::int64_t asked_campaign(const process::Arguments& arguments) {
  for (const std::string_view option : {"campaign", "nb-jobs", "param-file", "type", "what-if", "jobfile", "jsonjob"}) {
    if (arguments.has(option))
      throw Error{ExitCode::usage, fmt::format("--rerun-failed and --{} exclude each other: the tasks are the failed ones", option)};
  }
  const auto ids = clients::ids_of(arguments.all("rerun-failed"));
  if (ids.size() != 1) throw Error{ExitCode::usage, "--rerun-failed takes the failed tasks of one campaign: give one id, such as 12"};
  if (arguments.all("file").size() + arguments.all("json").size() != 1)
    throw Error{ExitCode::usage,
                fmt::format("--rerun-failed needs the campaign file of the new campaign: gridsub --rerun-failed {} -f new.jdl; "
                            "'gridsub --retry {}' runs the tasks again in their own campaign",
                            ids[0], ids[0])};
  return ids[0];
}

}  // namespace

std::unique_ptr<ParameterFile> failed_parameters(const process::Context& context) {
  const auto campaign = asked_campaign(context.arguments);
  clients::ApiClient api{context.config};
  std::int64_t tasks = 0;
  auto file = ParameterFile::of(fmt::format("the failed tasks of campaign {}", campaign), [&](const ParameterFile::Put& put) {
    clients::read_tasks(api, fmt::format("/v1/campaigns/{}/tasks.ndjson?state=failed", campaign), [&](const Json& task) {
      put(clients::parameter_line(task) + "\n");
      ++tasks;
    });
  });
  if (tasks == 0) throw Error{ExitCode::refused, fmt::format("no task of campaign {} has failed: nothing was submitted", campaign)};
  return file;
}

std::string without_parameters(const std::string& campaign_file) {
  const auto file = Json::parse(campaign_file);
  if (!file || file->members().empty()) return campaign_file;
  std::vector<Json::Member> kept;
  std::ranges::copy_if(file->members(), std::back_inserter(kept),
                       [](const Json::Member& member) { return !is_parameter_key(member.first); });
  if (kept.size() == file->members().size()) return campaign_file;
  return clients::dump(Json::of(std::move(kept)), clients::Layout::indented);
}

}  // namespace gleaner::gridsub
