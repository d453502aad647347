#include "sim/world/gate.hpp"

#include <fmt/format.h>

#include <utility>

#include "lib/store/database.hpp"

namespace gleaner::world {

Gate::Gate(WorldDatabase& database, VirtualClock& clock, Faults& faults, Trace& trace)
    : database_{database}, clock_{clock}, faults_{faults}, trace_{trace} {
  store::watch(this);
}

Gate::~Gate() { store::watch(nullptr); }

std::string Gate::enter(std::string module) {
  is_dead_ = false;
  has_lost_database_ = false;
  return std::exchange(module_, std::move(module));
}

void Gate::die_perhaps(std::string_view place) {
  if (module_.empty()) return;
  if (is_dead_) throw Death{};
  if (!faults_.kills(module_)) return;
  is_dead_ = true;
  trace_.note(fmt::format("death {} at {}", module_, place));
  throw Death{};
}

void Gate::pass(std::string_view place) {
  if (std::this_thread::get_id() != thread_) return;
  database_.follow_time();
  if (module_.empty()) return;
  die_perhaps(place);
  if (has_lost_database_) throw store::Unavailable{"the database went away"};
  if (faults_.is_away(Fault::away, "database")) {
    has_lost_database_ = true;
    faults_.count(Fault::away);
    throw store::Unavailable{"the database cannot be reached: the world has taken it away"};
  }
}

/// A transaction takes its time, so that a loop that ends after some time ends.
void Gate::before_transaction() {
  constexpr std::chrono::microseconds kTransaction{500};
  if (std::this_thread::get_id() == thread_ && !module_.empty()) clock_.advance(kTransaction);
  pass("begin");
}

void Gate::after_commit() {
  if (std::this_thread::get_id() != thread_ || module_.empty()) return;
  die_perhaps("committed");
  if (!faults_.happens(Fault::commit_lost)) return;
  trace_.note(fmt::format("commit_lost {}", module_));
  has_lost_database_ = true;
  throw store::Unavailable{"the database went away at the commit"};
}

void Gate::at_request(std::string_view place) {
  if (std::this_thread::get_id() == thread_) die_perhaps(place);
}

}  // namespace gleaner::world
