#include "lib/store/cannot_end.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "lib/store/dependencies.hpp"
#include "lib/store/detail.hpp"

namespace gleaner::store {
namespace {

using detail::exec;

/// A chain of campaigns is followed so far.
constexpr int kMostLinks = 100;

std::string why(Transaction& transaction, grid::CampaignId campaign, int links);

/// Why what the campaign waits for does not become done. Empty: it may.
std::string stuck_on(const grid::Awaited& other, grid::CampaignId campaign) {
  const auto on = other.campaign.value();
  const auto remedy = fmt::format("cancel it ('griddel {}'), and submit it again", campaign.value());
  if (!other.state) return fmt::format("it waits for campaign {}, which was deleted: {}", on, remedy);
  if (!is_stuck(other)) return {};
  if (*other.state == grid::CampaignState::cancelled) return fmt::format("it waits for campaign {}, which was cancelled: {}", on, remedy);
  if (other.cancelled > 0)
    return fmt::format("it waits for campaign {}, of which {} cancelled: {}", on,
                       other.cancelled == 1 ? "1 task was" : fmt::format("{} tasks were", other.cancelled), remedy);
  return fmt::format("it waits for campaign {}, of which {} task{} failed: 'gridsub --retry {}' runs {} again", on, other.failed,
                     other.failed == 1 ? "" : "s", on, other.failed == 1 ? "it" : "them");
}

std::string through(Transaction& transaction, grid::CampaignId on, int links) {
  const auto because = links < kMostLinks ? why(transaction, on, links + 1) : std::string{};
  return because.empty() ? because : fmt::format("it waits for campaign {}, which cannot end: {}", on.value(), because);
}

struct Waiting {
  bool first = false;  ///< another campaign comes first, and may end
  std::string why;     ///< empty: it does not wait in vain
};

Waiting waits(Transaction& transaction, grid::CampaignId campaign, int links) {
  Waiting waiting;
  std::vector<grid::Awaited> each;
  for (const auto& one : open_dependencies(transaction, campaign)) {
    if (one.awaited.kind == grid::DependencyKind::after_each) {
      each.push_back(one.awaited);
      continue;
    }
    waiting.first = true;
    waiting.why = stuck_on(one.awaited, campaign);
    if (waiting.why.empty()) waiting.why = through(transaction, one.awaited.campaign, links);
    if (!waiting.why.empty()) return waiting;
  }
  if (each.empty()) return waiting;
  if (!*exec(transaction, sql::cannot_end_hoping{.campaign = campaign})[0].some) {
    for (const auto& other : each) {
      waiting.why = stuck_on(other, campaign);
      if (!waiting.why.empty()) return waiting;
    }
  }
  if (*exec(transaction, sql::cannot_end_ready{.campaign = campaign})[0].some) return waiting;
  waiting.first = true;
  for (const auto& other : each) {
    waiting.why = through(transaction, other.campaign, links);
    if (!waiting.why.empty()) return waiting;
  }
  return waiting;
}

struct Shut {
  std::vector<std::string> clusters;  ///< where nothing of the campaign starts, and why
  std::vector<std::string> names;     ///< of those with bound tasks
  std::vector<std::string> epilogues;
  bool open = false;  ///< a cluster takes tasks
};

std::string text_of(std::string_view shut, const std::string& cluster) {
  if (shut == "retired") return fmt::format("{} is retired", cluster);
  if (shut == "disabled") return fmt::format("{} is disabled", cluster);
  if (shut == "no_account") return fmt::format("its user has no account on {}", cluster);
  if (shut == "prologue_failed") return fmt::format("its prologue failed on {} ('gridsub --fix' of its event runs it again)", cluster);
  if (shut == "off") return fmt::format("it does not use {} (max_jobs is 0)", cluster);
  return fmt::format("a test has one job on each cluster, and {} had it", cluster);
}

Shut shut_of(Transaction& transaction, grid::CampaignId campaign) {
  Shut shut;
  for (const auto& row : exec(transaction, sql::cannot_end_clusters{.campaign = campaign})) {
    const auto name = row.name.as<std::string>();
    if (!row.shut.has_value()) {
      shut.open = true;
      continue;
    }
    shut.clusters.push_back(text_of(row.shut.as<std::string>(), name));
    if (*row.bound) shut.names.push_back(name);
    if (row.epilogue.value_or(false)) shut.epilogues.push_back(shut.clusters.back());
  }
  return shut;
}

std::string why(Transaction& transaction, grid::CampaignId campaign, int links) {
  const auto found = exec(transaction, sql::cannot_end_campaign{.campaign = campaign});
  if (found.empty() || *found[0].moves || *found[0].held) return {};
  const auto id = campaign.value();
  if (*found[0].failed)
    return fmt::format(
        "more tasks failed than its max_fails allows, which paused it: 'gridsub --resume {}' goes on, 'griddel {}' cancels it", id, id);
  const bool has_tasks = found[0].waiting.as<std::int64_t>() > 0;
  if (has_tasks) {
    const auto waiting = waits(transaction, campaign, links);
    if (waiting.first || !waiting.why.empty()) return waiting.why;
  }
  const auto shut = shut_of(transaction, campaign);
  if (!has_tasks) {
    if (shut.epilogues.empty()) return {};
    return fmt::format("its epilogue is due, and cannot run: {}; its administrators can change that, 'griddel {}' cancels it",
                       fmt::join(shut.epilogues, ", "), id);
  }
  const bool is_bound = shut.open && !shut.names.empty() &&
                        *exec(transaction, sql::cannot_end_bound{.shut = detail::text_array(shut.names), .campaign = campaign})[0].whole;
  if (shut.open && !is_bound) return {};
  return fmt::format("{}: {}; 'griddel {}' cancels it",
                     is_bound ? "the tasks left can run nowhere else" : "none of its clusters takes its tasks",
                     shut.clusters.empty() ? std::string{"there are none"} : fmt::format("{}", fmt::join(shut.clusters, ", ")), id);
}

}  // namespace

std::string cannot_end(Transaction& transaction, grid::CampaignId campaign) { return why(transaction, campaign, 0); }

}  // namespace gleaner::store
