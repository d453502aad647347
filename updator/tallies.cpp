#include "updator/tallies.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lib/grid/failed_since.hpp"
#include "lib/grid/program_file.hpp"
#include "lib/store/batch.hpp"
#include "lib/store/events.hpp"
#include "lib/store/failed_since.hpp"
#include "lib/store/inputs.hpp"
#include "lib/store/scripts.hpp"

namespace gleaner::updator {
namespace {

std::string_view code_of(grid::JobEnd end) {
  switch (end) {
    case grid::JobEnd::walltime: return "WALLTIME";
    case grid::JobEnd::bad_request: return "BAD_REQUEST";
    case grid::JobEnd::cannot_start: return "CANNOT_START";
    case grid::JobEnd::never_began: return "NEVER_BEGAN";
    default: return "TASK_ERROR";
  }
}

}  // namespace

void Tallies::write_one(store::Transaction& transaction, const process::Config& config, const store::Target& pair, const Tally& tally,
                        grid::Instant now) {
  if (tally.done > 0 && tally.failures_before > 0) store::release_brake(transaction, pair);
  if (tally.failed + tally.excused == 0) return;
  store::open_event(transaction,
                    {.code = code_of(tally.last),
                     .target = pair,
                     .job = tally.last_job,
                     .message = tally.cause,
                     .occurrences = tally.failed + tally.excused,
                     .output = tally.output},
                    now);
  doubt_programs(transaction, pair, tally, now);
  // The wrapper's complaint may concern an input file, and its report may be lost with a full home.
  if (tally.last == grid::JobEnd::cannot_start) store::send_inputs_again(transaction, *pair.campaign, *pair.cluster);
  if (tally.failed == 0) return;
  const int in_a_row = grid::failures_in_a_row(tally.failures_before, tally.done, tally.failed);
  if (in_a_row < config.failures_before_brake) return;
  const auto reason = fmt::format("{} jobs in a row failed there ({})", in_a_row, tally.cause);
  store::set_brake(
      transaction, pair, reason,
      {std::chrono::duration_cast<grid::Seconds>(config.brake_time), std::chrono::duration_cast<grid::Seconds>(config.brake_time_max)},
      now);
}

/// The runner puts them again. Where that did not help, jobs do without them, so that no job ends at once for that reason again and again.
void Tallies::doubt_programs(store::Transaction& transaction, const store::Target& pair, const Tally& tally, grid::Instant now) {
  for (const auto& [program, launch] : tally.programs) {
    const store::ProgramPlace place{.cluster = *pair.cluster, .login = program.login, .sha256 = program.sha256};
    if (store::doubt_program(transaction, place, launch, tally.cause, now) != store::ProgramDoubt::given_up) continue;
    store::open_event(transaction,
                      {.code = "PROGRAM_UNUSABLE",
                       .target = pair,
                       .job = tally.last_job,
                       .message = fmt::format(
                           "jobs of {} could not begin by their program {}/{}, twice within {} h, although the grid had put it again. "
                           "For {} h the commands of its jobs have the program in them, and are longer. Do nodes have the same home as "
                           "the host of OAR's API, with bash and sha256sum? Who removes files there? What do the login shell's start "
                           "files do? The last one: {}",
                           program.login, grid::kProgramsFolder, program.sha256, store::kDoubtAgain.count(), store::kWithoutProgram.count(),
                           tally.cause)},
                      now);
  }
}

void Tallies::add(const Settled& settled, const Poll& poll) {
  const auto& over = *settled.over;
  const auto& verdict = *settled.verdict;
  auto& tally = tallies_[over.campaign];
  if (over.live != nullptr) tally.failures_before = over.live->failures_in_a_row;
  const auto last_unbegun = over.live != nullptr ? over.live->last_unbegun : std::nullopt;
  if (over.end == grid::JobEnd::done && grid::shows_beginning(over.job, last_unbegun)) ++tally.done;
  const auto script = grid::script_of(verdict.left.number);
  const bool script_failed = script && verdict.settlement.moves && verdict.settlement.state == grid::TaskState::failed;
  const bool was_planned = over.end == grid::JobEnd::walltime && verdict.settlement.kept;
  const bool failed = grid::is_failure(over.end) && !was_planned;
  if (!failed && !script_failed) return;
  const auto what = script ? fmt::format("the {}", grid::name_of(*script)) : fmt::format("task {}", verdict.left.number.value());
  const auto cause = over.remote != nullptr ? fmt::format("{}, job {} of OAR: {}", what, over.remote->id.value(), verdict.message)
                                            : fmt::format("{}, job {}: {}", what, over.job.value(), verdict.message);
  const auto tail = poll.stderr_tails.find(over.job);
  auto output = tail == poll.stderr_tails.end() ? std::string{} : tail->second;
  if (script_failed) {
    scripts_.push_back({over.campaign, *script, over.job, cause, std::move(output)});
    return;
  }
  if (grid::is_failure(over.end, verdict.settlement, verdict.left.task) && !verdict.lacked_program) ++tally.failed;
  else ++tally.excused;
  if (const auto called = program_of_never_begun(over)) {
    auto& launch = tally.programs.try_emplace({over.live->login, std::string{*called}}, over.live->launch).first->second;
    launch = std::max(launch, over.live->launch);
  }
  tally.last = over.end;
  // The longest one holds the most detail.
  if (cause.size() + output.size() >= tally.cause.size() + tally.output.size()) {
    tally.last_job = over.job;
    tally.cause = cause;
    tally.output = std::move(output);
  }
}

void Tallies::write(store::Transaction& transaction, const fleet::Visit& visit, grid::Instant now) const {
  for (const auto& failed : scripts_) {
    store::open_event(transaction,
                      {.code = store::failure_code_of(failed.script),
                       .target = {.campaign = failed.campaign, .cluster = visit.cluster.id},
                       .job = failed.job,
                       .message = failed.message,
                       .output = failed.output},
                      now);
  }
  for (const auto& [campaign, tally] : tallies_) {
    const store::Target pair{.campaign = campaign, .cluster = visit.cluster.id};
    store::write_or_note(transaction, pair, "what follows for the campaign from the ends of its jobs", now,
                         [&] { write_one(transaction, visit.config, pair, tally, now); });
  }
  store::write_or_note(transaction, {.campaign = {}, .cluster = visit.cluster.id}, "whether all that it runs fails", now,
                       [&] { brake_where_all_fails(transaction, visit, now); });
}

/// Failures of tasks that failed before are no sign of a cluster that is out of order, unless nothing but failures comes from there.
void Tallies::brake_where_all_fails(store::Transaction& transaction, const fleet::Visit& visit, grid::Instant now) const {
  std::vector<store::FailedSince> failed;
  bool is_done = false;
  for (const auto& [campaign, tally] : tallies_) {
    is_done = is_done || tally.done > 0;
    if (tally.failed + tally.excused > 0) failed.push_back({campaign, tally.failed + tally.excused});
  }
  if (is_done) store::forget_failed_since(transaction, visit.cluster.id);
  if (is_done || failed.empty()) return;
  const auto since = store::count_failed_since(transaction, visit.cluster.id, failed);
  const auto& config = visit.config;
  for (const auto& [campaign, failures] : grid::where_all_fails(since, config.failures_before_brake)) {
    const auto tally = tallies_.find(campaign);
    if (tally == tallies_.end() || tally->second.failed + tally->second.excused == 0) continue;
    store::count_as_failures(transaction, campaign, visit.cluster.id);
    const auto reason = fmt::format("{} jobs in a row failed there, and those of other campaigns too, with none done in between ({})",
                                    failures, tally->second.cause);
    store::set_brake(
        transaction, {.campaign = campaign, .cluster = visit.cluster.id}, reason,
        {std::chrono::duration_cast<grid::Seconds>(config.brake_time), std::chrono::duration_cast<grid::Seconds>(config.brake_time_max)},
        now);
  }
}

}  // namespace gleaner::updator
