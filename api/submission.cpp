#include "api/submission.hpp"

#include <algorithm>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "lib/grid/campaign_priority.hpp"
#include "lib/grid/task_outputs.hpp"
#include "lib/intake/rows.hpp"
#include "lib/jdl/crowding.hpp"
#include "lib/jdl/placement.hpp"
#include "lib/jdl/tree.hpp"

namespace gleaner::api {
namespace {

/// A note on the first folder whose stdout and stderr OAR's API cannot read; empty: there is none.
std::optional<std::string> unseen_streams(const jdl::CampaignFile& file) {
  for (const auto& section : file.clusters) {
    const auto character = section.output_directory.empty() ? grid::unreadable_character(section.exec_directory) : std::nullopt;
    if (character)
      return fmt::format(
          "exec_directory '{}' on {}: OAR's API reads no file in a folder with '{}' in its name, so that gridstat -O, gridget and events "
          "cannot show the tasks' stdout and stderr; an output_directory makes them readable",
          jdl::excerpt(section.exec_directory), section.name, *character);
  }
  return std::nullopt;
}

std::vector<jdl::TooWideSection> crowded(const jdl::CampaignFile& file, const rules::Setting& setting,
                                         const std::vector<jdl::ClusterLimits>& limits) {
  const auto& consumables = setting.known.consumables;
  return consumables ? jdl::crowded_sections(file, intake::limits_of(file, limits), *consumables) : std::vector<jdl::TooWideSection>{};
}

std::vector<std::string> warnings_of(const jdl::CampaignFile& file, const rules::Setting& clusters,
                                     const std::vector<jdl::ClusterLimits>& limits, const process::Config& config) {
  std::vector<std::string> warnings;
  for (const auto& section : file.clusters) {
    const bool disabled = std::ranges::find(clusters.disabled, section.name) != clusters.disabled.end();
    if (disabled) warnings.push_back(fmt::format("cluster '{}' is disabled: it gets no job until it is enabled", section.name));
  }
  for (const auto& [cluster, why] : jdl::too_wide_sections(file, intake::limits_of(file, limits)))
    warnings.push_back(fmt::format("cluster '{}' gets no job: {}", file.clusters[cluster].name, why));
  for (const auto& [cluster, why] : crowded(file, clusters, limits))
    warnings.push_back(fmt::format("cluster '{}' gets no job: {}", file.clusters[cluster].name, why));
  const grid::OrderOfCampaigns order{
      .name = config.campaign_order, .weights = config.multifactor_weights, .simultaneous = config.simultaneous};
  auto note = grid::priority_note(file.scheduling.priority, order);
  if (note && file.type == grid::CampaignType::default_) warnings.push_back(std::move(*note));
  if (auto doubtful = jdl::doubtful_place(file)) warnings.push_back(std::move(*doubtful));
  if (auto escaped = jdl::escaped_dollar(file)) warnings.push_back(std::move(*escaped));
  if (auto unseen = unseen_streams(file)) warnings.push_back(std::move(*unseen));
  return warnings;
}

http::Response one_problem(std::string path, std::string message) {
  const std::vector<jdl::Problem> problems{{{}, std::move(path), {}, std::move(message)}};
  return error(problems[0].message, problems);
}

/// Copies the head's number of tasks into the file. Empty: success; else the answer, because two places give parameters, or none does.
std::optional<http::Response> settle_parameters(jdl::CampaignFile& file, const SubmissionHead& head, Parameters parameters) {
  auto& source = file.parameters;
  const bool named_file = std::holds_alternative<jdl::ParamFile>(source);
  if (head.nb_jobs) {
    if (!std::holds_alternative<std::monostate>(source))
      return one_problem("nb_jobs", "the parameters are given twice: by nb_jobs and in the campaign file");
    source = jdl::Count{*head.nb_jobs};
    return {};
  }
  if (parameters == Parameters::may_follow) return {};
  if (named_file && parameters == Parameters::on_this_machine) return {};
  if (named_file)
    return one_problem("param_file",
                       "param_file is read by gridsub, not by the server: send its lines (application/x-ndjson), or 'params'");
  if (std::holds_alternative<std::monostate>(source)) return one_problem("params", "there are no parameters: give 'params' or 'nb_jobs'");
  return {};
}

std::vector<std::string> lines_of(const std::vector<jdl::Problem>& problems, const std::string& name) {
  std::vector<std::string> lines;
  for (const auto& problem : problems) {
    lines.push_back(jdl::render(std::span{&problem, 1}, name));
    lines.back().pop_back();  // the end of the line
  }
  return lines;
}

std::string count_text(std::size_t problems) { return problems == 1 ? std::string{"1 problem"} : fmt::format("{} problems", problems); }

}  // namespace

Asked<Submission> check_submission(const Call& call, const SubmissionHead& head, Parameters parameters) {
  auto surroundings =
      call.connections.read([&](store::Transaction& transaction) { return load_surroundings(transaction, call.caller.user); });
  auto defaults = call.defaults;
  defaults.type = head.type;
  defaults.doubts = head.doubts;
  auto parsed = jdl::parse_with_warnings(head.jdl, defaults, &surroundings.setting.known);
  const auto name = head.source.empty() ? std::string{"the campaign file"} : jdl::excerpt(head.source);
  if (!parsed) {
    const auto& problems = parsed.error();
    return tl::unexpected{
        error(fmt::format("{} in {}; the first one: {}", count_text(problems.size()), name, problems.front().message), problems)};
  }
  parsed->file.input_manifest = head.input_manifest;
  if (auto wrong = settle_parameters(parsed->file, head, parameters)) return tl::unexpected{std::move(*wrong)};
  auto submission = submission_of(call, std::move(parsed->file), std::move(surroundings));
  const auto doubts = lines_of(parsed->warnings, name);
  submission.warnings.insert(submission.warnings.begin(), doubts.begin(), doubts.end());
  return submission;
}

Surroundings load_surroundings(store::Transaction& transaction, const std::string& user) {
  return {.setting = rules::load_setting(transaction, user), .limits = intake::load_limits(transaction)};
}

Submission submission_of(const Call& call, jdl::CampaignFile file, Surroundings surroundings) {
  auto warnings = warnings_of(file, surroundings.setting, surroundings.limits, call.config);
  Submission submission{std::move(file), std::move(warnings), std::move(surroundings.setting)};
  submission.limits = std::move(surroundings.limits);
  return submission;
}

Asked<std::optional<jdl::Requests>> requests_of(const Submission& submission) {
  const auto& file = submission.file;
  if (const auto found = crowded(file, submission.setting, submission.limits); !found.empty() && found.size() == file.clusters.size())
    return tl::unexpected{
        one_problem("needs", fmt::format("no job of it would ever start: on {}, {}", file.clusters[found[0].cluster].name, found[0].why))};
  auto requests = jdl::Requests::of(submission.file, intake::limits_of(submission.file, submission.limits));
  if (!requests) return tl::unexpected{error(requests.error().message, std::span{&requests.error(), 1})};
  return std::move(*requests);
}

std::string asking(const jdl::CampaignFile& file) {
  std::string text = fmt::format("{}\n{}\n", file.input_mb, fmt::join(file.parameter_names, " "));
  for (const auto& [name, assumed] : file.given) text += fmt::format("{} {}\n", name, assumed);
  for (const auto& section : file.clusters)
    text += fmt::format("{}\n{}\n{} {}\n{}\n{}\n", section.name, section.resources_text(), section.walltime.count(),
                        section.walltime_expression, section.memory_mb, section.max_walltime.value_or(grid::Seconds{0}).count());
  return text;
}

Asked<std::optional<std::string>> idempotency_key(const Call& call) {
  constexpr std::size_t kLongestKey = 200;
  const auto key = call.request.headers.find("Idempotency-Key");
  if (!key) return std::optional<std::string>{};
  const bool printable = std::ranges::all_of(*key, [](char c) { return c > ' ' && c < '\x7f'; });
  if (key->empty() || key->size() > kLongestKey || !printable)
    return tl::unexpected{
        error(Code::bad_value, fmt::format("the Idempotency-Key must be 1 to {} printable ASCII characters, without blanks", kLongestKey))};
  return std::optional{std::string{*key}};
}

std::uint64_t memory_of_file(std::uint64_t bytes) {
  constexpr std::uint64_t kOfAValue = 250;
  return 64 * 1024 + 6 * bytes + std::min<std::uint64_t>(bytes / 2, jdl::kMostValues) * kOfAValue;
}

}  // namespace gleaner::api
