#include "tests/db/accounting_text.hpp"

#include <algorithm>
#include <map>

#include "sim/gridsim/engine/book.hpp"

namespace gleaner::tests::accounting {

using gridsim::seconds_of;

std::string text_of(std::optional<grid::Instant> instant) { return instant ? fmt::format("{:.6f}", seconds_of(*instant)) : "-"; }

std::string text_of(const grid::PairFacts& p) {
  return fmt::format(
      "pair {}/{}: priority {} width {} walltime {} most {} login {}; launching {} waiting {} running {} unknown {}; concluded {} done {} took {:.6f} squares {:.3f}; failures {}{}; resources {} of {}; "
      "started {} accepted {}; ratio {} submitted {} offered {}; active {} returned {} suspected {} unseen {} fitting {}; interrupted {} exposed {:.6f}",
      p.campaign.value(), p.cluster.value(), p.priority, text_of(p.resources_per_job), p.walltime, text_of(p.max_jobs), p.login,
      p.launching, p.waiting, p.running, p.unknown, p.concluded_jobs, p.done, p.duration_sum, p.duration_squares, p.failures_in_a_row,
      p.last_failure_at ? " ever" : "", p.resources_sum, p.resources_jobs, text_of(p.last_start_at), text_of(p.last_accept_at),
      text_of(p.forecast_ratio), p.last_submitted, p.last_offered, p.active, p.returned_tasks, p.suspected, p.unseen,
      text_of(p.fitting_tasks), p.interruptions, p.exposed_seconds);
}

std::string text_of(const grid::CampaignFacts& c) {
  return fmt::format("campaign {}: {} {} priority {} project {} submitted {} waiting {} replicas {}", c.id.value(), c.user,
                     grid::name_of(c.state), c.priority, c.project, text_of(std::optional{c.submitted}), c.waiting_tasks,
                     c.replicas_allowed);
}

std::string text_of(const store::PredictionPair& p) {
  return fmt::format(
      "pair {}/{}: active {} width {} running {} waiting {} resources {} of {} done {} took {:.6f} squares {:.3f} started {} accepted {} ratio {} submitted {} offered {} ended {} walltime {} most {}",
      p.campaign.value(), p.cluster.value(), p.active, text_of(p.resources_per_job), p.running, p.waiting, p.resources_sum,
      p.resources_jobs, p.done, p.duration_sum, p.duration_squares, text_of(p.last_start_at), text_of(p.last_accept_at),
      text_of(p.forecast_ratio), p.last_submitted, p.last_offered, p.ended_in_window, p.walltime, text_of(p.max_jobs));
}

std::string text_of(const store::PredictionCampaign& c) {
  return fmt::format("campaign {}: submitted {} first start {} remaining {} running {} waiting {} ended {} paused {}", c.id.value(),
                     text_of(std::optional{c.submitted_at}), text_of(c.first_start_at), c.remaining, c.running, c.waiting,
                     c.ended_in_window, c.paused);
}

std::string text_of(const grid::Limit& l) {
  // The summand: no sum is half a millisecond, but for chance.
  return fmt::format("limit {} {}: {:.3f}", l.id, grid::name_of(l.kind), l.used + 1e-7);
}
std::string text_of(const grid::Ending& e) {
  return fmt::format("on {} after {} s: {}, soon {}", e.cluster.value(), e.after, e.resources, e.soon);
}
std::string text_of(const grid::DyingJobs& d) { return fmt::format("{}/{}: {} dying", d.campaign.value(), d.cluster.value(), d.jobs); }
std::string text_of(const grid::Replicable& r) {
  return fmt::format("{}/{}: {} of {} beyond {}", r.campaign.value(), r.cluster.value(), r.expired, r.tasks, text_of(r.expected));
}
std::string text_of(const store::WaitingJob& w) {
  return fmt::format("job of {} since {}, width {} ratio {} started {} accepted {}", w.campaign.value(),
                     text_of(std::optional{w.submitted_at}), text_of(w.resources_per_job), text_of(w.job_ratio), text_of(w.last_start_at),
                     text_of(w.last_accept_at));
}
std::string text_of(const AttemptKey& job) {
  return fmt::format("campaign {} task {} attempt {}", std::get<0>(job) + 1, std::get<1>(job), std::get<2>(job));
}

std::string difference(const std::vector<std::string>& booked, const std::vector<std::string>& stored) {
  std::string text;
  for (std::size_t i = 0; i < std::max(booked.size(), stored.size()); ++i) {
    const auto in_book = i < booked.size() ? booked[i] : "nothing", in_store = i < stored.size() ? stored[i] : "nothing";
    if (in_book != in_store) text += fmt::format("\n  gridsim:    {}\n  production: {}", in_book, in_store);
  }
  return text;
}

std::vector<std::string> texts_of_usage(const std::vector<grid::UsageOfDay>& usage) {
  std::map<std::tuple<std::string, std::string, int>, double> sums;
  for (const auto& one : usage) sums[{one.user, one.project, one.days_ago}] += one.resource_seconds;
  std::vector<std::string> all;
  for (const auto& [key, seconds] : sums) {
    if (seconds > 0) all.push_back(fmt::format("{} {} {} days ago: {:.6f}", std::get<0>(key), std::get<1>(key), std::get<2>(key), seconds));
  }
  return all;
}

}  // namespace gleaner::tests::accounting
