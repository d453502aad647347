#include "updator/settling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <set>

#include "lib/grid/exit_status.hpp"
#include "lib/grid/program_file.hpp"
#include "lib/grid/script.hpp"
#include "lib/process/log.hpp"
#include "lib/store/batch.hpp"
#include "lib/store/events.hpp"
#include "updator/classify.hpp"

namespace gleaner::updator {
namespace {

/// Jobs of which no two belong to the same task.
struct Round {
  std::vector<const Over*> over;
  std::vector<store::SettlingFacts> facts;  ///< of each job in `over`
};

class Settling {
 public:
  Settling(store::Transaction& transaction, const fleet::Visit& visit, grid::Instant now,
           const std::function<void(const Settled&)>& written)
      : transaction_{transaction}, visit_{visit}, now_{now}, written_{written} {}

  int settle(std::span<const Over> over);

 private:
  [[nodiscard]] Round next_round();
  [[nodiscard]] store::Verdict verdict_of(const Over& over, store::SettlingFacts facts);
  void find_holder(const Over& over, store::SettlingFacts& facts);
  bool revives_holder(const Over& over);
  int write(const Round& round);
  void set_aside(const Over& over, const std::string& why);

  store::Transaction& transaction_;
  const fleet::Visit& visit_;
  grid::Instant now_;
  const std::function<void(const Settled&)>& written_;
  std::deque<const Over*> waiting_;
  std::deque<Over> found_;  ///< jobs of void launches
};

bool is_live(grid::JobState state) {
  return state != grid::JobState::terminated && state != grid::JobState::error && state != grid::JobState::killed;
}

grid::JobState state_of(const Over& over) {
  if (over.end == grid::JobEnd::killed_by_us) return grid::JobState::killed;
  if (over.end == grid::JobEnd::never_began) return grid::JobState::error;  // whatever status OAR recorded of its shell
  if (over.remote != nullptr && over.remote->state != oar::RemoteState::error) return grid::JobState::terminated;
  return over.evidence.witness == grid::Witness::ended &&
                 (over.end == grid::JobEnd::done || grid::charge_of(over.end) == grid::Charge::task)
             ? grid::JobState::terminated
             : grid::JobState::error;
}

/// Whether a carrier that nobody interrupted shows what its start cost: for how long it held its resources, less its tasks, if these ran
/// one after the other.
bool shows_start_cost(const Over& over) {
  return over.live != nullptr && over.live->carries && !over.live->side_by_side && over.beside != nullptr && over.remote != nullptr &&
         over.remote->started && over.remote->stopped && (over.run_end == grid::JobEnd::done || over.run_end == grid::JobEnd::task_error);
}

/// In the encoding of wait(). A command that never began has none.
std::optional<int> wait_status_of(const Over& over) {
  if (over.end == grid::JobEnd::never_began) return std::nullopt;
  if (over.evidence.witness == grid::Witness::ended) return over.evidence.status << 8;
  return over.remote != nullptr ? over.remote->exit_status : std::nullopt;
}

/// Whether its status is what bash ends with when the file of the program is missing, cannot be read, or is not whole.
bool lacked_its_program(const Over& over) {
  constexpr int kSyntaxError = 2, kCannotRead = 126, kMissing = 127;
  if (!program_of_never_begun(over)) return false;
  const auto status = over.record.status.value_or(0);
  return status == kSyntaxError || status == kCannotRead || status == kMissing || status == grid::kProgramDamaged;
}

Round Settling::next_round() {
  std::map<grid::JobId, const Over*> wanted;
  std::vector<grid::JobId> ids;
  for (const auto* over : waiting_) {
    if (wanted.emplace(over->job, over).second) ids.push_back(over->job);
  }
  Round round;
  std::set<std::pair<grid::CampaignId, grid::TaskNumber>> tasks;
  std::set<grid::JobId> ended_already;
  for (auto& facts : store::facts_for_settling(transaction_, ids)) {
    if (!tasks.emplace(facts.campaign, facts.number).second) continue;
    // The holder's number is read from a user's home, so it may name a job of any campaign.
    if (!is_live(facts.state) || facts.campaign != wanted.at(facts.id)->campaign) {
      ended_already.insert(facts.id);
      continue;
    }
    round.over.push_back(wanted.at(facts.id));
    round.facts.push_back(std::move(facts));
  }
  std::set<const Over*> taken{round.over.begin(), round.over.end()};
  const auto before = waiting_.size();
  std::erase_if(waiting_, [&](const Over* over) { return taken.contains(over) || ended_already.contains(over->job); });
  if (waiting_.size() == before) waiting_.clear();  // the rest was pruned meanwhile
  return round;
}

/// Revives the holder if its files show that it began although it was taken never to begin: OAR started it late, or carried out its
/// submission twice, or its files could not be read.
bool Settling::revives_holder(const Over& over) {
  const auto remote = over.beside == nullptr ? std::nullopt : over.beside->claimed_as(over.evidence.holder);
  return remote && store::revive_job(transaction_, over.evidence.holder, *remote, *over.live);
}

/// Finds the holder of a claim that no live job can hold: a job of a void launch, or one that was taken never to begin.
void Settling::find_holder(const Over& over, store::SettlingFacts& facts) {
  if (over.end != grid::JobEnd::duplicate || over.live == nullptr || facts.job.contender_lives ||
      !grid::is_copy(facts.task, facts.job.attempt))
    return;
  facts.job.contender_lives = revives_holder(over) || store::reopen_twin(transaction_, *over.live);
  if (!facts.job.contender_lives) return;
  const auto holder = over.evidence.holder;
  if (holder.value() == 0 || over.beside == nullptr) return;
  const auto evidence =
      over.beside->of({.task = facts.number, .attempt = facts.job.attempt, .job = holder, .remote = grid::RemoteJobId{0}});
  const grid::RemoteEnd record{.record = grid::Record::forgotten, .started = true};
  if (evidence.witness != grid::Witness::ended || grid::end_of(record, evidence, grid::Deletion::none) == grid::JobEnd::node_failure)
    return;
  found_.push_back({.job = holder, .campaign = over.campaign, .record = record, .evidence = evidence});
  found_.back().end = grid::end_of(record, evidence, grid::Deletion::none);
  waiting_.push_back(&found_.back());
}

/// Whether a task can have taken that long. Users can name files as they like, and nodes' clocks are set.
bool is_believable(std::chrono::milliseconds duration, grid::Seconds walltime) {
  constexpr std::chrono::minutes kMargin{10};  // until a command is stopped, after its walltime
  return duration <= walltime + kMargin;
}

/// Rounded up, as memory_mb is requested. An amount that no node has is no memory.
std::optional<int> in_mb(std::optional<std::int64_t> kib) {
  constexpr std::int64_t kKibOfMb = 1024, kMostMb = 1'000'000'000;
  if (!kib || *kib < 0 || *kib / kKibOfMb > kMostMb) return std::nullopt;
  return static_cast<int>((*kib + kKibOfMb - 1) / kKibOfMb);
}

/// In MB. More in a second than any file system moves is an error of the counters, or of whoever named the file.
std::optional<double> moved_mb(std::optional<std::int64_t> kib, double seconds) {
  constexpr double kMbOfKib = 1024 / 1e6, kMostMbOfSecond = 1e6, kStep = 0.01;
  if (!kib || *kib < 0) return std::nullopt;
  const auto mb = static_cast<double>(*kib) * kMbOfKib;
  return mb <= kMostMbOfSecond * std::max(seconds, kStep) ? std::optional{mb} : std::nullopt;
}

/// Whether a task that failed with this status is run again, as its JDL lists the statuses; an empty list: all of them.
bool is_retried(const std::vector<int>& retry_on, std::optional<int> status) {
  return retry_on.empty() || (status && std::ranges::find(retry_on, *status) != retry_on.end());
}

store::Verdict Settling::verdict_of(const Over& over, store::SettlingFacts facts) {
  facts.job.began = grid::has_begun(over.record, over.evidence);
  facts.job.claimed = grid::has_claimed(over.evidence);
  facts.job.may_begin = grid::may_begin(over.record, over.evidence);
  facts.job.holder_status = over.evidence.holder_status;
  if (facts.job.checkpoints && over.checkpoint) facts.job.signalled = facts.job.has_checkpoint = true;
  facts.job.retried = is_retried(facts.retry_on, grid::status_of(over.record, over.evidence));
  find_holder(over, facts);
  const auto& config = visit_.config;
  // A script that fails is run again when its user has fixed what it failed on.
  const bool is_script = grid::script_of(facts.number).has_value();
  store::Verdict verdict;
  verdict.settlement = grid::settle(facts.task, facts.job, over.end, over.deletion,
                                    {.attempts = config.max_attempts,
                                     .charged = is_script ? 1 : config.max_charged_attempts,
                                     .retries = config.max_retries,
                                     .walltime_factor = config.walltime_retry_factor});
  verdict.state = state_of(over);
  verdict.end = over.end;
  verdict.lacked_program = lacked_its_program(over);
  verdict.run_end = over.run_end;
  verdict.exit_status = wait_status_of(over);
  if (facts.job.checkpoints) verdict.checkpointed_at = over.checkpoint;
  if (over.remote != nullptr) {
    verdict.started_at = over.remote->started;
    verdict.ended_at = over.remote->stopped;
    verdict.resources = over.remote->resources;
  }
  if (over.evidence.duration && is_believable(*over.evidence.duration, facts.job.walltime)) {
    const auto seconds = std::chrono::duration<double>{*over.evidence.duration}.count();
    const bool has_one_task = over.live != nullptr && !over.live->carries && over.live->state != grid::JobState::pooled;
    (has_one_task ? verdict.command : verdict.duration) = seconds;
    verdict.wall = seconds;
    if (over.evidence.cpu) verdict.cpu = std::chrono::duration<double>{*over.evidence.cpu}.count();
    verdict.peak_memory = in_mb(over.evidence.peak_kib);
    verdict.io_mb = moved_mb(over.evidence.moved_kib, seconds);
    if (shows_start_cost(over)) {
      const auto carried = over.beside->carried_by(over.live->remote);
      if (is_believable(carried, over.live->walltime)) verdict.command = std::chrono::duration<double>{carried}.count();
    }
    if (over.live != nullptr && over.live->state == grid::JobState::pooled)
      verdict.started_at = now_ - std::chrono::duration_cast<grid::Instant::duration>(*over.evidence.duration);
  }
  if (over.beside != nullptr) {
    const auto ended = over.evidence.witness == grid::Witness::duplicate ? over.evidence.holder : over.job;
    verdict.given = over.beside->given_by(ended);
    if (over.end == grid::JobEnd::task_error) verdict.stderr_line = over.beside->stderr_line_of(ended);
  }
  verdict.message = describe_end({.end = over.end,
                                  .record = over.record,
                                  .evidence = over.evidence,
                                  .cluster_words = over.cluster_words,
                                  .walltime = facts.job.walltime,
                                  .max_walltime = facts.job.max_walltime,
                                  .settlement = verdict.settlement,
                                  .exec_directory = over.live != nullptr ? over.live->exec_directory : std::string{},
                                  .login = over.live != nullptr ? over.live->login : std::string{},
                                  .lacked_program = verdict.lacked_program,
                                  .without_identity = over.without_identity});
  verdict.left = std::move(facts);
  return verdict;
}

void Settling::set_aside(const Over& over, const std::string& why) {
  process::log::error("the end of a job cannot be written", {{"cluster", visit_.cluster.name}, {"job", over.job}, {"error", why}});
  store::note_refused(transaction_, {.campaign = over.campaign, .cluster = visit_.cluster.id},
                      fmt::format("the end of job {}", over.job.value()), why, now_);
}

int Settling::write(const Round& round) {
  struct One {
    const Over* over;
    store::Verdict verdict;
  };
  std::vector<One> all;
  for (std::size_t i = 0; i < round.over.size(); ++i) all.push_back({round.over[i], verdict_of(*round.over[i], round.facts[i])});
  int ended = 0;
  const auto write_part = [&](std::span<const One> part) {
    std::vector<store::Verdict> verdicts;
    for (const auto& one : part) verdicts.push_back(one.verdict);
    ended += store::settle_jobs(transaction_, verdicts, now_);
    for (const auto& one : part) written_({one.over, &one.verdict});
  };
  store::write_batch(transaction_, all, write_part, [&](const One& one, const std::string& why) { set_aside(*one.over, why); });
  return ended;
}

int Settling::settle(std::span<const Over> over) {
  for (const auto& one : over) waiting_.push_back(&one);
  int ended = 0;
  while (!waiting_.empty()) ended += write(next_round());
  std::vector<grid::JobId> found;
  for (const auto& one : found_) found.push_back(one.job);
  if (!found.empty()) store::accept_found(transaction_, found, now_);
  return ended;
}

}  // namespace

std::optional<std::string_view> program_of_never_begun(const Over& over) {
  const bool never_began = over.end == grid::JobEnd::never_began && over.evidence.witness == grid::Witness::nothing;
  if (!never_began || over.record.record != grid::Record::exited || over.live == nullptr || over.remote == nullptr) return std::nullopt;
  return grid::called_program(over.remote->command);
}

int settle_ends(store::Transaction& transaction, const fleet::Visit& visit, std::span<const Over> over, grid::Instant now,
                const std::function<void(const Settled&)>& written) {
  return Settling{transaction, visit, now, written}.settle(over);
}

}  // namespace gleaner::updator
