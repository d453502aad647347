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

Stuck stuck(Transaction& transaction, grid::CampaignId campaign, int links);

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

Stuck through(Transaction& transaction, grid::CampaignId on, int links) {
  auto because = links < kMostLinks ? stuck(transaction, on, links + 1) : Stuck{};
  if (!because.why.empty()) because.why = fmt::format("it waits for campaign {}, which cannot end: {}", on.value(), because.why);
  return because;
}

struct Waiting {
  bool first = false;  ///< another campaign comes first, and may end
  Stuck stuck;         ///< on what it waits for
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
    waiting.stuck = {.why = stuck_on(one.awaited, campaign)};
    if (waiting.stuck.why.empty()) waiting.stuck = through(transaction, one.awaited.campaign, links);
    if (!waiting.stuck.why.empty()) return waiting;
  }
  const auto withheld = withheld_tasks(transaction, campaign);
  if (withheld && !*exec(transaction, sql::cannot_end_hoping{.campaign = campaign})[0].some) {
    waiting.first = true;
    waiting.stuck = {.why = withheld->text(campaign)};
    return waiting;
  }
  if (each.empty()) return waiting;
  if (!*exec(transaction, sql::cannot_end_hoping{.campaign = campaign})[0].some) {
    for (const auto& other : each) {
      waiting.stuck = {.why = stuck_on(other, campaign)};
      if (!waiting.stuck.why.empty()) return waiting;
    }
  }
  if (*exec(transaction, sql::cannot_end_ready{.campaign = campaign})[0].some) return waiting;
  waiting.first = true;
  for (const auto& other : each) {
    waiting.stuck = through(transaction, other.campaign, links);
    if (!waiting.stuck.why.empty()) return waiting;
  }
  return waiting;
}

/// Clusters where nothing of a campaign starts.
struct Shut {
  std::vector<std::string> texts;  ///< why
  bool may_pass = false;           ///< one of them opens again without the campaign's user

  void add(std::string text, bool opens_again) {
    texts.push_back(std::move(text));
    may_pass = may_pass || opens_again;
  }
};

struct Clusters {
  bool open = false;  ///< one takes tasks
  Shut shut;
  Shut bound;                      ///< to which tasks are bound
  std::vector<std::string> names;  ///< of those
  Shut epilogues;                  ///< where the epilogue is due
};

constexpr std::string_view kToken{"token_"};  ///< and the name of a grid::TokenFault

std::string text_of(std::string_view shut, const std::string& cluster, grid::CampaignId campaign) {
  if (shut == "retired") return fmt::format("{} is retired", cluster);
  if (shut == "disabled") return fmt::format("{} is disabled", cluster);
  if (shut == "no_account") return fmt::format("its user has no account on {}", cluster);
  if (shut == "prologue_failed") return fmt::format("its prologue failed on {} ('gridsub --fix' of its event runs it again)", cluster);
  if (shut == "off") return fmt::format("it does not use {} (max_jobs is 0)", cluster);
  if (shut == "too_big")
    return fmt::format("{} has too few resources for one of its jobs ('gridsub --edit {} resources=...')", cluster, campaign.value());
  // Tasks with expressions have their requests since the submission, which no edit changes.
  if (shut == "no_task_fits") return fmt::format("{} has too few resources for each of its tasks", cluster);
  if (shut == "few_match")
    return fmt::format("too few resources of {} have the JDL's properties ('gridsub --edit {} properties=...')", cluster, campaign.value());
  if (shut == "limit_reached") return fmt::format("a limit allows less on {} than one of its jobs needs ('gridctl limit list')", cluster);
  if (shut == "kept_for_others")
    return fmt::format("so much of {} is kept for others that none of its jobs fits ('gridctl keep list')", cluster);
  if (shut == "token_unreadable") return fmt::format("the grid cannot read the token of its user for {0} ('gridtoken add {0}')", cluster);
  if (shut.starts_with(kToken))
    return fmt::format("the token of its user for {0} {1} ('gridtoken add {0}')", cluster,
                       shut == "token_refused" ? "is refused there"
                       : shut == "token_ended" ? "ended"
                                               : "is missing");
  return fmt::format("a test has one job on each cluster, and {} had it", cluster);
}

/// A token that was refused is tried again, and administrators can mend what keeps the grid from reading one.
bool opens_again(std::string_view shut) {
  return shut == "disabled" || shut == "too_big" || shut == "no_task_fits" || shut == "few_match" || shut == "limit_reached" ||
         shut == "kept_for_others" || shut == "token_refused" || shut == "token_unreadable";
}

Clusters clusters_of(Transaction& transaction, grid::CampaignId campaign) {
  Clusters clusters;
  for (const auto& row : exec(transaction, sql::cannot_end_clusters{.campaign = campaign})) {
    if (!row.shut.has_value()) {
      clusters.open = true;
      continue;
    }
    const auto name = row.name.as<std::string>();
    const auto shut = row.shut.as<std::string>();
    const auto text = text_of(shut, name, campaign);
    clusters.shut.add(text, opens_again(shut));
    if (row.epilogue.value_or(false)) clusters.epilogues.add(text, opens_again(shut));
    if (!*row.bound) continue;
    clusters.bound.add(text, opens_again(shut));
    clusters.names.push_back(name);
  }
  return clusters;
}

Stuck stuck(Transaction& transaction, grid::CampaignId campaign, int links) {
  const auto found = exec(transaction, sql::cannot_end_campaign{.campaign = campaign});
  if (found.empty() || *found[0].moves || *found[0].held) return {};
  const auto id = campaign.value();
  if (*found[0].failed)
    return {.why = fmt::format(
                "more tasks failed than its max_fails allows, which paused it: 'gridsub --resume {}' goes on, 'griddel {}' cancels it", id,
                id)};
  const bool has_tasks = found[0].waiting.as<std::int64_t>() > 0;
  if (has_tasks) {
    const auto waiting = waits(transaction, campaign, links);
    if (waiting.first || !waiting.stuck.why.empty()) return waiting.stuck;
  }
  const auto clusters = clusters_of(transaction, campaign);
  const auto& epilogues = clusters.epilogues;
  if (!has_tasks) {
    if (epilogues.texts.empty()) return {};
    return {.why = fmt::format("its epilogue is due, and cannot run: {}; its administrators can change that, 'griddel {}' cancels it",
                               fmt::join(epilogues.texts, ", "), id),
            .may_pass = epilogues.may_pass};
  }
  if (clusters.shut.texts.empty() && !clusters.open) return {.why = fmt::format("it has no cluster; 'griddel {}' cancels it", id)};
  const auto text_of_shut = [id](std::string_view what, const Shut& them) {
    return Stuck{.why = fmt::format("{}: {}; 'griddel {}' cancels it", what, fmt::join(them.texts, ", "), id), .may_pass = them.may_pass};
  };
  if (!clusters.open) return text_of_shut("none of its clusters takes its tasks", clusters.shut);
  const auto is_whole = [&]() -> bool {
    return *exec(transaction, sql::cannot_end_bound{.shut = detail::text_array(clusters.names), .campaign = campaign})[0].whole;
  };
  return clusters.names.empty() || !is_whole() ? Stuck{} : text_of_shut("the tasks left can run nowhere else", clusters.bound);
}

}  // namespace

Stuck cannot_end(Transaction& transaction, grid::CampaignId campaign) { return stuck(transaction, campaign, 0); }

}  // namespace gleaner::store
