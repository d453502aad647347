#include "updator/write.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "lib/store/batch.hpp"
#include "lib/store/clusters.hpp"
#include "lib/store/events.hpp"
#include "lib/store/headroom.hpp"
#include "lib/store/kills.hpp"
#include "lib/store/stress.hpp"
#include "lib/text/clean.hpp"
#include "updator/sinks.hpp"
#include "updator/spread.hpp"
#include "updator/tallies.hpp"

namespace gleaner::updator {
namespace {

constexpr std::chrono::hours kLongAbsent{1};

class Writer {
 public:
  Writer(store::Transaction& transaction, const fleet::Visit& visit, const Poll& poll, grid::Instant now)
      : transaction_{transaction}, visit_{visit}, poll_{poll}, now_{now} {}

  Changes write(const Judged& judged);

 private:
  int observe(const Judged& judged);
  void follow(const Judged& judged);
  void forget(const Judged& judged);
  void report_renamed(const Judged& judged);
  void lose_patience(const Judged& judged);
  void delete_jobs(std::span<const grid::JobId> jobs, store::KillReason reason, std::string_view code, std::string_view what);
  void report_absent();
  void sample_durations(const Judged& judged);
  void write_status();
  void write_free_nodes(store::GridStatus& status);
  void write_named_nodes();
  void watch_local();
  void write_load(const store::GridStatus& status);
  void report_load();
  [[nodiscard]] bool is_ours(const oar::RemoteJob& job) const { return poll_.ours.contains(job.id) || poll_.leaving.contains(job.id); }
  [[nodiscard]] store::Target here() const { return {.campaign = {}, .cluster = visit_.cluster.id}; }

  store::Transaction& transaction_;
  const fleet::Visit& visit_;
  const Poll& poll_;
  grid::Instant now_;
};

int Writer::observe(const Judged& judged) {
  store::note_carriers(transaction_, judged.claimed, now_);
  store::note_read(transaction_, judged.read, poll_.began);
  store::note_waits(transaction_, judged.waits, now_);
  const auto refused = store::write_batch(
      transaction_, judged.observations, [&](std::span<const store::Observation> part) { store::observe_jobs(transaction_, part); },
      [&](const store::Observation& one, const std::string& why) {
        store::note_refused(transaction_, here(), fmt::format("the state of job {}", one.job.value()), why, now_);
      });
  return static_cast<int>(judged.observations.size() - refused);
}

void Writer::follow(const Judged& judged) {
  for (const auto& one : judged.followed) {
    store::write_or_note(transaction_, here(), fmt::format("that job {} has another id of OAR", one.job.value()), now_,
                         [&] { store::follow_job(transaction_, one.job, one.from, one.to); });
  }
}

void Writer::forget(const Judged& judged) {
  for (const auto& one : judged.reused) {
    const auto why =
        fmt::format("job {} of OAR is somebody else's now, and was job {} of ours: was OAR's database restored, or installed anew?",
                    one.remote.value(), one.job.value());
    const store::Target pair{.campaign = one.campaign, .cluster = visit_.cluster.id};
    const bool written = store::write_or_note(transaction_, pair, fmt::format("that job {} lost its id", one.job.value()), now_,
                                              [&] { store::forget_job(transaction_, one.job, one.remote, why); });
    if (!written) continue;
    store::open_event(transaction_,
                      {.code = "REMOTE_ID_REUSED",
                       .target = pair,
                       .job = one.job,
                       .message = why + " It is searched for by its name; when it is not found, its task goes back to the bag."},
                      now_);
  }
}

/// A job whose submission gets no answer is searched for by its name, so nothing more is sent to a cluster that changes names.
void Writer::report_renamed(const Judged& judged) {
  std::map<grid::CampaignId, std::vector<const Renamed*>> by_campaign;
  for (const auto& one : judged.renamed) by_campaign[one.campaign].push_back(&one);
  for (const auto& [campaign, jobs] : by_campaign) {
    const store::Target pair{.campaign = campaign, .cluster = visit_.cluster.id};
    const auto& first = *jobs.front();
    const auto why = fmt::format(
        "the name of job {} of OAR, {}, was changed to '{}': an admission rule of {} renames jobs, by which the grid finds those whose "
        "submission had no answer",
        first.remote.value(), first.tag, text::clean_text(first.name), visit_.cluster.name);
    store::open_event(
        transaction_,
        {.code = "JOBS_RENAMED",
         .target = pair,
         .job = first.job,
         .message = fmt::format("{}. The jobs that are there go on. When the rule leaves names alone that begin with 'cigri.': "
                                "'gridsub --fix {}'",
                                why, campaign.value()),
         .occurrences = std::ssize(jobs)},
        now_);
    const auto seconds = [](process::Duration time) { return std::chrono::duration_cast<grid::Seconds>(time); };
    store::write_or_note(transaction_, pair, "its brake", now_, [&] {
      store::set_brake(transaction_, pair, why, {seconds(visit_.config.brake_time), seconds(visit_.config.brake_time_max)}, now_);
    });
  }
}

void Writer::delete_jobs(std::span<const grid::JobId> jobs, store::KillReason reason, std::string_view code, std::string_view what) {
  if (jobs.empty()) return;
  store::request_kills(transaction_, jobs, reason, now_);
  store::open_event(transaction_,
                    {.code = std::string{code},
                     .target = here(),
                     .job = jobs.front(),
                     .message = fmt::format("{} jobs {} (does OAR start jobs there?)", jobs.size(), what),
                     .occurrences = static_cast<std::int64_t>(jobs.size())},
                    now_);
}

void Writer::lose_patience(const Judged& judged) {
  const auto patience = std::chrono::duration_cast<grid::Seconds>(visit_.config.launch_patience).count();
  delete_jobs(judged.impatient, store::KillReason::impatient, "NEVER_BEGAN",
              fmt::format("were about to start there for {} s, and have not begun: they are deleted, and their tasks go back", patience));
  delete_jobs(
      judged.overdue, store::KillReason::overdue, "OVERDUE",
      fmt::format(
          "began there, but OAR is still about to start them {} s after their walltimes, which it does not apply to such jobs: they are deleted, as by their walltimes",
          patience));
}

void Writer::report_absent() {
  constexpr std::string_view kCode{"JOBS_ABSENT"};
  if (!poll_.usable_resources) return;  // once a minute is enough
  const auto absent = store::absent_jobs(transaction_, visit_.cluster.id, now_ - kLongAbsent);
  if (absent.jobs == 0) {
    store::close_event(transaction_, kCode, here(), now_);
    return;
  }
  store::open_event(
      transaction_,
      {.code = kCode,
       .target = here(),
       .job = absent.first,
       .message = fmt::format(
           "the cluster does not list {} of our jobs for more than an hour: they stay as they are; `gridctl job lost ID` gives up one, `gridctl cluster retire {}` all",
           absent.jobs, visit_.cluster.name),
       .occurrences = 1},
      now_);
}

/// Samples a few of the jobs that started, independently of how long they took. The jobs beside them are those that ran before and all that
/// started, so that this number does not depend on durations either.
void Writer::sample_durations(const Judged& judged) {
  constexpr std::size_t kMost = 4;
  std::vector<grid::JobId> chosen;
  for (const auto place : updator::spread(judged.starts.size(), kMost)) chosen.push_back(judged.starts[place]);
  store::write_or_note(transaction_, here(), "samples of durations", now_, [&] {
    store::sample_durations(transaction_, visit_.cluster.id, chosen, judged.ran_before + static_cast<int>(judged.starts.size()));
  });
}

void Writer::write_status() {
  store::GridStatus status;
  status.cluster = visit_.cluster.id;
  status.time = poll_.began;
  status.reachable = true;
  status.max_resources = poll_.usable_resources.value_or(visit_.cluster.max_resources);
  status.api_latency_ms = poll_.latency_ms;
  status.stress = poll_.stress;
  status.response_ms = poll_.response_ms;
  std::int64_t used = 0, used_besteffort = 0, our_running = 0;
  for (const auto& job : poll_.occupying) {
    const auto ours = poll_.ours.find(job.id);
    const int resources = (ours == poll_.ours.end() ? job : ours->second).resources.value_or(1);
    used += resources;
    if (job.is_best_effort()) used_besteffort += resources;
    if (is_ours(job)) our_running += resources;
  }
  const auto at_most_all = [&](std::int64_t resources) {
    return static_cast<int>(std::min<std::int64_t>(resources, status.max_resources));
  };
  status.used = at_most_all(used);
  status.used_besteffort = at_most_all(used_besteffort);
  status.our_running = at_most_all(our_running);
  write_free_nodes(status);
  write_named_nodes();
  // The two lists are of different moments, so resources that passed from one job to another may be counted twice.
  status.used = std::min(status.used, status.max_resources);
  status.used_besteffort = std::min(status.used_besteffort, status.used);
  status.our_running = std::min(status.our_running, status.used);
  status.free = status.max_resources - status.used;
  status.our_waiting = static_cast<int>(std::lround(store::waiting_resources(transaction_, visit_.cluster.id)));
  if (poll_.usable_resources)
    store::record_resources(transaction_, visit_.cluster.id, *poll_.usable_resources, poll_.out, poll_.nodes, poll_.began,
                            {.reserved = poll_.reserved,
                             .reserved_nodes = poll_.reserved_nodes,
                             .others = poll_.others,
                             .memory = poll_.memory,
                             .levels = poll_.levels});
  if (poll_.reservations)
    store::record_reservations(transaction_, visit_.cluster.id,
                               grid::upcoming(*poll_.reservations, poll_.began, status.max_resources + poll_.reserved));
  write_load(status);
  store::record_status(transaction_, status);
  store::record_reached(transaction_, visit_.cluster.id, now_);
}

/// The resources of the nodes that jobs hold, which the list of jobs does not show. Where OAR does not answer that, all jobs count on the
/// resources of best-effort jobs.
void Writer::write_free_nodes(store::GridStatus& status) {
  if (!poll_.holds) {
    store::record_free_nodes(transaction_, visit_.cluster.id, std::nullopt);
    return;
  }
  store::FreeNodes free;
  std::int64_t held = 0;
  for (const auto& node : *poll_.holds) {
    held += node.best_effort ? node.held : 0;
    (node.best_effort ? free.nodes : free.reserved).add(std::max(0, node.usable - node.held));
  }
  status.used = static_cast<int>(std::min<std::int64_t>(held, status.max_resources));
  store::record_free_nodes(transaction_, visit_.cluster.id, free);
}

/// The nodes by name, where some are to stay empty. Where OAR does not say what jobs hold of each node, only those that sleep are known to
/// have none, and only when the resources were read.
void Writer::write_named_nodes() {
  if (visit_.cluster.wake_minutes <= 0 && !grid::packs_nodes(visit_.config)) return;
  using Rest = grid::NamedNode::Rest;
  grid::NamedNodes nodes;
  if (poll_.holds) {
    for (const auto& node : *poll_.holds) {
      if (!node.best_effort || node.usable <= 0) continue;
      const auto without_job = node.asleep >= node.usable ? Rest::asleep : Rest::empty;
      nodes.add({.name = node.node, .resources = node.usable, .rest = node.held > 0 ? Rest::open : without_job});
    }
  } else if (poll_.usable_resources) {
    for (const auto& node : poll_.listed)
      nodes.add({.name = node.name, .resources = node.usable, .rest = node.alive > 0 ? Rest::open : Rest::asleep});
  } else {
    return;
  }
  store::record_named_nodes(transaction_, visit_.cluster.id, nodes);
}

void Writer::write_load(const store::GridStatus& status) {
  constexpr grid::Seconds kLongestKept{600};
  if (!poll_.usable_resources) return;
  report_load();
  const auto& read_at = visit_.cluster.load_at;
  if (poll_.load && poll_.load->failed && read_at && *read_at <= now_ && now_ - *read_at < kLongestKept) return;
  std::optional<grid::ClusterLoad> load;
  if (poll_.load && !poll_.load->failed)
    load = poll_.load->held_known ? grid::load_by_node(poll_.load->nodes) : grid::load_in_all(poll_.load->nodes, status.used);
  store::record_load(transaction_, visit_.cluster.id, load, now_);
}

void Writer::report_load() {
  constexpr std::string_view kCode{"LOAD_UNKNOWN"};
  if (!poll_.load || poll_.load->unknown.empty()) {
    store::close_event(transaction_, kCode, here(), now_);
    return;
  }
  const auto policy = visit_.cluster.availability.value_or(visit_.config.availability);
  store::open_event(
      transaction_,
      {.code = kCode,
       .target = here(),
       .job = {},
       .message = fmt::format("availability is {}, but {}: {}; `gridctl cluster edit {} --load-property NAME` names another property, "
                              "`--availability dedicated` needs none",
                              grid::name_of(policy), poll_.load->unknown,
                              poll_.load->failed ? "the load that was read last counts for 10 minutes" : "their load counts as 0",
                              visit_.cluster.name)},
      now_);
}

/// Observes the local jobs that came, where the headroom is to be learnt.
void Writer::watch_local() {
  if (visit_.cluster.headroom.value_or(visit_.config.headroom).kind != grid::Headroom::Kind::automatic) return;
  std::vector<grid::LocalStart> local;
  for (const auto& job : poll_.occupying) {
    if (job.started && !job.is_best_effort() && !is_ours(job)) local.push_back({job.submitted, *job.started, job.resources.value_or(1)});
  }
  const int hour = grid::hour_of_day(poll_.began);
  auto [watch, demand] = store::watched_cluster(transaction_, visit_.cluster.id, hour);
  const auto arrivals = grid::note_poll(watch, local, poll_.began);
  store::note_poll(transaction_, visit_.cluster.id, watch);
  if (!arrivals) return;
  demand.observe(arrivals->seconds, arrivals->resources);
  store::note_demand(transaction_, visit_.cluster.id, hour, demand);
}

Changes Writer::write(const Judged& judged) {
  Changes changes;
  changes.observed = observe(judged);
  changes.absent = judged.absent;
  changes.followed = static_cast<int>(judged.followed.size());
  follow(judged);
  forget(judged);
  report_renamed(judged);
  lose_patience(judged);
  Tallies tallies;
  std::vector<grid::JobId> done;
  bool nodes_failed = !judged.followed.empty();
  changes.ended = settle_ends(transaction_, visit_, judged.over, now_, [&](const Settled& settled) {
    tallies.add(settled, poll_);
    if (settled.over->end == grid::JobEnd::done) done.push_back(settled.over->job);
    if (settled.over->end == grid::JobEnd::never_began || settled.over->end == grid::JobEnd::node_failure) nodes_failed = true;
  });
  store::request_kills_of_resent(transaction_, judged.perhaps_resent, now_);
  sample_durations(judged);
  tallies.write(transaction_, visit_, now_);
  brake_sinks(transaction_, visit_, done, now_);
  report_absent();
  write_status();
  // OAR suspects the nodes of such a job, which it may submit again itself: what is known of the resources is out of date.
  if (nodes_failed) store::reread_resources(transaction_, visit_.cluster.id);
  watch_local();
  return changes;
}

}  // namespace

Changes write(store::Transaction& transaction, const fleet::Visit& visit, const Poll& poll, const Judged& judged, grid::Instant now) {
  return Writer{transaction, visit, poll, now}.write(judged);
}

}  // namespace gleaner::updator
