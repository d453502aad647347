#include "api/submission.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <rapidjson/document.h>
#include <rapidjson/error/en.h>

#include "lib/grid/suggest.hpp"
#include "lib/store/clusters.hpp"

namespace gleaner::api {
namespace {

constexpr std::array<std::string_view, 5> kHeadKeys{"jdl", "type", "source", "dry_run", "nb_jobs"};
constexpr std::int64_t kMostTasks = 100'000'000;

using Said = std::optional<std::string>;  // what is wrong, if anything

std::string_view text_of(const rapidjson::Value& value) { return {value.GetString(), value.GetStringLength()}; }

Said read_type(const rapidjson::Value& value, SubmissionHead& head) {
  if (value.IsNull()) return {};
  head.type = value.IsString() ? grid::campaign_type(text_of(value)) : std::nullopt;
  if (head.type) return {};
  return std::string{"'type' is neither \"default\" nor \"test\""};
}

Said read_count(const rapidjson::Value& value, SubmissionHead& head) {
  if (value.IsNull()) return {};
  if (!value.IsInt64() || value.GetInt64() < 1 || value.GetInt64() > kMostTasks) return fmt::format("'nb_jobs' is not a whole number from 1 to {}", kMostTasks);
  head.nb_jobs = value.GetInt64();
  return {};
}

Said read_member(std::string_view key, const rapidjson::Value& value, SubmissionHead& head) {
  if (key == "type") return read_type(value, head);
  if (key == "nb_jobs") return read_count(value, head);
  if (key == "dry_run") {
    if (!value.IsBool()) return std::string{"'dry_run' is neither true nor false"};
    head.wish = value.GetBool() ? Wish::check_only : Wish::store;
    return {};
  }
  if (key != "jdl" && key != "source") return fmt::format("'{}' is not a key of it{}", jdl::excerpt(key), grid::did_you_mean(key, kHeadKeys));
  if (!value.IsString()) return fmt::format("'{}' is not a string", key);
  (key == "jdl" ? head.jdl : head.source) = text_of(value);
  return {};
}

std::vector<jdl::ClusterLimits> load_limits(store::Transaction& transaction) {
  std::vector<jdl::ClusterLimits> limits;
  for (const auto& cluster : store::clusters(transaction)) limits.push_back({cluster.name, cluster.max_resources, !cluster.memory_property.empty(), cluster.memory_max_mb});
  return limits;
}

std::vector<std::string> warnings_of(const jdl::CampaignFile& file, const rules::Setting& clusters) {
  std::vector<std::string> warnings;
  for (const auto& section : file.clusters) {
    const bool disabled = std::ranges::find(clusters.disabled, section.name) != clusters.disabled.end();
    if (disabled) warnings.push_back(fmt::format("cluster '{}' is disabled: no job goes there until it is enabled", section.name));
  }
  return warnings;
}

http::Response one_problem(std::string path, std::string message) {
  const std::vector<jdl::Problem> problems{{{}, std::move(path), {}, std::move(message)}};
  return error(problems[0].message, problems);
}

/// Puts the head's own count into the file; says when two places give parameters, or none does.
std::optional<http::Response> settle_parameters(jdl::CampaignFile& file, const SubmissionHead& head, Parameters parameters) {
  auto& source = file.parameters;
  const bool named_file = std::holds_alternative<jdl::ParamFile>(source);
  if (head.nb_jobs) {
    if (!std::holds_alternative<std::monostate>(source)) return one_problem("nb_jobs", "the parameters are given twice: by nb_jobs and in the campaign file");
    source = jdl::Count{*head.nb_jobs};
    return {};
  }
  if (parameters == Parameters::may_follow) return {};
  if (named_file) return one_problem("param_file", "param_file is read by gridsub, not by the server: send its lines (application/x-ndjson), or 'params'");
  if (std::holds_alternative<std::monostate>(source)) return one_problem("params", "there are no parameters: give 'params' or 'nb_jobs'");
  return {};
}

std::string count_text(std::size_t problems) { return problems == 1 ? std::string{"1 problem"} : fmt::format("{} problems", problems); }

}  // namespace

tl::expected<SubmissionHead, std::string> read_head(std::string_view line) {
  rapidjson::Document document;
  document.Parse<rapidjson::kParseValidateEncodingFlag>(line.data(), line.size());
  if (document.HasParseError())
    return tl::unexpected{fmt::format("the first line is not JSON: {} (byte {})", rapidjson::GetParseError_En(document.GetParseError()), document.GetErrorOffset() + 1)};
  if (!document.IsObject()) return tl::unexpected{std::string{"the first line is not a JSON object with the key 'jdl'"}};
  SubmissionHead head;
  for (const auto& member : document.GetObject()) {
    if (auto wrong = read_member(text_of(member.name), member.value, head)) return tl::unexpected{"the first line: " + *wrong};
  }
  if (!document.HasMember("jdl")) return tl::unexpected{std::string{"the first line has no 'jdl', the text of the campaign file"}};
  return head;
}

Asked<Submission> check_submission(const Call& call, const SubmissionHead& head, Parameters parameters) {
  std::vector<jdl::ClusterLimits> limits;
  auto setting = call.connections.read([&](store::Transaction& transaction) {
    limits = load_limits(transaction);
    return rules::load_setting(transaction);
  });
  auto defaults = call.defaults;
  defaults.type = head.type;
  auto file = jdl::parse(head.jdl, defaults, &setting.known);
  if (!file) {
    const auto name = head.source.empty() ? std::string{"the campaign file"} : jdl::excerpt(head.source);
    return tl::unexpected{error(fmt::format("{} in {}; the first one: {}", count_text(file.error().size()), name, file.error().front().message), file.error())};
  }
  if (auto wrong = settle_parameters(*file, head, parameters)) return tl::unexpected{std::move(*wrong)};
  auto warnings = warnings_of(*file, setting);
  Submission submission{std::move(*file), std::move(warnings), std::move(setting)};
  submission.limits = std::move(limits);
  return submission;
}

Asked<std::optional<jdl::Requests>> requests_of(const Submission& submission) {
  std::vector<jdl::ClusterLimits> limits;
  for (const auto& section : submission.file.clusters) {
    const auto known = std::ranges::find(submission.limits, section.name, &jdl::ClusterLimits::name);
    limits.push_back(known == submission.limits.end() ? jdl::ClusterLimits{.name = section.name, .max_resources = 0, .tells_memory = false, .memory_max_mb = {}} : *known);
  }
  auto requests = jdl::Requests::of(submission.file, std::move(limits));
  if (!requests) return tl::unexpected{error(requests.error().message, std::span{&requests.error(), 1})};
  return std::move(*requests);
}

store::NewCampaignCluster stored_section(const jdl::ClusterSection& section, grid::CampaignId campaign) {
  const auto expanded = jdl::expand(section, campaign);
  store::NewCampaignCluster stored;
  stored.name = section.name;
  stored.priority = section.priority;
  stored.exec_file = expanded.exec_file;
  stored.exec_directory = expanded.exec_directory;
  stored.resources = section.resources_text();
  stored.resources_per_job = section.resources.resources();
  stored.walltime = section.walltime;
  stored.properties = section.properties;
  stored.project = section.project;
  stored.job_types = fmt::format("{}", fmt::join(section.job_types, ","));
  stored.best_effort = section.kind == jdl::JobKind::best_effort;
  stored.max_jobs = section.max_jobs;
  stored.max_walltime = section.max_walltime;
  return stored;
}

}  // namespace gleaner::api
