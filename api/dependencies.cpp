#include "api/dependencies.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "lib/jdl/given.hpp"
#include "lib/store/changes.hpp"
#include "lib/store/events.hpp"

#include "api/readership.hpp"

namespace gleaner::api {
namespace {

tl::unexpected<http::Response> wrong(std::string_view key, std::string message) {
  const auto whole = fmt::format("{}: {}", key, message);
  const std::vector<jdl::Problem> problems{{{}, std::string{key}, {}, std::move(message)}};
  return tl::unexpected{error(whole, problems)};
}

}  // namespace

Asked<std::vector<store::NewDependency>> dependencies_of(const Call& call, store::Transaction& transaction, const jdl::CampaignFile& file,
                                                         std::int64_t tasks, SubmissionMode mode, grid::CampaignId self) {
  std::vector<store::NewDependency> dependencies;
  for (const auto& one : file.dependencies) {
    const auto key = name_of(one.kind);
    store::NewDependency found{.kind = one.kind};
    if (const auto* name = std::get_if<std::string>(&one.on)) {
      const auto id = store::find_campaign(transaction, call.caller.user, *name, self);
      if (!id)
        return wrong(key,
                     fmt::format("you have no campaign '{}' that is not cancelled; write its name, or its number", jdl::excerpt(*name)));
      found.on = *id;
    } else {
      found.on = std::get<grid::CampaignId>(one.on);
    }
    if (found.on == jdl::kNotSubmittedYet && mode == SubmissionMode::check_only) continue;
    if (std::ranges::find(dependencies, found.on, &store::NewDependency::on) != dependencies.end())
      return wrong(key, fmt::format("campaign {} is named twice, by its name and its number", found.on.value()));
    dependencies.push_back(found);
  }
  if (dependencies.empty()) return dependencies;
  const auto readership = readership_of(call, transaction);
  for (const auto& one : dependencies) {
    const auto owner = store::views::owner(transaction, {.campaign = one.on.value()});
    if (owner && !readership.may_read(owner->user, owner->project))
      return wrong(name_of(one.kind), fmt::format("campaign {} is not yours to read (read_access = {}), so none of yours can wait for it",
                                                  one.on.value(), process::name_of(call.config.read_access)));
  }
  std::vector<std::string> clusters;
  for (const auto& section : file.clusters) clusters.push_back(section.name);
  for (const auto& one : dependencies) {
    if (one.kind != grid::DependencyKind::after_each || file.any_cluster) continue;
    const auto unseen = store::unseen_clusters(transaction, one.on, clusters);
    if (!unseen.empty())
      return wrong(
          name_of(one.kind),
          fmt::format("campaign {} has tasks on {}, where no task of this campaign could find their files: add {} to its clusters, "
                      "or write \"after_each_cluster\": \"any\" if its tasks need no files of there",
                      one.on.value(), fmt::join(unseen, ", "), unseen.size() == 1 ? "it" : "them"));
  }
  if (!file.given.empty()) {
    std::vector<jdl::Giver> givers;
    for (const auto& one : dependencies) {
      if (one.kind != grid::DependencyKind::after_each) continue;
      const auto giver = store::submitted_campaign(transaction, one.on);
      const auto given = giver ? jdl::from_json(giver->jdl) : tl::unexpected{std::string{}};
      givers.push_back({.campaign = one.on, .names = given ? given->gives : std::vector<std::string>{}});
    }
    // The others are not submitted yet.
    const auto is_each = [](const auto& one) { return one.kind == grid::DependencyKind::after_each; };
    if (std::ranges::count_if(file.dependencies, is_each) == std::ssize(givers)) {
      if (auto why = jdl::not_given(file, givers)) return wrong("given", std::move(*why));
    }
  }
  if (auto found = store::wrong_dependency(transaction, tasks, dependencies)) return wrong(name_of(found->kind), std::move(found->why));
  if (auto found = store::crowded_dependency(transaction, call.caller.user, call.config.max_dependents, dependencies))
    return wrong(name_of(found->kind), std::move(found->why));
  return dependencies;
}

std::string waiting_in_vain_text(std::span<const store::InVain> all) {
  std::vector<std::int64_t> waiting;
  std::string parts;
  for (const auto& one : all) {
    if (one.tasks.empty()) waiting.push_back(one.campaign.value());
    else
      parts +=
          fmt::format("; tasks {}{} of campaign {} wait for cancelled ones, and cannot run any more: {}", one.tasks,
                      one.unnamed > 0 ? fmt::format(" and {} more", one.unnamed) : "", one.campaign.value(), store::cancellation_of(one));
  }
  if (waiting.empty()) return parts;
  const bool is_one = waiting.size() == 1;
  return fmt::format("; {} {} wait{} for it, and cannot end any more: 'griddel {}' cancels {}{}", is_one ? "campaign" : "campaigns",
                     fmt::join(waiting, ", "), is_one ? "s" : "", fmt::join(waiting, " "), is_one ? "it" : "them", parts);
}

std::string report_waiting_in_vain(const Call& call, store::Transaction& transaction, grid::CampaignId cancelled, store::Gone gone) {
  return waiting_in_vain_text(store::note_waiting_in_vain(transaction, cancelled, gone, call.now));
}

}  // namespace gleaner::api
