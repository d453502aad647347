#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <string>

#include "lib/grid/sink.hpp"
#include "metascheduler/planner/decision.hpp"
#include "metascheduler/planner/explain_words.hpp"

namespace gleaner::planner {
namespace {

/// The bound that kept a launch from being bigger, and the change that would lift it.
struct BoundText {
  std::string operator()(const bound::Offer& by) const {
    return fmt::format("; they fill the {} resources offered ({}); more start when more are free", figure(by.offered_resources),
                       offer(by.parts));
  }
  std::string operator()(const bound::Bag&) const { return "; no other task waits"; }
  std::string operator()(const bound::Fitting&) const { return "; no other task that waits fits there"; }
  std::string operator()(const bound::MaxJobs& by) const {
    return fmt::format("; the JDL's max_jobs is {}; more start when jobs end, or with a larger max_jobs", by.max_jobs);
  }
  std::string operator()(const bound::OnePerCluster&) const { return "; a test campaign gets one job on each cluster"; }
  std::string operator()(const bound::Limit& by) const { return fmt::format("; {}; more start {}", by.text, by.remedy); }
  std::string operator()(const bound::Stress& by) const {
    return fmt::format(
        "; the cluster is under stress{} and takes at most {} of our jobs for now; more start when it answers and works faster",
        in_brackets(by.signals), by.job_limit);
  }
  std::string operator()(const bound::Probe&) const {
    return "; this is the probe; more start when it has shown how long tasks take there";
  }
  std::string operator()(const bound::Trial& by) const {
    return fmt::format("; this is the trial after {}; more start when it has succeeded, and if it fails, the campaign is braked there",
                       before_trial(by.failures, by.brake));
  }
  std::string operator()(const bound::Width&) const {
    return "; a limit counts resources, and how many a job takes there is known when this one has started; more start then";
  }
  std::string operator()(const bound::Matching& by) const {
    return fmt::format("; {} of the {} resources there have the properties that the JDL asks for, and hold no more", by.matching_resources,
                       by.max_resources);
  }
  std::string operator()(const bound::Pools&) const { return "; more start when these have taken their tasks"; }
  std::string operator()(const bound::Turn&) const {
    return "; this is its part of the resources, which campaigns share; more start when more are free";
  }
};

/// How far a campaign is for which another one waits, and what its user can do: `, of which 3 are not over`.
std::string state_of(const grid::Awaited& other) {
  const auto id = other.campaign.value();
  if (!other.state) return ", which was deleted: cancel this one, and submit it again";
  if (other.state == grid::CampaignState::cancelled) return ", which was cancelled: cancel this one, and submit it again";
  std::string text;
  if (other.state == grid::CampaignState::paused) text += ", which is paused";
  if (other.failed > 0)
    text += fmt::format(", of which {} failed, task {} first: 'gridsub --retry {}' runs {} again", counted(other.failed, "task"),
                        other.first_failed.value_or(0), id, other.failed == 1 ? "it" : "them");
  if (other.cancelled > 0)
    text += fmt::format(", of which {} cancelled: they are never done",
                        other.cancelled == 1 ? "1 task was" : fmt::format("{} tasks were", other.cancelled));
  if (text.empty() || other.left > 0) text += fmt::format(", which has {} of {} left", other.left, counted(other.tasks, "task"));
  return text;
}

/// The condition that comes first: `all tasks of campaign 12 are done, which has 3 of 40 tasks left`.
std::string first(const grid::Awaited& other) {
  const auto id = other.campaign.value();
  if (other.kind == grid::DependencyKind::after_any_end) return fmt::format("campaign {} is over{}", id, state_of(other));
  return fmt::format("all tasks of campaign {} are done{}", id, state_of(other));
}

/// Where the tasks of a campaign with an empty bag are.
std::string where_the_last_are(const reason::BagEmpty& why) {
  if (why.unsettled_tasks <= 0) return "all are settled";
  const auto tasks = counted(why.unsettled_tasks, "task");
  if (why.live_jobs == 0)
    return fmt::format("the jobs of the last {} are over, and the files that tell how the tasks ended are still to be read", tasks);
  const auto jobs = counted(why.live_jobs, "job");
  if (why.unsettled_tasks > why.live_jobs) return fmt::format("{} carry out the last {}, one after the other", jobs, tasks);
  return fmt::format("the last {} {}", jobs, why.live_jobs == 1 ? "lives" : "live");
}

/// Why a campaign got what it got on a cluster, or on all of them, and what would change it.
struct ReasonText {
  const std::string& cluster;  ///< empty: the whole campaign
  int jobs;

  std::string operator()(const reason::Launched& why) const {
    return fmt::format("{} to {} in this cycle{}", counted(jobs, "job"), cluster, std::visit(BoundText{}, why.bound));
  }
  std::string operator()(const reason::Paused&) const { return "the campaign is paused; 'gridsub --resume' resumes it"; }
  std::string operator()(const reason::CampaignBraked& why) const {
    return fmt::format("the campaign is braked ({}) {}", why.brake.reason, until(why.brake));
  }
  std::string operator()(const reason::Awaits& why) const { return fmt::format("it starts when {}", first(why.awaited)); }
  std::string operator()(const reason::AwaitsTasks& why) const {
    const auto live = why.live_jobs > 0 ? fmt::format("; {} live", counted(why.live_jobs, "job")) : std::string{};
    const auto which = why.tasks == 1 ? std::string{"1 task waits for the task of its number"}
                                      : fmt::format("{} tasks wait for the tasks of their numbers", why.tasks);
    return fmt::format("{} in campaign {}{}{}", which, why.awaited.campaign.value(), state_of(why.awaited), live);
  }
  std::string operator()(const reason::BagEmpty& why) const {
    return fmt::format("no task of the campaign is left in its bag: {}; a task that fails and is retried is in the bag again",
                       where_the_last_are(why));
  }
  std::string operator()(const reason::EpiloguesLeft& why) const {
    return fmt::format("all tasks of the campaign are settled; it ends when its epilogue has ended on {}{}{}", why.clusters,
                       why.held.empty() ? "" : "; it waits, as ", why.held);
  }
  std::string operator()(const reason::NoCluster&) const {
    return "none of the campaign's clusters is in the grid; 'gridctl cluster add' adds one";
  }
  std::string operator()(const reason::Frozen& why) const {
    if (cluster.empty())
      return fmt::format(
          "no other task waits, and the fate of {} is unknown; when the cluster has reported whether it accepted the submission, their "
          "tasks continue or wait again",
          counted(why.frozen_jobs, "job"));
    return fmt::format(
        "the fate of {} on {} is unknown; the campaign continues there when the cluster has reported whether it accepted the submission",
        counted(why.frozen_jobs, "job"), cluster);
  }
  std::string operator()(const reason::ClusterDisabled&) const {
    return fmt::format("{} was disabled by an administrator; 'gridctl cluster enable {}' enables it", cluster, cluster);
  }
  std::string operator()(const reason::ClusterRetired&) const {
    return fmt::format("{} was retired by an administrator; 'gridctl cluster enable {}' brings it back", cluster, cluster);
  }
  std::string operator()(const reason::Unreachable&) const {
    return fmt::format("{} does not answer; jobs start there again when its API answers", cluster);
  }
  std::string operator()(const reason::StaleStatus&) const {
    return fmt::format("the status of {} is too old to plan on; jobs start there again after the next successful update", cluster);
  }
  std::string operator()(const reason::NoResources& why) const {
    const auto out = grid::text_of(why.out);
    const auto what = why.since ? fmt::format("{} has had no live resources since {}", cluster, utc(*why.since))
                                : fmt::format("{} has no live resources", cluster);
    return fmt::format("{}{}; its administrators can bring some back, and jobs start there then", what, in_brackets(out));
  }
  std::string operator()(const reason::ClusterBraked& why) const {
    return fmt::format("{} is braked ({}) {}", cluster, why.brake.reason, until(why.brake));
  }
  std::string operator()(const reason::PairBraked& why) const {
    return fmt::format("the campaign is braked on {} ({}) {}", cluster, why.brake.reason, until(why.brake));
  }
  std::string operator()(const reason::NotMapped& why) const {
    return fmt::format("the user {} has no account on {}; an administrator can map one", why.user, cluster);
  }
  std::string operator()(const reason::TooBig& why) const {
    const auto kept = why.kept_resources > 0 ? fmt::format(", of which {} stay free for local jobs (headroom)", why.kept_resources) : "";
    const int room = why.max_resources - why.kept_resources;
    if (why.resources_per_job <= why.room_of_all)
      return fmt::format(
          "a job needs {} resources, and {} now has {}{}, as {} are out of use ({}); it starts when enough of these are back, "
          "or with a request of at most {} in the JDL",
          why.resources_per_job, cluster, why.max_resources, kept, why.out.resources_out(), grid::text_of(why.out), room);
    return fmt::format("a job needs {} resources, and {} has {}{}; a request of at most {} in the JDL fits", why.resources_per_job, cluster,
                       why.max_resources, kept, room);
  }
  std::string operator()(const reason::ScriptFirst& why) const {
    switch (why.preparation) {
      case grid::Preparation::prologue_runs:
        return fmt::format("the campaign's prologue runs on {}; tasks start there when it has ended", cluster);
      case grid::Preparation::prologue_failed:
        return fmt::format("the campaign's prologue failed on {}; it runs again when its event is fixed ('gridsub --fix ID')", cluster);
      case grid::Preparation::epilogue_runs:
        return fmt::format("the campaign's epilogue runs on {}; tasks start there when it has ended", cluster);
      default: return fmt::format("the campaign's prologue is sent to {} first; tasks start there when it has ended", cluster);
    }
  }
  std::string operator()(const reason::InputsFirst& why) const {
    const double mb = static_cast<double>(why.bytes) / 1e6;
    const auto when = why.mb_s > 0.0
                          ? fmt::format(", in about {} s at the {} MB/s of before", figure(std::ceil(mb / why.mb_s)), figure(why.mb_s))
                          : std::string{};
    return fmt::format("{} MB of the campaign's input files are still to be brought to {}; tasks start there when they are{}",
                       mb < 0.01 ? "less than 0.01" : figure(mb), cluster, when);
  }
  std::string operator()(const reason::NoTaskFits& why) const {
    return fmt::format("{} gets nothing: each of the {} left needs more than it has; they go to the campaign's other clusters", cluster,
                       counted(why.tasks, "task"));
  }
  std::string operator()(const reason::TestAlreadyGiven& why) const {
    return fmt::format("the test campaign has had its job on {} ({} live, {} ended); it gets one on each cluster", cluster, why.live_jobs,
                       why.concluded_jobs);
  }
  std::string operator()(const reason::MaxJobsReached& why) const {
    if (why.max_jobs == 0)
      return fmt::format("the campaign does not use {}: the JDL's max_jobs is 0 there ('gridsub --edit ID clusters.{}=on')", cluster,
                         cluster);
    return fmt::format("{} live on {}{}, and the JDL's max_jobs is {}; more start when jobs end, or with a larger max_jobs",
                       counted(why.live_jobs, "job"), cluster,
                       why.frozen_jobs > 0 ? fmt::format(" and {} of unknown fate", why.frozen_jobs) : "", why.max_jobs);
  }
  std::string operator()(const reason::LimitReached& why) const {
    return fmt::format("{}; {} on {} {}", why.text, why.fits_one_job ? "more jobs start" : "a job starts", cluster, why.remedy);
  }
  std::string operator()(const reason::UnderStress& why) const {
    return fmt::format(
        "{} is under stress{} and takes at most {} of our jobs for now, {} live there; more start when it answers and works faster",
        cluster, in_brackets(why.signals), why.job_limit, why.our_jobs);
  }
  std::string operator()(const reason::Probing& why) const {
    return fmt::format("the probe is out on {}: {} of at most {}; more start when it has shown how long tasks take there", cluster,
                       why.live_jobs, counted(why.probe_jobs, "job"));
  }
  std::string operator()(const reason::Unjudged& why) const {
    return fmt::format(
        "{} ended its first {} without an error after {:.1f} s each, and nothing shows yet that the work was done{}; more start there when "
        "another cluster has ended {}, or when you state that tasks may end at once ('gridsub --edit ID min_duration=0')",
        cluster, counted(why.done, "task"), why.mean_duration,
        why.live_jobs > 0 ? fmt::format(" ({} there now)", counted(why.live_jobs, "job")) : "", grid::kMinEnds);
  }
  std::string operator()(const reason::OnTrial& why) const {
    return fmt::format(
        "after {}, one job at a time is tried on {}, and {} there; more start when one has succeeded, and if it fails, the "
        "campaign is braked there",
        before_trial(why.failures, why.brake), cluster, why.live_jobs == 1 ? "1 is live" : fmt::format("{} are live", why.live_jobs));
  }
  std::string operator()(const reason::FewMatch& why) const {
    if (why.live_jobs > 0)
      return fmt::format(
          "{} of the {} resources of {} have the properties that the JDL asks for, and {} live there; more start when jobs end, or with "
          "other properties",
          why.matching_resources, why.max_resources, cluster, counted(why.live_jobs, "job"));
    return fmt::format(
        "{} of the {} resources of {} have the properties that the JDL asks for, and a job needs {}; more start when more resources have "
        "them, or with other properties",
        why.matching_resources, why.max_resources, cluster, figure(why.job_resources));
  }
  std::string operator()(const reason::WidthUnknown& why) const {
    return fmt::format(
        "a limit counts resources, and how many a job takes on {} is known when the first one has started ({} live there); more "
        "start then, or at once if the JDL's resources state how many cores a job takes",
        cluster, counted(why.live_jobs, "job"));
  }
  std::string operator()(const reason::NoFreeResources& why) const {
    const auto& parts = why.parts;
    const auto need = figure(why.job_resources);
    if (is_kept_by_unknown(parts, why.job_resources))
      return fmt::format("{} has no room: {}; a job needs {}, and starts when the cluster has reported whether it accepted the submission",
                         cluster, offer(parts), need);
    return fmt::format("{} is full: {}; a job needs {}, and starts when some are free", cluster, offer(parts), need);
  }
  std::string operator()(const reason::KeptForLocal& why) const {
    return fmt::format("{} keeps what is free for jobs of its own users: {}; a job needs {}, and starts when more are free", cluster,
                       offer(why.parts), figure(why.job_resources));
  }
  std::string operator()(const reason::BusyWithoutJob& why) const {
    return fmt::format("what is free on {} is busy without a job: {}; a job needs {}, and starts when the load falls", cluster,
                       offer(why.parts), figure(why.job_resources));
  }
  std::string operator()(const reason::NotEnoughResources& why) const {
    return fmt::format("{} offers {} resources ({}), and a job needs {}; it starts when as many are free at once", cluster,
                       figure(why.offered_resources), offer(why.parts), figure(why.job_resources));
  }
  std::string operator()(const reason::NoNodeFree& why) const {
    return fmt::format(
        "a job needs {} resources of {} of {}, and none of what is free there is together ({}); it starts when {} free enough",
        figure(why.job_resources), why.nodes == 1 ? "one node" : fmt::format("{} nodes", why.nodes), cluster, offer(why.parts),
        why.nodes == 1 ? "one node has" : "as many nodes have");
  }
  std::string operator()(const reason::Reserved& why) const {
    const auto need = figure(why.job_resources);
    return fmt::format(
        "a job needs {} resources of {}, and what is free holds none ({}); freed resources are held back for it until {} are free, "
        "by the forecasts at {}",
        need, cluster, offer(why.parts), need, utc(why.at));
  }
  std::string operator()(const reason::HeldForReservation& why) const {
    return fmt::format(
        "the free resources of {} ({} of {}) are held back for a job of campaign {} that needs {}; a job whose walltime ends before "
        "that one starts may use them",
        cluster, why.free_resources, why.max_resources, why.holder.value(), figure(why.held_resources));
  }
  std::string operator()(const reason::Preempting& why) const {
    return fmt::format(
        "{} has no free resources ({}), and jobs of the lowest priority are being killed there for this campaign; its jobs start when they "
        "are gone",
        cluster, offer(why.parts));
  }
  std::string operator()(const reason::EarlierCampaigns& why) const {
    return fmt::format("{} took {} resources of {} in this cycle; {} are left, and a job needs {}; it starts when they leave enough",
                       campaigns(why.takers), figure(why.taken_resources), cluster, figure(why.offered_resources),
                       figure(why.job_resources));
  }
  std::string operator()(const reason::TasksElsewhere&) const {
    return fmt::format(
        "{} gets nothing: the tasks left went to clusters that come first for this campaign; a higher priority of {} in "
        "the JDL changes that",
        cluster, cluster);
  }
  std::string operator()(const reason::PoolsUnderWay& why) const {
    return fmt::format(
        "this campaign has {} on {}, which take one task after the other; the tasks left get jobs when these are over, because more jobs "
        "would only wait in the queue",
        counted(why.live_jobs, "job"), cluster);
  }
  std::string operator()(const reason::EndsUnread& why) const {
    return fmt::format(
        "the jobs of {} on {} are over, and the files that tell how the tasks ended could not be read yet: the cluster answers too slowly; "
        "it gets more when most of them are read",
        counted(why.tasks, "task"), cluster);
  }
  static std::string also_bound(std::int64_t others) {
    return others == 0 ? std::string{}
                       : fmt::format("; {} more came back from another cluster, the only one where nothing can run twice", others);
  }
  std::string operator()(const reason::TasksKept& why) const {
    return fmt::format(
        "{} gets nothing: the last {} {} for another cluster, which has {}; jobs start when that cluster has room, or anew here when "
        "checkpoint_patience is over{}",
        cluster, counted(why.tasks, "task"), why.tasks == 1 ? "waits" : "wait", why.tasks == 1 ? "its checkpoint" : "their checkpoints",
        also_bound(why.others));
  }
  std::string operator()(const reason::TasksFollow& why) const {
    return fmt::format(
        "{} gets nothing: {} {} for {}, where the files of the tasks they come after are (\"after_each_cluster\": \"any\" frees them){}",
        cluster, counted(why.tasks, "task"), why.tasks == 1 ? "waits" : "wait", why.clusters, also_bound(why.others));
  }
  std::string operator()(const reason::TasksReserved& why) const {
    return fmt::format(
        "{} gets nothing: the last {} came back from another cluster, the only one where nothing can run twice; jobs start when that "
        "cluster has room",
        cluster, counted(why.tasks, "task"));
  }
};

/// The campaign's present activity there, in words for users, who know no stages.
std::string lead_of(const Decision& decision, const std::string& cluster) {
  if (is_one_of<reason::BagEmpty, reason::EpiloguesLeft>(decision.reason)) return "nothing left to start";
  if (is_one_of<reason::Awaits, reason::AwaitsTasks>(decision.reason)) return "waiting for another campaign";
  const auto on = cluster.empty() ? std::string{} : " on " + cluster;
  switch (decision.stage) {
    case Stage::feasible: return cluster.empty() ? "not running" : fmt::format("no jobs{} for now", on);
    case Stage::prioritize: return "its place in the order";
    case Stage::throttle: return fmt::format("held back by a limit{}", on);
    case Stage::match: return fmt::format("waiting for resources{}", on);
    case Stage::allocate:
    case Stage::size: return fmt::format("waiting for its turn{}", on);
    case Stage::emit: break;
  }
  return fmt::format("starting jobs{}", on);
}

std::string name_of(const std::optional<grid::ClusterId>& cluster, const ClusterNames& names) {
  if (!cluster) return {};
  const auto found = names.find(*cluster);
  return found != names.end() ? found->second : fmt::format("cluster {}", cluster->value());
}

}  // namespace

std::string explain(const Decision& decision, const ClusterNames& names) {
  const auto cluster = name_of(decision.cluster, names);
  return fmt::format("{}: {}", lead_of(decision, cluster), std::visit(ReasonText{cluster, decision.jobs}, decision.reason));
}

}  // namespace gleaner::planner
