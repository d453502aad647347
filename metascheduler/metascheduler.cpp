#include "metascheduler/metascheduler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "lib/fleet/fleet.hpp"
#include "lib/intake/request_freed.hpp"
#include "lib/process/failpoint.hpp"
#include "lib/store/batch.hpp"
#include "lib/store/dependencies.hpp"
#include "lib/store/epochs.hpp"
#include "lib/store/events.hpp"
#include "lib/store/inputs.hpp"
#include "lib/store/policies.hpp"
#include "lib/store/replicas.hpp"
#include "lib/store/scripts.hpp"
#include "metascheduler/decided.hpp"
#include "metascheduler/facts_of.hpp"
#include "metascheduler/plan_of.hpp"
#include "metascheduler/submitted_of.hpp"

namespace gleaner::metascheduler {
namespace {

/// Tasks that other campaigns release are put into bags for so long; the rest comes in the next cycle.
constexpr std::chrono::seconds kPatienceForReleases{2};

using PairKey = std::pair<grid::CampaignId, grid::ClusterId>;

/// Corrects what was submitted: a bag may have held less than was planned.
void keep_to(const std::map<PairKey, int>& got, std::vector<store::Submitted>& submitted) {
  for (auto& one : submitted) {
    const auto found = got.find({one.campaign, one.cluster});
    one.jobs = found == got.end() ? 0 : found->second;
    if (one.jobs == 0) one.offered = 0;
  }
}

/// Campaigns that cannot be planned get an event and a brake, because each cycle that tries one costs several plans.
class Aside {
 public:
  Aside(store::Transaction& transaction, const process::Config& config, grid::Instant now)
      : transaction_{transaction}, config_{config}, now_{now} {}

  /// Opens its event and sets its brake, unless it has one.
  void set(SetAside& campaign) {
    campaigns_.push_back(campaign.campaign);
    campaign.why = fmt::format("the campaign cannot be planned: {}", campaign.why);
    if (campaign.until) return;
    const store::Target target{.campaign = campaign.campaign, .cluster = {}};
    store::open_event(transaction_, {.code = store::kCannotPlan, .target = target, .job = {}, .message = campaign.why}, now_);
    const store::BrakeLength length{std::chrono::duration_cast<grid::Seconds>(config_.brake_time),
                                    std::chrono::duration_cast<grid::Seconds>(config_.brake_time_max)};
    store::write_or_note(transaction_, target, "its brake", now_,
                         [&] { campaign.until = store::set_brake(transaction_, target, campaign.why, length, now_); });
  }

  /// Closes the events of campaigns that got their plan.
  void settle(const grid::PlanningFacts& facts) {
    if (!facts.present.set_aside) return;
    std::vector<grid::CampaignId> planned;
    for (const auto& campaign : facts.campaigns) {
      if (!campaign.brake && std::ranges::find(campaigns_, campaign.id) == campaigns_.end()) planned.push_back(campaign.id);
    }
    store::write_or_note(transaction_, {}, "that campaigns can be planned again", now_,
                         [&] { store::note_planned(transaction_, planned, now_); });
  }

  [[nodiscard]] int count() const { return static_cast<int>(campaigns_.size()); }

 private:
  store::Transaction& transaction_;
  const process::Config& config_;
  grid::Instant now_;
  std::vector<grid::CampaignId> campaigns_;
};

/// Plans, and writes what was decided and why.
Counts carry_out(const grid::PlanningFacts& facts, const process::Config& config, store::Transaction& transaction, store::Term term,
                 grid::Instant now) {
  Counts counts;
  auto [plan, unplanned] = plan_of(facts, config, now);
  Aside aside{transaction, config, now};
  for (auto& campaign : unplanned) {
    aside.set(campaign);
    take_out(plan, campaign);
  }
  aside.settle(facts);
  std::map<PairKey, int> got;
  for (const auto& launch : plan.launches) {
    const int jobs = store::plan_launch(transaction,
                                        {.campaign = launch.campaign,
                                         .cluster = launch.cluster,
                                         .jobs = launch.jobs,
                                         .pooled = launch.pooled,
                                         .pool = std::chrono::ceil<grid::Seconds>(config.pool_duration),
                                         .resources = launch.resources,
                                         .leaves = launch.leaves},
                                        term, now);
    got[{launch.campaign, launch.cluster}] += jobs;
    counts.jobs += jobs;
    ++counts.launches;
  }
  for (const auto& replicas : plan.replicas) {
    counts.jobs += store::plan_replicas(transaction,
                                        {.campaign = replicas.campaign,
                                         .cluster = replicas.cluster,
                                         .jobs = replicas.jobs,
                                         .longer_than = longer_than(replicas, facts),
                                         .beside = replicas.place == planner::ReplicaPlace::other_node,
                                         .leaves = replicas.leaves},
                                        term, now);
  }
  for (const auto& pair : facts.scripts) {
    const auto script = grid::script_to_run(pair.facts);
    if (!script) continue;
    const int jobs = store::plan_script(transaction, pair, *script, term, now);
    counts.jobs += jobs;
    counts.launches += jobs;
  }
  std::vector<store::WantedInputs> wanted;
  for (const auto& inputs : plan.inputs) wanted.push_back({inputs.campaign, inputs.cluster, inputs.tasks});
  store::want_inputs(transaction, wanted, now);
  for (const auto& preemption : plan.preemptions) {
    store::write_or_note(transaction, {.campaign = preemption.campaign, .cluster = preemption.cluster},
                         fmt::format("the preemption of {} jobs", preemption.jobs), now,
                         [&] { store::preempt_jobs(transaction, preemption.campaign, preemption.cluster, preemption.jobs, now); });
  }
  const auto held = planner::held_by(plan);
  if (held != facts.policies.held) store::hold_resources(transaction, held, now);
  auto submitted = submitted_of(plan, facts);
  keep_to(got, submitted);
  store::write_submitted(transaction, submitted, now);
  const Decided decided{plan};
  const auto order = stored_order(plan, config);
  store::write_decisions(
      transaction, decided.digests(), [&](grid::CampaignId campaign) { return decided.rows(campaign); }, &order, now);
  counts.campaigns = static_cast<int>(facts.campaigns.size());
  counts.set_aside = aside.count();
  return counts;
}

}  // namespace

std::string Counts::summary() const {
  return fmt::format("campaigns={} launches={} jobs={} set_aside={} released={}", campaigns, launches, jobs, set_aside, released);
}

Counts run_once(const process::Config& config, store::Database& database, store::Term term, grid::Instant now) {
  Counts counts;
  std::optional<store::Released> released;
  const auto plan_turn = [&](store::Transaction& transaction) {
    counts = {};
    if (!fleet::is_sole_turn(config, transaction, store::Database::Work::plan) || store::is_recovering(transaction, now)) return;
    const auto facts = facts_of(transaction, config, now);
    if (facts.present.freed && !released) {
      released.emplace();
      return;
    }
    counts = carry_out(facts, config, transaction, term, now);
    process::failpoint("metascheduler.before_commit");
  };
  store::transact(database, term, plan_turn);
  if (released) {
    const auto set_aside = [&](const store::ToRelease& one, const std::string& why) {
      store::transact(database, term, [&](store::Transaction& transaction) {
        SetAside campaign{
            .campaign = one.campaign,
            .why = fmt::format("its tasks that come after those of campaign {} cannot be put into its bag: {}", one.on.value(), why)};
        Aside{transaction, config, now}.set(campaign);
      });
    };
    released = store::release_freed(database, term, kPatienceForReleases, now, intake::request_freed, set_aside);
    store::transact(database, term, plan_turn);
    counts.released = released->tasks;
  }
  process::failpoint("metascheduler.after_commit");
  return counts;
}

}  // namespace gleaner::metascheduler
