// The route that plays the grid forward, with changes and without.
#include <algorithm>
#include <array>
#include <memory>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "api/admission.hpp"
#include "api/campaign_inputs.hpp"
#include "api/candidate.hpp"
#include "api/pseudonyms.hpp"
#include "api/readership.hpp"
#include "api/router.hpp"
#include "api/what_if_json.hpp"
#include "api/what_if_question.hpp"
#include "api/what_ifs.hpp"
#include "lib/process/values.hpp"

namespace gleaner::api {
namespace {

constexpr std::size_t kLongestQuestion = std::size_t{1} << 20U;  // bytes
constexpr int kRuns = 20;                                        // as gridsub

using Picture = WhatIfs::Picture;

/// A campaign that could be submitted, and all that it refers to.
struct NewCampaign {
  Submission submission;
  std::vector<std::string> groups{};
  CheckedCampaign checked{};
};

Asked<WhatIfQuestion> asked(const Call& call) {
  const auto body = call.request.body->read_all(kLongestQuestion);
  if (body) return read_what_if(*body);
  if (body.error() != http::BodyError::too_large) return tl::unexpected{broken_body(body.error())};
  return tl::unexpected{
      error(Code::too_large, fmt::format("the question is larger than {}, the most that is played here: run gridsub --what-if -f FILE, "
                                         "which simulates on your own machine",
                                         process::format_size(kLongestQuestion)))};
}

Picture read_picture(const Call& call) {
  return call.connections.read([&](store::Transaction& transaction) {
    Picture picture{.time = call.now};
    picture.standstill = standstill_of(call, transaction);
    picture.state = read_grid_state(transaction, call.config, call.now);
    return picture;
  });
}

/// The answer where there is nothing to play; empty: go on.
std::optional<http::Response> refuse_picture(const Picture& picture) {
  if (picture.standstill)
    return error(
        Code::wrong_state,
        fmt::format("the grid stands still: no cycle has ended since {:%Y-%m-%d %H:%M:%S} UTC, and there is no forecast until one does",
                    std::chrono::floor<grid::Seconds>(*picture.standstill)));
  if (std::ranges::any_of(picture.state.planning.clusters, is_simulated)) return std::nullopt;
  std::string clusters;
  for (const auto& out : left_out(picture.state)) clusters += fmt::format("{}{} is {}", clusters.empty() ? "" : ", ", out.cluster, out.why);
  return error(Code::wrong_state, "there is nothing to simulate: " + (clusters.empty() ? "the grid has no cluster" : clusters));
}

/// The checks of a submission, in the same words. Nothing is stored.
Asked<NewCampaign> check_jdl(const Call& call, const std::string& jdl) {
  const auto limits = submission_limits(call, call.caller.user);
  if (jdl.size() > limits.campaign_file) return tl::unexpected{file_too_large(limits.campaign_file)};
  SubmissionHead head;
  head.jdl = jdl;
  head.mode = SubmissionMode::check_only;
  auto submission = check_submission(call, head, Parameters::in_the_file);
  if (!submission) return tl::unexpected{submission.error()};
  NewCampaign campaign{.submission = std::move(*submission)};
  const auto pass = [&]() -> Asked<void> {
    if (auto wrong = wrong_inputs(call, campaign.submission.file)) return tl::unexpected{std::move(*wrong)};
    auto groups = allow(call, campaign.submission, limits);
    if (!groups) return tl::unexpected{groups.error()};
    campaign.groups = std::move(*groups);
    auto checked = check_whole(call, campaign.submission, limits, nullptr);
    if (!checked) return tl::unexpected{checked.error()};
    campaign.checked = std::move(*checked);
    return {};
  };
  const auto passed = pass();
  // No connection to the database is held here.
  if (campaign.submission.broken_rule) report_broken_rule(call, *campaign.submission.broken_rule);
  if (!passed) return tl::unexpected{passed.error()};
  return campaign;
}

/// The grid as it would be.
std::string changed_scenario(const Call& call, const Picture& picture, const WhatIfChanges& changes, const NewCampaign* campaign) {
  auto state = picture.state;
  auto config = call.config;
  apply_changes(changes, state, config, picture.time);
  text::JsonWriter json;
  if (campaign == nullptr) {
    write_scenario(json, state, config, picture.time);
    return json.text();
  }
  auto file = campaign->submission.file;
  for (auto& section : file.clusters) {
    const bool is_off = std::ranges::find(changes.clusters_off, section.name) != changes.clusters_off.end();
    if (is_off && changes.off_after == grid::Seconds{0}) section.max_jobs = 0;
  }
  auto candidate = campaign->checked.candidate(call, file, campaign->groups);
  candidate.after = changes.after;
  write_scenario(json, state, config, picture.time, &candidate);
  return json.text();
}

/// Equal questions have one text, whoever asks; a new campaign's has its user, and what its scenario has of them.
std::string text_of(const Call& call, const Picture& picture, const WhatIfChanges& changes, const NewCampaign* campaign) {
  auto text = fmt::format("{} {} {}", picture.number, changes.after.count(), changes.order.value_or(""));
  for (const auto& name : changes.clusters_off) text += fmt::format("\noff {} {}", changes.off_after.count(), name);
  for (const auto& [id, change] : changes.campaigns)
    text +=
        fmt::format("\n{} {} {}", id.value(), change.priority.value_or(0), change.paused ? (*change.paused ? "paused" : "resumed") : "");
  if (campaign == nullptr) return text;
  text::JsonWriter json;
  write_candidate(json, campaign->checked.candidate(call, campaign->submission.file, campaign->groups));
  return text + "\n" + json.text();
}

std::vector<WhatIfCampaign> campaigns_of(const Call& call, const Picture& picture, const NewCampaign* added, const Readership& readership) {
  Pseudonyms pseudonyms{readership, call.caller.user};
  std::vector<WhatIfCampaign> campaigns;
  for (const auto& campaign : picture.state.planning.campaigns) {
    const auto name = picture.state.names.find(campaign.id);
    const bool is_shown = name != picture.state.names.end() && readership.may_read(campaign.user, campaign.project);
    campaigns.push_back(
        {.id = campaign.id, .name = is_shown ? std::optional{name->second} : std::nullopt, .user = pseudonyms.of(campaign.user)});
  }
  if (added != nullptr) campaigns.push_back({.id = {}, .name = added->submission.file.name, .user = call.caller.user});
  return campaigns;
}

bool has_followers(const Picture& picture, const NewCampaign* added) {
  const auto is_each = [](grid::DependencyKind kind) { return kind == grid::DependencyKind::after_each; };
  return std::ranges::any_of(picture.state.dependencies, [&](const auto& one) { return is_each(one.awaited.kind); }) ||
         (added != nullptr && std::ranges::any_of(added->checked.dependencies, [&](const auto& one) { return is_each(one.kind); }));
}

http::Response play_what_if(const Call& call) {
  auto question = asked(call);
  if (!question) return question.error();
  const auto place = call.what_ifs.ask(call.caller.user);
  if (!place) return place.error();
  const auto picture = call.what_ifs.picture([&] { return read_picture(call); });
  if (auto refused = refuse_picture(*picture)) return std::move(*refused);
  const auto readership = call.connections.read([&](store::Transaction& transaction) { return readership_of(call, transaction); });
  if (auto right = check_changes(question->changes, picture->state, readership); !right) return right.error();
  std::optional<NewCampaign> added;
  if (question->jdl) {
    const auto memory = take_memory(call, memory_of_file(question->jdl->size()));
    if (!memory) return memory.error();
    auto checked = check_jdl(call, *question->jdl);
    if (!checked) return checked.error();
    added.emplace(std::move(*checked));
  }
  const auto* campaign = added ? &*added : nullptr;
  const auto& changes = question->changes;
  const auto play = [&](const WhatIfChanges& with, const NewCampaign* more, int runs) {
    return call.what_ifs.play(
        text_of(call, *picture, with, more), [&] { return changed_scenario(call, *picture, with, more); }, runs);
  };
  const auto before = play({}, nullptr, kRuns);
  if (!before) return before.error();
  // With the same draws as often, so that the difference is that of the change.
  const auto after = question->is_empty() ? before : play(changes, campaign, before->runs > 0 ? before->runs : kRuns);
  if (!after) return after.error();
  auto warnings = notes_on(changes, call.config);
  if (campaign != nullptr) warnings.insert(warnings.end(), campaign->submission.warnings.begin(), campaign->submission.warnings.end());
  auto response = answer(200, what_if_json({.time = picture->time,
                                            .age = std::max(grid::Seconds{0}, std::chrono::floor<grid::Seconds>(call.now - picture->time)),
                                            .changes = changes,
                                            .before = *before,
                                            .after = *after,
                                            .campaigns = campaigns_of(call, *picture, campaign, readership),
                                            .left_out = left_out(picture->state),
                                            .warnings = std::move(warnings),
                                            .follows = has_followers(*picture, campaign)}));
  response.headers.add("Cache-Control", "no-store");
  return response;
}

}  // namespace

std::span<const Route> what_if_routes() {
  static constexpr std::array kRoutes{
      Route{"POST", "/v1/what-if", Access::identified, play_what_if, {}, Etag::none, Compression::allowed, InPage::ask}};
  return kRoutes;
}

}  // namespace gleaner::api
