#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <stdexcept>
#include <vector>

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

std::string until(const Figures& figures) {
  if (!figures.until) return "until it is lifted";
  return fmt::format("until {:%Y-%m-%d %H:%M:%S} UTC, or until it is lifted", std::chrono::floor<grid::Seconds>(*figures.until));
}

std::string earlier(const Figures& figures) {
  const auto begin = figures.earlier.ids.begin();
  return fmt::format("{} {}", figures.earlier.count == 1 ? "campaign" : "campaigns", fmt::join(begin, begin + figures.earlier.count, ", "));
}

std::string time_of(const Figures& figures) {
  if (!figures.until) return "at an unknown time";
  return fmt::format("at {:%Y-%m-%d %H:%M:%S} UTC", std::chrono::floor<grid::Seconds>(*figures.until));
}

std::string of_unknown_fate(const Figures& f) {
  return fmt::format("{} of {} whose fate is unknown", counted(f.unknown_jobs, "job"), f.unknown_launches == 1 ? "1 launch" : fmt::format("{} launches", f.unknown_launches));
}

/// How an offer is made up, but for launches of unknown fate.
std::string known_offer(const Figures& f) {
  auto text = fmt::format("{} of {} resources are free, {} may wait", f.free_resources, f.max_resources, figure(f.flood_resources));
  if (f.waiting_resources > 0.0) text += fmt::format(", {} wait already", figure(f.waiting_resources));
  const double given = f.unaccounted_resources - f.unknown_resources;
  if (given > kDust) text += fmt::format(", {} were just given", figure(given));
  return text;
}

std::string offer(const Figures& f) {
  if (f.unknown_jobs == 0) return known_offer(f);
  return fmt::format("{}, {} held for {}", known_offer(f), figure(f.unknown_resources), of_unknown_fate(f));
}

/// Whether a job would fit, but for those whose fate is unknown.
bool is_kept_by_unknown(const Figures& f) {
  const double room = f.free_resources + f.flood_resources - f.waiting_resources - f.unaccounted_resources;
  return f.unknown_jobs > 0 && room + f.unknown_resources + kDust >= f.job_resources;
}

std::string in_brackets(const std::string& note) { return note.empty() ? std::string{} : fmt::format(" ({})", note); }

std::string limit(const Figures& f) {
  switch (f.limit) {
    case Limit::none: return {};
    case Limit::offer:
      return fmt::format("; they fill the {} resources offered ({}), more start when more are free", figure(f.offered_resources), offer(f));
    case Limit::bag: return "; they are all the tasks that wait";
    case Limit::fitting: return "; they are all the tasks that wait and fit there";
    case Limit::max_jobs:
      return fmt::format("; the JDL's max_jobs of {} allows no more, end of jobs or a larger max_jobs does", f.max_jobs);
    case Limit::limit: return fmt::format("; {}, a larger one allows more ('gridctl limit set')", f.note);
    case Limit::stress:
      return fmt::format("; the cluster is under stress{}, and takes {} of our jobs for now, more when it answers and works faster", in_brackets(f.note), f.max_jobs);
    case Limit::probe: return "; they go first, to learn from, the others follow when one has ended";
    case Limit::matching:
      return fmt::format("; {} of the {} resources there have the properties that the JDL asks for, and take no more", f.matching_resources, f.max_resources);
    case Limit::width: return "; a limit counts resources, and how many a job takes there is known when this one has started: others follow then";
    case Limit::turn: return "; the campaigns share what is free, and this is its part; more start when more are free";
    case Limit::one_per_cluster: return "; a test campaign gets one on each cluster";
  }
  return {};
}

std::string of_campaign(const Decision& decision) {
  const auto& f = decision.figures;
  switch (decision.reason) {
    case Reason::paused: return "the campaign is paused; 'gridsub --resume' lets it go on";
    case Reason::campaign_braked: return fmt::format("the campaign is stopped ({}) {}", f.note, until(f));
    case Reason::bag_empty:
      return fmt::format("no task of the campaign waits, {}; a task that fails and is retried would wait again",
                         f.live_jobs > 0 ? fmt::format("the last {} live", counted(f.live_jobs, "job")) : "all are settled");
    case Reason::frozen:
      return fmt::format("no other task waits, and {} of unknown fate; when their cluster has told whether it took them, "
                         "they go on or wait again",
                         f.frozen_jobs == 1 ? "1 job is" : fmt::format("{} jobs are", f.frozen_jobs));
    case Reason::no_cluster: return "the grid has none of the campaign's clusters; 'gridctl cluster add' makes one known";
    default: throw std::logic_error{fmt::format("the reason '{}' has no text for a whole campaign", name_of(decision.reason))};
  }
}

std::string of_resources(const Figures& f, Reason reason, std::string_view cluster) {
  const auto need = figure(f.job_resources);
  switch (reason) {
    case Reason::no_free_resources:
      if (is_kept_by_unknown(f))
        return fmt::format("{} hold the room of {}: {}, {} held for them; a job needs {}, and starts when the cluster has reported whether it took them",
                           of_unknown_fate(f), cluster, known_offer(f), figure(f.unknown_resources), need);
      return fmt::format("{} is full: {}; a job needs {}, and starts when some are free", cluster, offer(f), need);
    case Reason::not_enough_resources:
      return fmt::format("{} offers {} resources ({}), less than the {} of one job; it starts when as many are free at once",
                         cluster, figure(f.offered_resources), offer(f), need);
    case Reason::earlier_campaigns:
      return fmt::format("{} took {} resources of {} in this cycle, {} are left and a job needs {}; it starts when they leave some",
                         earlier(f), figure(f.taken_resources), cluster, figure(f.offered_resources), need);
    case Reason::reserved:
      return fmt::format("a job needs {} resources of {}, more than are free at once ({}); what is freed there is held back for it until {} are, "
                         "by the forecasts {}", need, cluster, offer(f), need, time_of(f));
    case Reason::held_for_reservation:
      return fmt::format("what is free on {} ({} of {} resources) is held back for a job of {} that needs {}; a job whose walltime ends before "
                         "that one starts may use it", cluster, f.free_resources, f.max_resources, earlier(f), figure(f.held_resources));
    case Reason::preempting:
      return fmt::format("{} has no resources free ({}), and jobs of the lowest priority are being killed for it there; it starts when they are "
                         "gone", cluster, offer(f));
    default: throw std::logic_error{fmt::format("the reason '{}' has no text", name_of(reason))};
  }
}

std::string of_cluster_state(const Figures& f, Reason reason, std::string_view cluster) {
  switch (reason) {
    case Reason::cluster_disabled:
      return fmt::format("{} is disabled by an administrator; 'gridctl cluster enable {}' gives it back", cluster, cluster);
    case Reason::cluster_retired:
      return fmt::format("{} was retired by an administrator; 'gridctl cluster enable {}' brings it back", cluster, cluster);
    case Reason::unreachable: return fmt::format("{} does not answer; it gets work again as soon as its API does", cluster);
    case Reason::stale_status:
      return fmt::format("the status of {} is too old to plan on; it gets work at the next successful update", cluster);
    case Reason::cluster_braked: return fmt::format("nothing is sent to {} ({}) {}", cluster, f.note, until(f));
    case Reason::pair_braked: return fmt::format("nothing of this campaign is sent to {} ({}) {}", cluster, f.note, until(f));
    case Reason::not_mapped:
      return fmt::format("the user {} has no account on {}; an administrator can map one", f.note, cluster);
    case Reason::too_big:
      return fmt::format("a job asks for {} resources and {} has {}; a smaller request in the JDL would fit", figure(f.job_resources),
                         cluster, f.max_resources);
    case Reason::no_task_fits:
      return fmt::format("{} gets nothing: each of the {} left asks for more than it has; they go to the campaign's other clusters", cluster,
                         counted(f.tasks, "task"));
    default: return of_resources(f, reason, cluster);
  }
}

std::string of_pair(const Decision& decision, std::string_view cluster) {
  const auto& f = decision.figures;
  switch (decision.reason) {
    case Reason::launched: return fmt::format("{} to {} in this cycle{}", counted(decision.jobs, "job"), cluster, limit(f));
    case Reason::frozen:
      return fmt::format("the fate of {} on {} is unknown; it goes on when the cluster has told whether it took it",
                         counted(f.frozen_jobs, "job"), cluster);
    case Reason::test_already_given:
      return fmt::format("the test campaign has had its job on {} ({} live, {} ended), and gets no second one", cluster, f.live_jobs,
                         f.concluded_jobs);
    case Reason::max_jobs_reached:
      return fmt::format("{} live on {}{}, and the JDL's max_jobs is {}; the end of one, or a larger max_jobs, allows another",
                         counted(f.live_jobs, "job"), cluster,
                         f.frozen_jobs > 0 ? fmt::format(" and {} of unknown fate", f.frozen_jobs) : "", f.max_jobs);
    case Reason::limit_reached:
      return fmt::format("{} gets no more: {}; the end of jobs, or a larger limit ('gridctl limit set'), allows another", cluster, f.note);
    case Reason::under_stress:
      return fmt::format("{} is under stress{} and takes {} of our jobs at once for now, {} live there; the limit rises again as it answers and works faster", cluster,
                         in_brackets(f.note), f.max_jobs, f.live_jobs);
    case Reason::probing:
      return fmt::format("the first {} on {} are out, to learn from them before more follow (at most {}); the first end lets the others go",
                         counted(f.live_jobs, "job"), cluster, f.max_jobs);
    case Reason::few_match:
      if (f.live_jobs + f.frozen_jobs > 0)
        return fmt::format("{} of the {} resources of {} have the properties that the JDL asks for, and {} live there; the end of one allows another, or other properties do",
                           f.matching_resources, f.max_resources, cluster, counted(f.live_jobs + f.frozen_jobs, "job"));
      return fmt::format("{} of the {} resources of {} have the properties that the JDL asks for, and a job needs {}; it starts when more have them, or with other properties",
                         f.matching_resources, f.max_resources, cluster, figure(f.job_resources));
    case Reason::width_unknown:
      return fmt::format("a limit counts resources, and how many a job takes on {} is known when the first one has started ({} live there); the others "
                         "follow then, and at once where the JDL's resources say how many cores a job takes",
                         cluster, counted(f.live_jobs, "job"));
    case Reason::tasks_elsewhere:
      return fmt::format("{} gets nothing: the tasks left went to clusters that come first for this campaign; a higher priority of {} in "
                         "the JDL would change it", cluster, cluster);
    case Reason::tasks_reserved:
      return fmt::format("{} gets nothing: the {} left came back from another cluster and waits for that one, where it cannot run "
                         "twice; it goes on when that cluster has room", cluster, counted(f.tasks, "task"));
    default: return of_cluster_state(f, decision.reason, cluster);
  }
}

}  // namespace

std::string explain(const Decision& decision, const ClusterNames& names) {
  if (!decision.cluster) return fmt::format("{}: {}", name_of(decision.stage), of_campaign(decision));
  const auto found = names.find(*decision.cluster);
  const auto cluster = found != names.end() ? found->second : fmt::format("cluster {}", decision.cluster->value());
  return fmt::format("{}: {}", name_of(decision.stage), of_pair(decision, cluster));
}

}  // namespace gleaner::planner
