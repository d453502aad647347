#include "api/output_listing.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lib/grid/states.hpp"
#include "lib/text/clean.hpp"
#include "lib/text/json_writer.hpp"

namespace gleaner::api {
namespace {

namespace views = store::views;

constexpr int kNoSuchFolder = 404;

std::string oar_prefix(grid::CampaignId campaign) { return fmt::format("OAR.cigri.{}.", campaign.value()); }

std::string oar_name(grid::CampaignId campaign, const views::OutputJob& job, const grid::TaskOutput& output) {
  const auto task = job.pooled ? std::optional{grid::TaskNumber{output.task}} : std::nullopt;
  return grid::stream_name(campaign, grid::RemoteJobId{job.remote_id}, task, output.kind);
}

/// The same of a job that was submitted while its cluster shared its homes. Empty: its name has no cluster in it.
std::string shared_name(grid::CampaignId campaign, const views::OutputJob& job, const grid::TaskOutput& output) {
  if (job.pooled || !job.output_directory.empty() || !(job.exec_directory.empty() || grid::is_home(job.exec_directory))) return {};
  return fmt::format("{}{}.{}", grid::shared_stream_begin(campaign, job.cluster_name), job.remote_id, grid::name_of(output.kind));
}

bool has_ended(grid::TaskState state) {
  return state == grid::TaskState::done || state == grid::TaskState::failed || state == grid::TaskState::cancelled;
}

std::string line_of(const views::TaskOutputs& task, const ListedOutput& listed) {
  text::JsonWriter json;
  json.object([&] {
    json.field("name", grid::output_name(listed.output));
    if (listed.output.number > 0) json.field("path", grid::encoded_path(listed.output.name));
    json.field("task", task.number);
    json.field("attempt", listed.output.attempt);
    json.field("kind", grid::name_of(listed.output.kind));
    json.field("cluster_name", task.job->cluster_name);
    json.field("state", grid::name_of(task.state));
    json.field("size", listed.size);
    if (listed.is_missing) json.field("missing", true);
  });
  return json.text() + "\n";
}

std::string error_line(const views::OutputJob& job, const std::string& folder, const std::string& why) {
  text::JsonWriter json;
  json.object([&] {
    json.field("error", text::clean_text(why));
    json.field("cluster_name", job.cluster_name);
    json.field("folder", folder);
  });
  return json.text() + "\n";
}

/// Both files of a job that ran, of unknown size.
std::vector<ListedOutput> unlisted(const views::OutputJob& job, std::int64_t task) {
  std::vector<ListedOutput> both;
  for (const auto kind : {grid::OutputKind::standard_output, grid::OutputKind::standard_error})
    both.push_back({.output = {.task = task, .attempt = job.attempt, .kind = kind}, .size = {}});
  return both;
}

bool is_missing_folder(const oar::Failure& failure) {
  const auto* const refused = std::get_if<oar::Refused>(&failure);
  return refused != nullptr && refused->status == kNoSuchFolder;
}

/// The cluster answered, but not with a list that can be used.
bool is_unlistable(const oar::Failure& failure) {
  const auto* const no_answer = std::get_if<oar::NoAnswer>(&failure);
  return no_answer != nullptr && no_answer->what.find("too many files") != std::string::npos;
}

}  // namespace

std::string folder_of_outputs(const views::OutputJob& job, std::int64_t task) {
  if (job.output_directory.empty()) {
    auto folder = grid::media_folder(job.exec_directory, job.login);
    return folder == "~" ? std::string{"~/."} : folder;
  }
  return grid::media_folder(grid::output_folder(job.output_directory, task), job.login);
}

std::string file_of_output(const views::OutputJob& job, grid::CampaignId campaign, const grid::TaskOutput& output) {
  const auto name = job.output_directory.empty() ? oar_name(campaign, job, output) : grid::output_name(output);
  return fmt::format("{}/{}", folder_of_outputs(job, output.task), name);
}

std::string file_in_shared_home(const views::OutputJob& job, grid::CampaignId campaign, const grid::TaskOutput& output) {
  const auto name = shared_name(campaign, job, output);
  return name.empty() ? name : fmt::format("{}/{}", folder_of_outputs(job, output.task), name);
}

FolderOfOutputs::FolderOfOutputs(const std::vector<oar::ListedFile>& files, grid::CampaignId campaign) : campaign_{campaign} {
  const auto prefix = oar_prefix(campaign);
  grid::LongPaths paths;
  for (const auto& file : files) static_cast<void>(paths.add(file.name));
  for (const auto& file : files) {
    if (file.name.starts_with(prefix)) files_of_oar_.emplace(file.name, file.size);
    auto output = grid::read_output_name(file.name);
    if (!output) continue;
    if (output->number > 0) {
      auto path = paths.of(*output);
      if (!path) continue;
      output->name = std::move(*path);
    }
    const std::pair attempt{output->task, output->attempt};
    by_attempt_[attempt].push_back({.output = std::move(*output), .size = file.size});
  }
}

std::vector<ListedOutput> FolderOfOutputs::of(const views::OutputJob& job, std::int64_t task) const {
  auto all = unlisted(job, task);
  for (auto& one : all) {
    if (!job.output_directory.empty()) {
      one.is_missing = true;
      continue;
    }
    auto found = files_of_oar_.find(shared_name(campaign_, job, one.output));
    if (found == files_of_oar_.end()) found = files_of_oar_.find(oar_name(campaign_, job, one.output));
    one.is_missing = found == files_of_oar_.end();
    if (!one.is_missing) one.size = found->second;
  }
  const auto found = by_attempt_.find({task, job.attempt});
  if (job.output_directory.empty() || found == by_attempt_.end()) return all;
  for (const auto& listed : found->second) {
    const auto known = std::ranges::find(all, listed.output, &ListedOutput::output);
    if (known != all.end()) *known = listed;
    else all.push_back(listed);
  }
  return all;
}

OutputLister::Folder& OutputLister::folder_of(const views::OutputJob& job, std::int64_t task, std::string& lines) {
  const auto path = folder_of_outputs(job, task);
  const auto [place, is_new] = folders_.try_emplace(Place{job.cluster.value(), fmt::format("{} {}", job.login, path)});
  auto& folder = place->second;
  if (!is_new) return folder;
  folder.is_of_oar = job.output_directory.empty();
  const auto listed = list_(job, path);
  if (listed) {
    folder.outputs.emplace(*listed, campaign_);
  } else if (is_missing_folder(listed.error())) {
    folder.outputs.emplace(std::vector<oar::ListedFile>{}, campaign_);
  } else if (!folder.is_of_oar || !is_unlistable(listed.error())) {
    folder.error = oar::describe(listed.error());
    lines += error_line(job, path, folder.error);
  }
  return folder;
}

std::string OutputLister::lines(const std::vector<views::TaskOutputs>& tasks) {
  std::string lines;
  for (const auto& task : tasks) {
    if (!has_ended(task.state)) ++unsettled_;
    if (!task.job) continue;
    const auto& folder = folder_of(*task.job, task.number.value(), lines);
    if (!folder.error.empty()) continue;
    const auto listed = folder.outputs ? folder.outputs->of(*task.job, task.number.value()) : unlisted(*task.job, task.number.value());
    for (const auto& one : listed) {
      lines += line_of(task, one);
      ++outputs_;
    }
  }
  // The folders of the next thousand are others; that of OAR's files is the same one.
  std::erase_if(folders_, [](const auto& folder) { return !folder.second.is_of_oar; });
  return lines;
}

}  // namespace gleaner::api
