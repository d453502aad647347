#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <string>

#include "lib/decisions/decision.hpp"
#include "lib/decisions/words.hpp"
#include "lib/grid/sink.hpp"
#include "lib/grid/walltime.hpp"

namespace gleaner::decisions {
namespace {

/// A part of a sentence, in which an advice may stand.
struct Said {
  std::string text;
  std::string advice = {};

  Said(std::string words) : text{std::move(words)} {}  // NOLINT(google-explicit-constructor): most sentences have no advice
  Said(const char* words) : text{words} {}             // NOLINT(google-explicit-constructor)
  Said(std::string before, std::string what, std::string_view after = {})
      : text{fmt::format("{}{}{}", before, what, after)}, advice{std::move(what)} {}
};

/// The bound that kept a launch from being bigger, and the change that would lift it.
struct BoundText {
  Said operator()(const bound::Offer& by) const {
    return fmt::format("; they fill the {} resources offered ({}); more start when more are free", figure(by.offered_resources),
                       offer(by.parts));
  }
  Said operator()(const bound::Bag&) const { return "; no other task waits"; }
  Said operator()(const bound::Fitting&) const { return "; no other task that waits fits there"; }
  Said operator()(const bound::MaxJobs& by) const {
    return {fmt::format("; the JDL's max_jobs is {}; ", by.max_jobs), "more start when jobs end, or with a larger max_jobs"};
  }
  Said operator()(const bound::OnePerCluster&) const { return "; a test campaign gets one job on each cluster"; }
  Said operator()(const bound::Limit& by) const {
    return {fmt::format("; {}; ", text_of(by.limit)), fmt::format("more start {}", remedy_of(by.limit))};
  }
  Said operator()(const bound::Stress& by) const {
    return fmt::format(
        "; the cluster is under stress{} and takes at most {} of our jobs for now; more start when it answers and works faster",
        in_brackets(by.signals), by.job_limit);
  }
  Said operator()(const bound::FileServer& by) const {
    if (!by.server.of_job)
      return fmt::format("; {}, and these are the first, which show how much a task reads and writes; more start when one has ended",
                         text_of(by.server, "there"));
    return {fmt::format("; {}; ", text_of(by.server, "there")), fmt::format("more start {}", remedy_of(by.server))};
  }
  Said operator()(const bound::Probe&) const { return "; this is the probe; more start when it has shown how long tasks take there"; }
  Said operator()(const bound::Trial& by) const {
    return fmt::format("; this is the trial after {}; more start when it has succeeded, and if it fails, the campaign is braked there",
                       before_trial(by.failures, by.brake));
  }
  Said operator()(const bound::Width&) const {
    return "; a limit counts resources, and how many a job takes there is known when this one has started; more start then";
  }
  Said operator()(const bound::Matching& by) const {
    return fmt::format("; {} of the {} resources there have the properties that the JDL asks for, and hold no more", by.matching_resources,
                       by.max_resources);
  }
  Said operator()(const bound::Pools&) const { return "; more start when these have taken their tasks"; }
  Said operator()(const bound::Inputs&) const {
    return "; the input files of further tasks are still brought there; more start when they are";
  }
  Said operator()(const bound::Turn&) const {
    return "; this is its part of the resources, which campaigns share; more start when more are free";
  }
};

/// How far a campaign is for which another one waits, and what its user can do: `, of which 3 are not over`.
Said state_of(const grid::Awaited& other) {
  constexpr std::string_view kSubmitAgain{"cancel this one, and submit it again"};
  const auto id = other.campaign.value();
  if (!other.state) return {", which was deleted: ", std::string{kSubmitAgain}};
  if (other.state == grid::CampaignState::cancelled) return {", which was cancelled: ", std::string{kSubmitAgain}};
  std::string before, retry, after;
  if (other.state == grid::CampaignState::paused) before += ", which is paused";
  if (other.failed > 0) {
    before += fmt::format(", of which {} failed, task {} first: ", counted(other.failed, "task"), other.first_failed.value_or(0));
    retry = fmt::format("'gridsub --retry {}' runs {} again", id, other.failed == 1 ? "it" : "them");
  }
  if (other.cancelled > 0)
    after += fmt::format(", of which {} cancelled: they are never done",
                         other.cancelled == 1 ? "1 task was" : fmt::format("{} tasks were", other.cancelled));
  const bool is_bare = before.empty() && after.empty();
  if (is_bare || other.left > 0) after += fmt::format(", which has {} of {} left", other.left, counted(other.tasks, "task"));
  return {std::move(before), std::move(retry), after};
}

/// The condition that comes first: `all tasks of campaign 12 are done, which has 3 of 40 tasks left`.
Said first(std::string_view before, const grid::Awaited& other) {
  const auto id = other.campaign.value();
  const auto condition = other.kind == grid::DependencyKind::after_any_end ? fmt::format("campaign {} is over", id)
                                                                           : fmt::format("all tasks of campaign {} are done", id);
  auto state = state_of(other);
  state.text = fmt::format("{}{}{}", before, condition, state.text);
  return state;
}

/// Tasks whose requests cannot be computed from what others gave, `and` before them.
constexpr std::int64_t kCountedTo = 1000;
std::string withheld_ones(const reason::BagEmpty& why, std::string_view before) {
  if (why.withheld_tasks <= 0) return {};
  const bool is_one = why.withheld_tasks == 1;
  return fmt::format("{}{}{} outside of it, as what {} cannot be computed from what was given (event GIVEN_WRONG)", before,
                     counted(why.withheld_tasks, "task"),
                     why.withheld_tasks >= kCountedTo ? " and more wait"
                     : is_one                         ? " waits"
                                                      : " wait",
                     is_one ? "it asks for" : "they ask for");
}

/// Where the tasks of a campaign with an empty bag are that were sent.
std::string where_the_sent_are(const reason::BagEmpty& why, std::int64_t sent) {
  const auto tasks = counted(sent, "task");
  if (why.live_jobs == 0)
    return fmt::format("the jobs of the last {} are over, and the files that tell how the tasks ended are still to be read", tasks);
  const auto jobs = counted(why.live_jobs, "job");
  if (sent > why.live_jobs) return fmt::format("{} carry out the last {}, one after the other", jobs, tasks);
  return fmt::format("the last {} {}", jobs, why.live_jobs == 1 ? "lives" : "live");
}

/// Where the tasks of a campaign with an empty bag are.
std::string where_the_last_are(const reason::BagEmpty& why) {
  const auto sent = why.withheld_tasks >= kCountedTo ? why.live_jobs : why.unsettled_tasks - why.withheld_tasks;
  if (why.withheld_tasks > 0 && (sent <= 0 || why.live_jobs == 0)) return withheld_ones(why, "");
  if (sent <= 0) return "all are settled";
  return where_the_sent_are(why, sent) + withheld_ones(why, ", and ");
}

/// Why a campaign got what it got on a cluster, or on all of them, and what would change it.
struct ReasonText {
  const std::string& cluster;  ///< empty: the whole campaign
  int jobs;

  Said operator()(const reason::Launched& why) const {
    auto by = std::visit(BoundText{}, why.bound);
    by.text = fmt::format("{} to {} in this cycle{}", counted(jobs, "job"), cluster, by.text);
    return by;
  }
  Said operator()(const reason::Paused&) const { return {"the campaign is paused; ", "'gridsub --resume' resumes it"}; }
  Said operator()(const reason::CampaignBraked& why) const {
    return fmt::format("the campaign is braked ({}) {}", why.brake.reason, until(why.brake));
  }
  Said operator()(const reason::Awaits& why) const { return first("it starts when ", why.awaited); }
  Said operator()(const reason::AwaitsTasks& why) const {
    const auto live = why.live_jobs > 0 ? fmt::format("; {} live", counted(why.live_jobs, "job")) : std::string{};
    const auto which = why.tasks == 1 ? std::string{"1 task waits for the task of its number"}
                                      : fmt::format("{} tasks wait for the tasks of their numbers", why.tasks);
    auto state = state_of(why.awaited);
    state.text = fmt::format("{} in campaign {}{}{}", which, why.awaited.campaign.value(), state.text, live);
    return state;
  }
  Said operator()(const reason::TasksHeld& why) const {
    const auto live = why.live_jobs > 0
                          ? fmt::format("; {} of others {}", counted(why.live_jobs, "job"), why.live_jobs == 1 ? "lives" : "live")
                          : std::string{};
    return {fmt::format("{} held, the first by {} since {}; ",
                        why.tasks == 1 ? std::string{"the task that waits is"} : fmt::format("the {} tasks that wait are", why.tasks),
                        why.hold.by, utc(why.hold.since)),
            "'gridsub --resume ID --task 0-*' releases them", live};
  }
  Said operator()(const reason::BagEmpty& why) const {
    const bool may_replicate = why.may_replicate && why.unsettled_tasks > 0;
    return fmt::format("no task of the campaign is left in its bag: {}; {}a task that fails and is retried is in the bag again",
                       where_the_last_are(why),
                       may_replicate ? "a task that runs gets a replica, once, when resources for it are free elsewhere; " : "");
  }
  Said operator()(const reason::EpiloguesLeft& why) const {
    return fmt::format("all tasks of the campaign are settled; it ends when its epilogue has ended on {}{}{}", list_of(why.clusters),
                       why.obstacles.empty() ? "" : "; it waits, as ", list_of(why.obstacles));
  }
  Said operator()(const reason::NoCluster&) const {
    return {"none of the campaign's clusters is in the grid; ", "'gridctl cluster add' adds one"};
  }
  Said operator()(const reason::Frozen& why) const {
    if (cluster.empty())
      return fmt::format(
          "no other task waits, and the fate of {} is unknown; when the cluster has reported whether it accepted the submission, their "
          "tasks continue or wait again",
          counted(why.frozen_jobs, "job"));
    return fmt::format(
        "the fate of {} on {} is unknown; the campaign continues there when the cluster has reported whether it accepted the submission",
        counted(why.frozen_jobs, "job"), cluster);
  }
  Said operator()(const reason::ClusterDisabled&) const {
    return {fmt::format("{} was disabled by an administrator; ", cluster), fmt::format("'gridctl cluster enable {}' enables it", cluster)};
  }
  Said operator()(const reason::ClusterRetired&) const {
    return {fmt::format("{} was retired by an administrator; ", cluster),
            fmt::format("'gridctl cluster enable {}' brings it back", cluster)};
  }
  Said operator()(const reason::Unreachable&) const {
    return fmt::format("{} does not answer; jobs start there again when its API answers", cluster);
  }
  Said operator()(const reason::StaleStatus&) const {
    return fmt::format("the status of {} is too old to plan on; jobs start there again after the next successful update", cluster);
  }
  Said operator()(const reason::NoResources& why) const {
    const auto out = grid::text_of(why.out);
    const auto what = why.since ? fmt::format("{} has had no live resources since {}", cluster, utc(*why.since))
                                : fmt::format("{} has no live resources", cluster);
    return {fmt::format("{}{}; ", what, in_brackets(out)), "its administrators can bring some back", ", and jobs start there then"};
  }
  Said operator()(const reason::ClusterBraked& why) const {
    return fmt::format("{} is braked ({}) {}", cluster, why.brake.reason, until(why.brake));
  }
  Said operator()(const reason::PairBraked& why) const {
    return fmt::format("the campaign is braked on {} ({}) {}", cluster, why.brake.reason, until(why.brake));
  }
  Said operator()(const reason::NotMapped& why) const {
    return {fmt::format("the user {} has no account on {}; ", why.user, cluster), "an administrator can map one"};
  }
  Said operator()(const reason::NoToken& why) const {
    const auto since = why.since ? fmt::format(" on {}", utc(*why.since)) : std::string{};
    const auto get = fmt::format("'gridtoken add {}' gives one, which 'oarsub -T' prints there", cluster);
    switch (why.fault) {
      case grid::TokenFault::ended: return {fmt::format("the token of {} for {} ended{}; ", why.user, cluster, since), get};
      case grid::TokenFault::refused:
        return {fmt::format("{} refused the token of {}{}; ", cluster, why.user, since), get,
                ", and this one is tried again after an hour"};
      case grid::TokenFault::unreadable:
        return {fmt::format("the grid cannot read the token of {} for {}, which 'gridctl check' explains to administrators; ", why.user,
                            cluster),
                get};
      case grid::TokenFault::missing: break;
    }
    return {fmt::format("{} wants a token of each of its users, and has none of {}; ", cluster, why.user), get};
  }
  Said operator()(const reason::TooBig& why) const {
    const auto kept = why.kept_resources > 0 ? fmt::format(", of which {} stay free for local jobs (headroom)", why.kept_resources) : "";
    const std::int64_t room = std::int64_t{why.max_resources} - why.kept_resources;
    const std::int64_t out =
        std::int64_t{why.out.suspected_resources} + std::int64_t{why.out.absent_resources} + std::int64_t{why.out.dead_resources};
    if (why.resources_per_job <= why.room_of_all)
      return {fmt::format("a job needs {} resources, and {} now has {}{}, as {} are out of use ({}); ", why.resources_per_job, cluster,
                          why.max_resources, kept, out, grid::text_of(why.out)),
              fmt::format("it starts when enough of these are back, or with a request of at most {} in the JDL", room)};
    return {fmt::format("a job needs {} resources, and {} has {}{}; ", why.resources_per_job, cluster, why.max_resources, kept),
            fmt::format("a request of at most {} in the JDL fits", room)};
  }
  Said operator()(const reason::ScriptFirst& why) const {
    switch (why.preparation) {
      case grid::Preparation::prologue_runs:
        return fmt::format("the campaign's prologue runs on {}; tasks start there when it has ended", cluster);
      case grid::Preparation::prologue_failed:
        return {fmt::format("the campaign's prologue failed on {}; ", cluster),
                "it runs again when its event is fixed ('gridsub --fix ID')"};
      case grid::Preparation::epilogue_runs:
        return fmt::format("the campaign's epilogue runs on {}; tasks start there when it has ended", cluster);
      default: return fmt::format("the campaign's prologue is sent to {} first; tasks start there when it has ended", cluster);
    }
  }
  Said operator()(const reason::InputsFirst& why) const {
    if (why.bytes == 0)
      return fmt::format("all of the campaign's input files may be on {} already; tasks start there when that is checked", cluster);
    const double mb = static_cast<double>(why.bytes) / 1e6;
    const auto when = why.mb_s > 0.0
                          ? fmt::format(", in about {} s at the {} MB/s of before", figure(std::ceil(mb / why.mb_s)), figure(why.mb_s))
                          : std::string{};
    return fmt::format("{} MB of the campaign's input files are still to be brought to {}; tasks start there when they are{}",
                       mb < 0.01 ? "less than 0.01" : figure(mb), cluster, when);
  }
  Said operator()(const reason::NoTaskFits& why) const {
    return fmt::format("{} gets nothing: each of the {} left needs more than it has; they go to the campaign's other clusters", cluster,
                       counted(why.tasks, "task"));
  }
  Said operator()(const reason::TestAlreadyGiven& why) const {
    return fmt::format("the test campaign has had its job on {} ({} live, {} ended); it gets one on each cluster", cluster, why.live_jobs,
                       why.concluded_jobs);
  }
  Said operator()(const reason::MaxJobsReached& why) const {
    if (why.max_jobs == 0)
      return {fmt::format("the campaign does not use {}: the JDL's max_jobs is 0 there (", cluster),
              fmt::format("'gridsub --edit ID clusters.{}=on'", cluster), ")"};
    return {fmt::format("{} live on {}{}, and the JDL's max_jobs is {}; ", counted(why.live_jobs, "job"), cluster,
                        why.frozen_jobs > 0 ? fmt::format(" and {} of unknown fate", why.frozen_jobs) : "", why.max_jobs),
            "more start when jobs end, or with a larger max_jobs"};
  }
  Said operator()(const reason::LimitReached& why) const {
    return {fmt::format("{}; ", text_of(why.limit)),
            fmt::format("{} on {} {}", why.limit.fits_one_job ? "more jobs start" : "a job starts", cluster, remedy_of(why.limit))};
  }
  Said operator()(const reason::UnderStress& why) const {
    return fmt::format(
        "{} is under stress{} and takes at most {} of our jobs for now, {} live there; more start when it answers and works faster",
        cluster, in_brackets(why.signals), why.job_limit, why.our_jobs);
  }
  Said operator()(const reason::FileServerFull& why) const {
    if (!why.server.of_job)
      return fmt::format(
          "{}, and nothing shows yet how much a task of the campaign reads and writes: {} of at most {} are out; more start when one has "
          "ended",
          text_of(why.server, fmt::format("of {}", cluster)), why.live_jobs, counted(why.probe_jobs, "first job"));
    return {fmt::format("{} ({} of the campaign there); ", text_of(why.server, fmt::format("of {}", cluster)),
                        counted(why.live_jobs, "live job")),
            fmt::format("more start on {} {}", cluster, remedy_of(why.server))};
  }
  Said operator()(const reason::Probing& why) const {
    return fmt::format("the probe is out on {}: {} of at most {}; more start when it has shown how long tasks take there", cluster,
                       why.live_jobs, counted(why.probe_jobs, "job"));
  }
  Said operator()(const reason::Unjudged& why) const {
    return {
        fmt::format("{} ended its first {} without an error after {:.1f} s each, and nothing shows yet that the work was done{}; ", cluster,
                    counted(why.done, "task"), why.mean_duration,
                    why.live_jobs > 0 ? fmt::format(" ({} there now)", counted(why.live_jobs, "job")) : ""),
        fmt::format("more start there when another cluster has ended {}, or when you state that tasks may end at once ('gridsub --edit ID "
                    "min_duration=0')",
                    grid::kMinEnds)};
  }
  Said operator()(const reason::OnTrial& why) const {
    return fmt::format(
        "after {}, one job at a time is tried on {}, and {} there; more start when one has succeeded, and if it fails, the "
        "campaign is braked there",
        before_trial(why.failures, why.brake), cluster, why.live_jobs == 1 ? "1 is live" : fmt::format("{} are live", why.live_jobs));
  }
  Said operator()(const reason::FewMatch& why) const {
    if (why.live_jobs > 0)
      return {fmt::format("{} of the {} resources of {} have the properties that the JDL asks for, and {} live there; ",
                          why.matching_resources, why.max_resources, cluster, counted(why.live_jobs, "job")),
              "more start when jobs end, or with other properties"};
    return {fmt::format("{} of the {} resources of {} have the properties that the JDL asks for, and a job needs {}; ",
                        why.matching_resources, why.max_resources, cluster, figure(why.job_resources)),
            "more start when more resources have them, or with other properties"};
  }
  Said operator()(const reason::WidthUnknown& why) const {
    return {
        fmt::format("a limit counts resources, and how many a job takes on {} is known when the first one has started ({} live there); ",
                    cluster, counted(why.live_jobs, "job")),
        "more start then, or at once if the JDL's resources state how many cores a job takes"};
  }
  Said operator()(const reason::NoFreeResources& why) const {
    const auto& parts = why.parts;
    const auto need = figure(why.job_resources);
    if (is_kept_by_unknown(parts, why.job_resources))
      return fmt::format("{} has no room: {}; a job needs {}, and starts when the cluster has reported whether it accepted the submission",
                         cluster, offer(parts), need);
    return fmt::format("{} is full: {}; a job needs {}, and starts when some are free", cluster, offer(parts), need);
  }
  Said operator()(const reason::KeptForLocal& why) const {
    return fmt::format("{} keeps what is free for jobs of its own users: {}; a job needs {}, and starts when more are free", cluster,
                       offer(why.parts), figure(why.job_resources));
  }
  Said operator()(const reason::KeptForOthers& why) const {
    std::vector<std::string> kept;
    for (const auto& keep : why.keeps)
      kept.push_back(fmt::format("{} of {} resources of {} are kept for {} (keep '{}'), {}", keep.resources, why.parts.max_resources,
                                 cluster, keep.whom, keep.name, keep.until ? fmt::format("until {}", utc(*keep.until)) : "without an end"));
    if (why.leaves_too_few)
      return {fmt::format("{}: {}; a job needs {}, more than is left beside that, whichever jobs end; ", fmt::join(kept, "; "),
                          offer(why.parts), figure(why.job_resources)),
              fmt::format("it starts when less is kept{}", why.job_resources > 1 ? ", or with a smaller request in the JDL" : "")};
    return fmt::format("{}: {}; a job needs {}, and starts when more are free", fmt::join(kept, "; "), offer(why.parts),
                       figure(why.job_resources));
  }
  Said operator()(const reason::ReservedInOar& why) const {
    return fmt::format(
        "{} of {} resources of {} are reserved in OAR from {} to {}, and a job needs {} before that (its walltime and a margin, or the time "
        "within which OAR starts no best-effort job): {}; a job needs {}, and starts when more are free",
        why.reserved_resources, why.parts.max_resources, cluster, utc(why.from), utc(why.until),
        grid::format_walltime(grid::Seconds{std::llround(why.needed_before)}), offer(why.parts), figure(why.job_resources));
  }
  Said operator()(const reason::NodesAsleep& why) const {
    return fmt::format(
        "{} of {} {} left asleep (empty): {}; a job needs {}. It starts when some are free on nodes that are awake; a node is "
        "woken for {} minutes of work on each of its cores, or at {} while no job of the campaign runs",
        counted(why.parts.asleep_nodes, "node"), cluster, why.parts.asleep_nodes == 1 ? "is" : "are", offer(why.parts),
        figure(why.job_resources), figure(why.wake_minutes), utc(why.at));
  }
  Said operator()(const reason::BusyWithoutJob& why) const {
    return fmt::format("what is free on {} is busy without a job: {}; a job needs {}, and starts when the load falls", cluster,
                       offer(why.parts), figure(why.job_resources));
  }
  Said operator()(const reason::NotEnoughResources& why) const {
    return fmt::format("{} offers {} resources ({}), and a job needs {}; it starts when as many are free at once", cluster,
                       figure(why.offered_resources), offer(why.parts), figure(why.job_resources));
  }
  Said operator()(const reason::NoNodeFree& why) const {
    return fmt::format(
        "a job needs {} resources of {} of {}, and none of what is free there is together ({}); it starts when {} free enough",
        figure(why.job_resources), why.nodes == 1 ? "one node" : fmt::format("{} nodes", why.nodes), cluster, offer(why.parts),
        why.nodes == 1 ? "one node has" : "as many nodes have");
  }
  Said operator()(const reason::Reserved& why) const {
    const auto need = figure(why.job_resources);
    return fmt::format(
        "a job needs {} resources of {}, and what is free holds none ({}); freed resources are held back for it until {} are free, "
        "by the forecasts at {}",
        need, cluster, offer(why.parts), need, utc(why.at));
  }
  Said operator()(const reason::HeldForReservation& why) const {
    return fmt::format(
        "the free resources of {} ({} of {}) are held back for a job of campaign {} that needs {}; a job whose walltime ends before "
        "that one starts may use them",
        cluster, why.free_resources, why.max_resources, why.holder.value(), figure(why.held_resources));
  }
  Said operator()(const reason::Preempting& why) const {
    return fmt::format(
        "{} has no free resources ({}), and jobs of the lowest priority are being killed there for this campaign; its jobs start when they "
        "are gone",
        cluster, offer(why.parts));
  }
  Said operator()(const reason::PreemptingForFirst& why) const {
    return fmt::format(
        "{} has no free resources ({}), and jobs are being killed there for first tasks of this campaign, of users who hold more than their "
        "part: {} resources for each of {}; its jobs start when they are gone",
        cluster, offer(why.parts), figure(why.part_resources), counted(why.users, "user"));
  }
  Said operator()(const reason::EarlierCampaigns& why) const {
    return fmt::format("{} took {} resources of {} in this cycle; {} are left, and a job needs {}; it starts when they leave enough",
                       campaigns(why.takers), figure(why.taken_resources), cluster, figure(why.offered_resources),
                       figure(why.job_resources));
  }
  Said operator()(const reason::TasksElsewhere&) const {
    return {fmt::format("{} gets nothing: the tasks left went to clusters that come first for this campaign; ", cluster),
            fmt::format("a higher priority of {} in the JDL changes that", cluster)};
  }
  Said operator()(const reason::PoolsUnderWay& why) const {
    return fmt::format(
        "this campaign has {} on {}, which take one task after the other; the tasks left get jobs when these are over, because more jobs "
        "would only wait in the queue",
        counted(why.live_jobs, "job"), cluster);
  }
  Said operator()(const reason::EndsUnread& why) const {
    return fmt::format(
        "the jobs of {} on {} are over, and the files that tell how the tasks ended could not be read yet: the cluster answers too slowly; "
        "it gets more when most of them are read",
        counted(why.tasks, "task"), cluster);
  }
  static std::string also_bound(std::int64_t others) {
    return others == 0 ? std::string{}
                       : fmt::format("; {} more came back from another cluster, the only one where nothing can run twice", others);
  }
  Said operator()(const reason::TasksKept& why) const {
    return fmt::format(
        "{} gets nothing: the last {} {} for {}, which {} {}; jobs start when {} has room, or anew here when checkpoint_patience is over{}",
        cluster, counted(why.tasks, "task"), why.tasks == 1 ? "waits" : "wait",
        why.clusters.empty() ? "another cluster" : list_of(why.clusters), why.clusters.size() > 1 ? "share the home with" : "has",
        why.tasks == 1 ? "its checkpoint" : "their checkpoints", why.clusters.size() > 1 ? "one of them" : "that cluster",
        also_bound(why.others));
  }
  Said operator()(const reason::TasksFollow& why) const {
    return {fmt::format("{} gets nothing: {} {} for {}, where the files of the tasks they come after are (", cluster,
                        counted(why.tasks, "task"), why.tasks == 1 ? "waits" : "wait", list_of(why.clusters)),
            "\"after_each_cluster\": \"any\" frees them", ")" + also_bound(why.others)};
  }
  Said operator()(const reason::TasksReserved& why) const {
    return fmt::format(
        "{} gets nothing: the last {} came back from another cluster, the only one where nothing can run twice; jobs start when that "
        "cluster has room",
        cluster, counted(why.tasks, "task"));
  }
};

/// The campaign's present activity there, in words for users, who know no stages.
std::string lead_of(Stage stage, const Reason& reason, const std::string& cluster) {
  if (is_one_of<reason::BagEmpty, reason::EpiloguesLeft>(reason)) return "nothing left to start";
  if (is_one_of<reason::Awaits, reason::AwaitsTasks>(reason)) return "waiting for another campaign";
  const auto on = cluster.empty() ? std::string{} : " on " + cluster;
  switch (stage) {
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

}  // namespace

Explanation explained(Stage stage, const Reason& reason, int jobs, const std::string& cluster) {
  auto said = std::visit(ReasonText{cluster, jobs}, reason);
  return {.sentence = fmt::format("{}: {}", lead_of(stage, reason, cluster), said.text), .advice = std::move(said.advice)};
}

}  // namespace gleaner::decisions
