#include "sim/world/gate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "lib/store/database.hpp"

namespace gleaner::world {

Gate::Gate(WorldDatabase& database, VirtualClock& clock, Faults& faults, Trace& trace)
    : database_{database}, clock_{clock}, faults_{faults}, trace_{trace} {
  store::watch(this);
}

Gate::~Gate() { store::watch(nullptr); }

Gate::Program Gate::enter(Program program) {
  auto before = std::exchange(now_, Passing{.program = std::move(program)}).program;
  if (now_.program.term) write_under(*now_.program.term);
  return before;
}

void Gate::write_under(store::Term term) {
  now_.program.term = term;
  newest_term_ = std::max(newest_term_, term);
}

/// Another conductor may have taken the lease while this program stood still.
void Gate::judge_term() {
  const auto& [module, host, term] = now_.program;
  if (!term || *term >= newest_term_ || !find_ || !database_.has_written(fmt::format("{}@{}", module, host))) return;
  find_(fmt::format("{} of {} writes under term {}, and term {} has begun", module, host, *term, newest_term_));
}

void Gate::die_perhaps(std::string_view place) {
  const auto& module = now_.program.module;
  if (module.empty()) return;
  if (now_.is_dead) throw Death{};
  if (!faults_.kills(module)) return;
  now_.is_dead = true;
  trace_.note(fmt::format("death {} at {}", module, place));
  throw Death{};
}

/// Not within a transaction: the world would wait for its locks for ever.
void Gate::stand_still_perhaps() {
  constexpr std::int64_t kMostPassages = 100;  // about those of a cycle
  const auto& host = now_.program.host;
  if (host.empty() || !play_on_ || plays_on_ || now_.is_dead) return;
  const auto until = faults_.end_of_outage(Fault::stopped, host);
  if (!until) return;
  auto& [end, survived] = stops_[host];
  if (std::exchange(end, *until) != *until) survived = faults_.random(Fault::stopped).between(0, kMostPassages);
  if (survived-- > 0 || database_.has_open_transactions()) return;
  faults_.count(Fault::stopped);
  trace_.note(fmt::format("{} of {} stands still", now_.program.module, host));
  const auto stopped = std::exchange(now_, {});
  plays_on_ = true;
  play_on_(stopped.program.host, *until);
  plays_on_ = false;
  now_ = stopped;
  database_.follow_time();
  trace_.note(fmt::format("{} of {} goes on", now_.program.module, host));
}

void Gate::pass(std::string_view place) {
  if (std::this_thread::get_id() != thread_) return;
  database_.follow_time();
  const auto& module = now_.program.module;
  const auto& host = now_.program.host;
  if (module.empty()) return;
  stand_still_perhaps();
  die_perhaps(place);
  if (now_.has_lost_database) throw store::Unavailable{"the database went away"};
  const bool is_away = faults_.is_away(Fault::away, "database");
  if (!is_away && (host.empty() || !faults_.is_away(Fault::partitioned, host))) return;
  now_.has_lost_database = true;
  faults_.count(is_away ? Fault::away : Fault::partitioned);
  throw store::Unavailable{"the database cannot be reached: the world has taken it away"};
}

/// A transaction takes its time, so that a loop that ends after some time ends.
void Gate::before_transaction() {
  constexpr std::chrono::microseconds kTransaction{500};
  if (std::this_thread::get_id() == thread_ && !now_.program.module.empty()) clock_.advance(kTransaction);
  pass("begin");
}

void Gate::before_commit() {
  pass("commit");
  if (std::this_thread::get_id() == thread_) judge_term();
}

void Gate::after_commit() {
  if (std::this_thread::get_id() != thread_ || now_.program.module.empty()) return;
  die_perhaps("committed");
  if (!faults_.happens(Fault::commit_lost)) return;
  trace_.note(fmt::format("commit_lost {}", now_.program.module));
  now_.has_lost_database = true;
  throw store::Unavailable{"the database went away at the commit"};
}

void Gate::at_request(std::string_view place) {
  if (std::this_thread::get_id() != thread_) return;
  stand_still_perhaps();
  die_perhaps(place);
}

}  // namespace gleaner::world
