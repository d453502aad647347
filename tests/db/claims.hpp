#pragma once
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <string>

#include "metascheduler/planner/decision.hpp"

/// The claims of the planner's sentences, as conditions on the database. A reason without a condition does not compile (std::visit).
namespace gleaner::tests {

/// SQL that is true where the reason is. It is read after the cycle that decided so.
struct Claim {
  std::int64_t campaign;
  std::int64_t cluster;
  grid::Instant now;

  using Text = std::string;

  Text operator()(const planner::reason::Launched& why) const {
    const auto* offer = std::get_if<planner::bound::Offer>(&why.bound);
    return fmt::format("{} > 0 AND {}", jobs("state = 'planned'"), offer ? of(offer->parts) : "true");
  }
  Text operator()(const planner::reason::Paused&) const { return of_campaign("state = 'paused'"); }
  Text operator()(const planner::reason::CampaignBraked& why) const { return braked(why.brake, campaign, std::nullopt); }
  Text operator()(const planner::reason::Awaits& why) const {
    return fmt::format("{} AND {}", waits_for(why.awaited), awaited(why.awaited));
  }
  Text operator()(const planner::reason::AwaitsTasks& why) const {
    return fmt::format("{} AND {} AND {} AND {} = {}", waits_for(why.awaited), awaited(why.awaited),
                       of_campaign(fmt::format("waiting = {} AND next_task + skipped = total", why.tasks)), live(), why.live_jobs);
  }
  Text operator()(const planner::reason::TasksHeld& why) const {
    return fmt::format(
        "{} AND {} = {} AND {} AND EXISTS (SELECT FROM returned_tasks WHERE campaign_id = {} AND held_by = '{}' AND held_at = instant({}))",
        of_campaign(fmt::format("held = {0} AND waiting = {0} AND next_task + skipped = total", why.tasks)), live(), why.live_jobs, "true",
        campaign, why.hold.by, why.hold.since.time_since_epoch().count());
  }
  Text operator()(const planner::reason::BagEmpty& why) const {
    const auto tasks = fmt::format("{} = {} AND (replicas AND type <> 'test') = {}", kUnsettled, why.unsettled_tasks, why.may_replicate);
    return fmt::format("{} AND {} AND {} = {}", in_the_bag("= 0"), of_campaign(tasks), live(), why.live_jobs);
  }
  Text operator()(const planner::reason::EpiloguesLeft& why) const {
    return fmt::format(
        "{} AND (SELECT string_agg(k.name, ', ' ORDER BY k.id) FROM campaign_clusters p JOIN clusters k ON k.id = p.cluster_id "
        "WHERE p.campaign_id = {} AND p.epilogue <> '') = '{}' AND {} = 0",
        of_campaign(fmt::format("{} = 0 AND state = 'in_treatment'", kUnsettled)), campaign, fmt::join(why.clusters, ", "),
        why.obstacles.size());
  }
  Text operator()(const planner::reason::NoCluster&) const {
    return fmt::format("NOT EXISTS (SELECT FROM campaign_clusters WHERE campaign_id = {})", campaign);
  }
  Text operator()(const planner::reason::Frozen& why) const {
    return fmt::format("{} = {} AND {}", jobs("state = 'unknown'"), why.frozen_jobs, in_the_bag("= 0"));
  }
  Text operator()(const planner::reason::ClusterDisabled&) const { return of_cluster("NOT enabled"); }
  Text operator()(const planner::reason::ClusterRetired&) const { return of_cluster("retired_at IS NOT NULL"); }
  Text operator()(const planner::reason::Unreachable&) const { return of_cluster("reachable IS NOT TRUE"); }
  Text operator()(const planner::reason::StaleStatus&) const {
    return status(fmt::format("time < instant({}) - interval '1 minute'", now.time_since_epoch().count()));
  }
  Text operator()(const planner::reason::NoResources& why) const {
    return fmt::format("{} AND {}", status("max_resources = 0"), out_of_use(why.out));
  }
  Text operator()(const planner::reason::ClusterBraked& why) const { return braked(why.brake, std::nullopt, cluster); }
  Text operator()(const planner::reason::PairBraked& why) const { return braked(why.brake, campaign, cluster); }
  Text operator()(const planner::reason::NotMapped& why) const {
    return fmt::format("{} AND EXISTS (SELECT FROM logins WHERE campaign_id = {} AND cluster_id = {} AND login !~ '^[A-Za-z0-9_]+$')",
                       of_campaign(fmt::format("user_name = '{}'", why.user)), campaign, cluster);
  }
  Text operator()(const planner::reason::NoToken& why) const {
    return fmt::format("{} AND {} AND NOT EXISTS (SELECT FROM cluster_tokens WHERE cluster_id = {})",
                       of_campaign(fmt::format("user_name = '{}'", why.user)), of_cluster("authentication = 'token'"), cluster);
  }
  Text operator()(const planner::reason::TooBig& why) const {
    return fmt::format("{} AND {} AND {}", of_pair(fmt::format("resources_per_job = {}", why.resources_per_job)),
                       status(fmt::format("max_resources = {} AND max_resources < {}", why.max_resources, why.resources_per_job)),
                       out_of_use(why.out));
  }
  Text operator()(const planner::reason::ScriptFirst& why) const {
    const auto of_prologue = [&](const char* states) {
      return fmt::format("EXISTS (SELECT FROM tasks WHERE campaign_id = {0} AND number = prologue_on({1}) AND state IN ({2}))", campaign,
                         cluster, states);
    };
    switch (why.preparation) {
      case grid::Preparation::prologue_due: return of_prologue("'launching'");  // it is sent in the same cycle
      case grid::Preparation::prologue_runs: return of_prologue("'launching', 'submitted', 'running'");
      case grid::Preparation::prologue_failed: return of_prologue("'failed'");
      default: return "false";
    }
  }
  Text operator()(const planner::reason::InputsFirst& why) const {
    return fmt::format(
        "EXISTS (SELECT FROM missing_inputs WHERE campaign_id = {0} AND cluster_id = {1} AND input_bytes = {2}) AND "
        "EXISTS (SELECT FROM inputs_to_send WHERE campaign_id = {0} AND cluster_id = {1})",
        campaign, cluster, why.bytes);
  }
  Text operator()(const planner::reason::NoTaskFits& why) const {
    return fmt::format("{} AND NOT EXISTS (SELECT FROM campaign_requests WHERE campaign_id = {} AND cluster_id = {})",
                       of_campaign(fmt::format("total - next_task - skipped = {}", why.tasks)), campaign, cluster);
  }
  Text operator()(const planner::reason::TestAlreadyGiven& why) const {
    return fmt::format("{} AND {} = {} AND {}", of_campaign("type = 'test'"), live(), why.live_jobs,
                       of_pair(fmt::format("concluded = {}", why.concluded_jobs)));
  }
  Text operator()(const planner::reason::MaxJobsReached& why) const {
    return fmt::format("{} AND {} = {} AND {} = {}", of_pair(fmt::format("max_jobs = {}", why.max_jobs)), live(), why.live_jobs,
                       jobs("state = 'unknown'"), why.frozen_jobs);
  }
  Text operator()(const planner::reason::LimitReached& why) const {
    return fmt::format("{} AND EXISTS (SELECT FROM limits WHERE id = {} AND most = {} AND most <= {}) AND {} = {}", why.limit.fits_one_job,
                       why.limit.id, why.limit.most, live(), live(), why.limit.used);
  }
  Text operator()(const planner::reason::UnderStress& why) const {
    return fmt::format("EXISTS (SELECT FROM cluster_stress WHERE cluster_id = {} AND job_limit = {} AND reason = '{}') AND {} = {}",
                       cluster, why.job_limit, why.signals, live(), why.our_jobs);
  }
  Text operator()(const planner::reason::FileServerFull& why) const {
    return fmt::format("{} AND {} AND {} = {} AND {} * {} = {}", of_cluster(fmt::format("file_server_mb_s = {}", why.server.bears)),
                       of_pair(fmt::format("io_mb / io_wall_s = {}", why.server.of_job.value())), live(), why.live_jobs, live(),
                       why.server.of_job.value(), why.server.load);
  }
  Text operator()(const planner::reason::Probing& why) const {
    return fmt::format("{} AND {} = {} AND {} >= {}", of_pair("done = 0"), live(), why.live_jobs, live(), why.probe_jobs);
  }
  Text operator()(const planner::reason::Unjudged& why) const {
    return fmt::format("{} AND {} = {}", of_pair(fmt::format("done = {} AND duration_sum / done < 5", why.done)), live(), why.live_jobs);
  }
  Text operator()(const planner::reason::OnTrial& why) const {
    return fmt::format("{} AND {} = {}", of_pair(fmt::format("failures_in_a_row = {}", why.failures)), live(), why.live_jobs);
  }
  Text operator()(const planner::reason::FewMatch& why) const {
    return fmt::format("{} AND {} AND {} = {}", of_pair(fmt::format("matching_resources = {}", why.matching_resources)),
                       status(fmt::format("max_resources = {}", why.max_resources)), live(), why.live_jobs);
  }
  Text operator()(const planner::reason::WidthUnknown& why) const {
    return fmt::format("{} AND {} = {}", of_pair("resources_per_job IS NULL AND resources_jobs = 0"), live(), why.live_jobs);
  }
  Text operator()(const planner::reason::NoFreeResources& why) const { return fmt::format("{} AND {}", of(why.parts), status("free = 0")); }
  Text operator()(const planner::reason::KeptForLocal& why) const {
    return fmt::format("{} AND {}", of(why.parts), status(fmt::format("free <= {}", why.parts.kept_resources)));
  }
  Text operator()(const planner::reason::KeptForOthers& why) const {
    return fmt::format("{} AND EXISTS (SELECT FROM keeps WHERE cluster_id = {} AND name = '{}' AND resources = {})", of(why.parts), cluster,
                       why.keeps.at(0).name, why.keeps.at(0).resources);
  }
  Text operator()(const planner::reason::ReservedInOar& why) const {
    return fmt::format("{} AND {} AND {}", of(why.parts), why.from < why.until && why.needed_before > 0,
                       of_cluster(fmt::format("advance_reservations LIKE '%x{}'", why.reserved_resources)));
  }
  Text operator()(const planner::reason::NodesAsleep& why) const {
    return fmt::format("{} AND {} AND EXISTS (SELECT FROM named_nodes WHERE cluster_id = {} AND asleep_sizes <> '')", of(why.parts),
                       of_cluster(fmt::format("wake_minutes = {}", why.wake_minutes)), cluster);
  }
  Text operator()(const planner::reason::BusyWithoutJob& why) const {
    return fmt::format("{} AND {}", of(why.parts), of_cluster(fmt::format("loaded_resources >= {}", why.parts.free_resources)));
  }
  Text operator()(const planner::reason::NotEnoughResources& why) const {
    return fmt::format("{} AND {}", of(why.parts), status(fmt::format("free > 0 AND free < {}", why.job_resources)));
  }
  Text operator()(const planner::reason::NoNodeFree& why) const {
    return fmt::format("{} AND {} AND {}", of(why.parts), status(fmt::format("free >= {}", why.job_resources)),
                       of_cluster(fmt::format("substring(free_nodes FROM '^[0-9]+')::integer < {}", why.job_resources)));
  }
  Text operator()(const planner::reason::Reserved& why) const {
    return fmt::format("{} AND {} AND {} > 0", of(why.parts), status(fmt::format("free < {}", why.job_resources)), (why.at - now).count());
  }
  Text operator()(const planner::reason::HeldForReservation& why) const {
    return fmt::format(
        "{} AND EXISTS (SELECT FROM campaign_clusters WHERE campaign_id = {} AND cluster_id = {} AND resources_per_job = {})",
        status(fmt::format("free = {} AND max_resources = {}", why.free_resources, why.max_resources)), why.holder.value(), cluster,
        why.held_resources);
  }
  Text operator()(const planner::reason::Preempting& why) const {
    return fmt::format(
        "{} AND EXISTS (SELECT FROM kill_requests k JOIN jobs j ON j.id = k.job_id JOIN campaigns c ON c.id = j.campaign_id "
        "WHERE j.cluster_id = {} AND c.priority = 7)",
        of(why.parts), cluster);
  }
  Text operator()(const planner::reason::PreemptingForFirst& why) const {
    return fmt::format(
        "{} AND {} AND EXISTS (SELECT FROM kill_requests k JOIN jobs j ON j.id = k.job_id JOIN campaigns c ON c.id = j.campaign_id "
        "WHERE j.cluster_id = {} AND c.user_name <> (SELECT user_name FROM campaigns WHERE id = {}))",
        of(why.parts), status(fmt::format("max_resources = {}", why.part_resources * static_cast<double>(why.users))), cluster, campaign);
  }
  Text operator()(const planner::reason::EarlierCampaigns& why) const {
    return fmt::format("(SELECT sum(resources) FROM launches WHERE campaign_id = {} AND cluster_id = {} AND planned_at = instant({})) = {}",
                       why.takers.ids.at(0), cluster, now.time_since_epoch().count(), why.taken_resources);
  }
  /// Other clusters got all that was left.
  Text operator()(const planner::reason::TasksElsewhere&) const {
    return fmt::format("{} AND EXISTS (SELECT FROM jobs WHERE campaign_id = {} AND cluster_id <> {} AND state = 'planned')",
                       in_the_bag("= 0"), campaign, cluster);
  }
  Text operator()(const planner::reason::TasksReserved& why) const { return bound_elsewhere(why.tasks); }
  Text operator()(const planner::reason::TasksKept& why) const {
    return fmt::format("{} AND {} AND EXISTS (SELECT FROM returned_tasks WHERE campaign_id = {} AND fence IS NULL)",
                       bound_elsewhere(why.tasks + why.others), of_campaign("checkpoint_cost_s > 0"), campaign);
  }
  Text operator()(const planner::reason::TasksFollow& why) const {
    return fmt::format("{} AND (SELECT bool_and(r.follows AND k.name = '{}') FROM returned_tasks r JOIN clusters k ON k.id = r.cluster_id)",
                       bound_elsewhere(why.tasks + why.others), fmt::join(why.clusters, ", "));
  }
  Text operator()(const planner::reason::EndsUnread& why) const {
    return fmt::format("(SELECT count(*) FROM jobs WHERE campaign_id = {} AND cluster_id = {} AND state = 'pooled') = {} AND {} = 0",
                       campaign, cluster, why.tasks, live());
  }
  Text operator()(const planner::reason::PoolsUnderWay& why) const {
    return fmt::format("{} = {} AND {} AND {}", live(), why.live_jobs, of_campaign("temporal_grouping <> 'false'"), status("free = 0"));
  }

 private:
  static constexpr std::string_view kUnsettled = "total - done - failed - cancelled";

  [[nodiscard]] Text of_campaign(const std::string& condition) const {
    return fmt::format("(SELECT {} FROM campaigns WHERE id = {})", condition, campaign);
  }
  [[nodiscard]] Text of_cluster(const std::string& condition) const {
    return fmt::format("(SELECT {} FROM clusters WHERE id = {})", condition, cluster);
  }
  [[nodiscard]] Text of_pair(const std::string& condition) const {
    return fmt::format("(SELECT {} FROM campaign_clusters WHERE campaign_id = {} AND cluster_id = {})", condition, campaign, cluster);
  }
  [[nodiscard]] Text status(const std::string& condition) const {
    return fmt::format("(SELECT {} FROM gridstatus WHERE cluster_id = {} AND reachable ORDER BY time DESC LIMIT 1)", condition, cluster);
  }
  [[nodiscard]] Text of(const planner::OfferParts& parts) const {
    return status(fmt::format("max_resources = {} AND free = {}", parts.max_resources, parts.free_resources));
  }
  [[nodiscard]] Text out_of_use(const grid::OutOfUse& out) const {
    return of_cluster(
        fmt::format("coalesce(suspected_resources, 0) = {} AND coalesce(absent_resources, 0) = {} AND coalesce(dead_resources, 0) = {}",
                    out.suspected_resources, out.absent_resources, out.dead_resources));
  }
  [[nodiscard]] Text jobs(const std::string& condition) const {
    const auto where = cluster > 0 ? fmt::format(" AND cluster_id = {}", cluster) : std::string{};
    return fmt::format("(SELECT count(*) FROM jobs WHERE campaign_id = {}{} AND NOT pooled AND NOT is_script(task) AND {})", campaign,
                       where, condition);
  }
  [[nodiscard]] Text live() const { return jobs("is_live(state) AND state <> 'unknown'"); }
  [[nodiscard]] Text in_the_bag(const std::string& condition) const {
    return fmt::format(
        "(SELECT total - next_task - skipped + (SELECT count(*) FROM returned_tasks WHERE campaign_id = {0} AND number >= 0) {1} "
        "FROM campaigns WHERE id = {0})",
        campaign, condition);
  }
  /// A brake on the campaign, on the cluster, or on both.
  [[nodiscard]] static Text braked(const planner::Brake& brake, std::optional<std::int64_t> campaign, std::optional<std::int64_t> cluster) {
    const auto is = [](std::optional<std::int64_t> id) { return id ? fmt::format("= {}", *id) : std::string{"IS NULL"}; };
    return fmt::format("EXISTS (SELECT FROM brakes WHERE campaign_id {} AND cluster_id {} AND reason = '{}' AND expires_at = instant({}))",
                       is(campaign), is(cluster), brake.reason, brake.until->time_since_epoch().count());
  }
  [[nodiscard]] Text waits_for(const grid::Awaited& other) const {
    return fmt::format("EXISTS (SELECT FROM dependencies WHERE campaign_id = {} AND on_campaign = {} AND kind = '{}' AND met_at IS NULL)",
                       campaign, other.campaign.value(), grid::name_of(other.kind));
  }
  [[nodiscard]] static Text awaited(const grid::Awaited& other) {
    return fmt::format("(SELECT total = {} AND {} = {} AND failed = {} AND cancelled = {} FROM campaigns WHERE id = {})", other.tasks,
                       kUnsettled, other.left, other.failed, other.cancelled, other.campaign.value());
  }
  [[nodiscard]] Text bound_elsewhere(std::int64_t tasks) const {
    return fmt::format("{} AND (SELECT count(*) FROM returned_tasks WHERE campaign_id = {} AND cluster_id <> {}) = {}",
                       in_the_bag(fmt::format("= {}", tasks)), campaign, cluster, tasks);
  }
};

}  // namespace gleaner::tests
