#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <string>

#include "lib/grid/dust.hpp"
#include "metascheduler/planner/decision.hpp"

namespace gleaner::planner {
namespace {

using grid::kDust;

/// 8, 2.5, 0.33: figures for people.
std::string figure(double value) {
  auto text = fmt::format("{:.2f}", value);
  while (text.ends_with('0')) text.pop_back();
  if (text.ends_with('.')) text.pop_back();
  return text;
}

std::string counted(std::int64_t count, std::string_view thing) {
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

std::string until(const Brake& brake) {
  if (!brake.until) return "until it is lifted";
  return fmt::format("until {:%Y-%m-%d %H:%M:%S} UTC, or until it is lifted", std::chrono::floor<grid::Seconds>(*brake.until));
}

std::string campaigns(const Takers& takers) {
  const auto begin = takers.ids.begin();
  return fmt::format("{} {}", takers.count == 1 ? "campaign" : "campaigns", fmt::join(begin, begin + takers.count, ", "));
}

std::string of_unknown_fate(const OfferParts& parts) {
  return fmt::format("{} of {} whose fate is unknown", counted(parts.unknown_jobs, "job"), parts.unknown_launches == 1 ? "1 launch" : fmt::format("{} launches", parts.unknown_launches));
}

/// How an offer is made up, but for launches of unknown fate.
std::string known_offer(const OfferParts& parts) {
  auto text = fmt::format("{} of {} resources are free, {} may wait", parts.free_resources, parts.max_resources, figure(parts.flood_resources));
  if (parts.waiting_resources > 0.0) text += fmt::format(", {} wait already", figure(parts.waiting_resources));
  const double given = parts.unaccounted_resources - parts.unknown_resources;
  if (given > kDust) text += fmt::format(", {} were just given", figure(given));
  return text;
}

std::string offer(const OfferParts& parts) {
  if (parts.unknown_jobs == 0) return known_offer(parts);
  return fmt::format("{}, {} held for {}", known_offer(parts), figure(parts.unknown_resources), of_unknown_fate(parts));
}

/// Whether a job would fit, but for those whose fate is unknown.
bool is_kept_by_unknown(const OfferParts& parts, double job_resources) {
  const double room = parts.free_resources + parts.flood_resources - parts.waiting_resources - parts.unaccounted_resources;
  return parts.unknown_jobs > 0 && room + parts.unknown_resources + kDust >= job_resources;
}

std::string in_brackets(const std::string& note) { return note.empty() ? std::string{} : fmt::format(" ({})", note); }

/// What kept a launch from being bigger, and what would change it.
struct BoundText {
  std::string operator()(const bound::Offer& by) const {
    return fmt::format("; they fill the {} resources offered ({}), more start when more are free", figure(by.offered_resources), offer(by.parts));
  }
  std::string operator()(const bound::Bag&) const { return "; they are all the tasks that wait"; }
  std::string operator()(const bound::Fitting&) const { return "; they are all the tasks that wait and fit there"; }
  std::string operator()(const bound::MaxJobs& by) const {
    return fmt::format("; the JDL's max_jobs of {} allows no more, end of jobs or a larger max_jobs does", by.max_jobs);
  }
  std::string operator()(const bound::OnePerCluster&) const { return "; a test campaign gets one on each cluster"; }
  std::string operator()(const bound::Limit& by) const { return fmt::format("; {}, a larger one allows more ('gridctl limit set')", by.text); }
  std::string operator()(const bound::Stress& by) const {
    return fmt::format("; the cluster is under stress{}, and takes {} of our jobs for now, more when it answers and works faster", in_brackets(by.signals), by.job_limit);
  }
  std::string operator()(const bound::Probe&) const { return "; they go first, to learn from, the others follow when one has ended"; }
  std::string operator()(const bound::Width&) const {
    return "; a limit counts resources, and how many a job takes there is known when this one has started: others follow then";
  }
  std::string operator()(const bound::Matching& by) const {
    return fmt::format("; {} of the {} resources there have the properties that the JDL asks for, and take no more", by.matching_resources, by.max_resources);
  }
  std::string operator()(const bound::Turn&) const { return "; the campaigns share what is free, and this is its part; more start when more are free"; }
};

/// Why a campaign got what it got on a cluster, or on all of them, and what would change it.
struct ReasonText {
  const std::string& cluster;  ///< empty: the whole campaign
  int jobs;

  std::string operator()(const reason::Launched& why) const {
    return fmt::format("{} to {} in this cycle{}", counted(jobs, "job"), cluster, std::visit(BoundText{}, why.bound));
  }
  std::string operator()(const reason::Paused&) const { return "the campaign is paused; 'gridsub --resume' lets it go on"; }
  std::string operator()(const reason::CampaignBraked& why) const { return fmt::format("the campaign is stopped ({}) {}", why.brake.reason, until(why.brake)); }
  std::string operator()(const reason::BagEmpty& why) const {
    return fmt::format("no task of the campaign waits, {}; a task that fails and is retried would wait again",
                       why.live_jobs > 0 ? fmt::format("the last {} live", counted(why.live_jobs, "job")) : "all are settled");
  }
  std::string operator()(const reason::NoCluster&) const { return "the grid has none of the campaign's clusters; 'gridctl cluster add' makes one known"; }
  std::string operator()(const reason::Frozen& why) const {
    if (cluster.empty())
      return fmt::format("no other task waits, and {} of unknown fate; when their cluster has told whether it took them, they go on or wait again",
                         why.frozen_jobs == 1 ? "1 job is" : fmt::format("{} jobs are", why.frozen_jobs));
    return fmt::format("the fate of {} on {} is unknown; it goes on when the cluster has told whether it took it", counted(why.frozen_jobs, "job"), cluster);
  }
  std::string operator()(const reason::ClusterDisabled&) const {
    return fmt::format("{} is disabled by an administrator; 'gridctl cluster enable {}' gives it back", cluster, cluster);
  }
  std::string operator()(const reason::ClusterRetired&) const {
    return fmt::format("{} was retired by an administrator; 'gridctl cluster enable {}' brings it back", cluster, cluster);
  }
  std::string operator()(const reason::Unreachable&) const { return fmt::format("{} does not answer; it gets work again as soon as its API does", cluster); }
  std::string operator()(const reason::StaleStatus&) const {
    return fmt::format("the status of {} is too old to plan on; it gets work at the next successful update", cluster);
  }
  std::string operator()(const reason::ClusterBraked& why) const { return fmt::format("nothing is sent to {} ({}) {}", cluster, why.brake.reason, until(why.brake)); }
  std::string operator()(const reason::PairBraked& why) const {
    return fmt::format("nothing of this campaign is sent to {} ({}) {}", cluster, why.brake.reason, until(why.brake));
  }
  std::string operator()(const reason::NotMapped& why) const { return fmt::format("the user {} has no account on {}; an administrator can map one", why.user, cluster); }
  std::string operator()(const reason::TooBig& why) const {
    return fmt::format("a job asks for {} resources and {} has {}; a smaller request in the JDL would fit", why.resources_per_job, cluster, why.max_resources);
  }
  std::string operator()(const reason::NoTaskFits& why) const {
    return fmt::format("{} gets nothing: each of the {} left asks for more than it has; they go to the campaign's other clusters", cluster,
                       counted(why.tasks, "task"));
  }
  std::string operator()(const reason::TestAlreadyGiven& why) const {
    return fmt::format("the test campaign has had its job on {} ({} live, {} ended), and gets no second one", cluster, why.live_jobs, why.concluded_jobs);
  }
  std::string operator()(const reason::MaxJobsReached& why) const {
    return fmt::format("{} live on {}{}, and the JDL's max_jobs is {}; the end of one, or a larger max_jobs, allows another", counted(why.live_jobs, "job"),
                       cluster, why.frozen_jobs > 0 ? fmt::format(" and {} of unknown fate", why.frozen_jobs) : "", why.max_jobs);
  }
  std::string operator()(const reason::LimitReached& why) const {
    return fmt::format("{} gets no more: {}; the end of jobs, or a larger limit ('gridctl limit set'), allows another", cluster, why.text);
  }
  std::string operator()(const reason::UnderStress& why) const {
    return fmt::format("{} is under stress{} and takes {} of our jobs at once for now, {} live there; the limit rises again as it answers and works faster", cluster,
                       in_brackets(why.signals), why.job_limit, why.our_jobs);
  }
  std::string operator()(const reason::Probing& why) const {
    return fmt::format("the first {} on {} are out, to learn from them before more follow (at most {}); the first end lets the others go",
                       counted(why.live_jobs, "job"), cluster, why.probe_jobs);
  }
  std::string operator()(const reason::FewMatch& why) const {
    if (why.live_jobs > 0)
      return fmt::format("{} of the {} resources of {} have the properties that the JDL asks for, and {} live there; the end of one allows another, or other properties do",
                         why.matching_resources, why.max_resources, cluster, counted(why.live_jobs, "job"));
    return fmt::format("{} of the {} resources of {} have the properties that the JDL asks for, and a job needs {}; it starts when more have them, or with other properties",
                       why.matching_resources, why.max_resources, cluster, figure(why.job_resources));
  }
  std::string operator()(const reason::WidthUnknown& why) const {
    return fmt::format("a limit counts resources, and how many a job takes on {} is known when the first one has started ({} live there); the others "
                       "follow then, and at once where the JDL's resources say how many cores a job takes",
                       cluster, counted(why.live_jobs, "job"));
  }
  std::string operator()(const reason::NoFreeResources& why) const {
    const auto& parts = why.parts;
    const auto need = figure(why.job_resources);
    if (is_kept_by_unknown(parts, why.job_resources))
      return fmt::format("{} hold the room of {}: {}, {} held for them; a job needs {}, and starts when the cluster has reported whether it took them",
                         of_unknown_fate(parts), cluster, known_offer(parts), figure(parts.unknown_resources), need);
    return fmt::format("{} is full: {}; a job needs {}, and starts when some are free", cluster, offer(parts), need);
  }
  std::string operator()(const reason::NotEnoughResources& why) const {
    return fmt::format("{} offers {} resources ({}), less than the {} of one job; it starts when as many are free at once", cluster,
                       figure(why.offered_resources), offer(why.parts), figure(why.job_resources));
  }
  std::string operator()(const reason::Reserved& why) const {
    const auto need = figure(why.job_resources);
    return fmt::format("a job needs {} resources of {}, more than are free at once ({}); what is freed there is held back for it until {} are, "
                       "by the forecasts at {:%Y-%m-%d %H:%M:%S} UTC",
                       need, cluster, offer(why.parts), need, std::chrono::floor<grid::Seconds>(why.at));
  }
  std::string operator()(const reason::HeldForReservation& why) const {
    return fmt::format("what is free on {} ({} of {} resources) is held back for a job of campaign {} that needs {}; a job whose walltime ends before "
                       "that one starts may use it",
                       cluster, why.free_resources, why.max_resources, why.holder.value(), figure(why.held_resources));
  }
  std::string operator()(const reason::Preempting& why) const {
    return fmt::format("{} has no resources free ({}), and jobs of the lowest priority are being killed for it there; it starts when they are gone", cluster,
                       offer(why.parts));
  }
  std::string operator()(const reason::EarlierCampaigns& why) const {
    return fmt::format("{} took {} resources of {} in this cycle, {} are left and a job needs {}; it starts when they leave some", campaigns(why.takers),
                       figure(why.taken_resources), cluster, figure(why.offered_resources), figure(why.job_resources));
  }
  std::string operator()(const reason::TasksElsewhere&) const {
    return fmt::format("{} gets nothing: the tasks left went to clusters that come first for this campaign; a higher priority of {} in "
                       "the JDL would change it",
                       cluster, cluster);
  }
  std::string operator()(const reason::TasksReserved& why) const {
    return fmt::format("{} gets nothing: the {} left came back from another cluster and waits for that one, where it cannot run "
                       "twice; it goes on when that cluster has room",
                       cluster, counted(why.tasks, "task"));
  }
};

std::string name_of(const std::optional<grid::ClusterId>& cluster, const ClusterNames& names) {
  if (!cluster) return {};
  const auto found = names.find(*cluster);
  return found != names.end() ? found->second : fmt::format("cluster {}", cluster->value());
}

}  // namespace

std::string explain(const Decision& decision, const ClusterNames& names) {
  const auto cluster = name_of(decision.cluster, names);
  return fmt::format("{}: {}", name_of(decision.stage), std::visit(ReasonText{cluster, decision.jobs}, decision.reason));
}

}  // namespace gleaner::planner
