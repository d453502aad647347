#pragma once
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/world/random.hpp"
#include "sim/world/settings.hpp"
#include "sim/world/virtual_clock.hpp"

namespace gleaner::world {

/// A time during which something is away.
struct Outage {
  grid::Instant begin;
  grid::Instant end;
};

/// Decides, from the seed, when which fault happens. No fault happens after the end of the disturbed time.
class Faults {
 public:
  Faults(const Settings& settings, const VirtualClock& clock);

  /// Whether the fault happens now, at one of the places where it may.
  [[nodiscard]] bool happens(Fault fault);
  /// Whether this program dies now: by chance, and once at one of its first passages after a moment that is drawn for it, so that each
  /// program dies in nearly every world, however seldom it passes.
  [[nodiscard]] bool kills(const std::string& program);
  /// Whether now is in one of a subject's outages; these are drawn at the beginning.
  [[nodiscard]] bool is_away(Fault fault, const std::string& subject);
  /// The end of the outage in which a subject is now; empty: it is in none.
  [[nodiscard]] std::optional<grid::Instant> end_of_outage(Fault fault, const std::string& subject);
  /// Whether the first of a subject's outages has begun, so long ago at least, for what stays as it is then.
  [[nodiscard]] bool has_begun(Fault fault, const std::string& subject, std::chrono::seconds ago = {});
  /// The begins and ends of a subject's outages, in their order.
  [[nodiscard]] const std::vector<Outage>& outages(Fault fault, const std::string& subject);
  [[nodiscard]] Random& random(Fault fault) { return random_.at(static_cast<std::size_t>(fault)); }
  [[nodiscard]] std::uint64_t seed() const { return settings_.seed; }
  [[nodiscard]] bool are_over() const { return clock_.now() >= end_; }
  [[nodiscard]] grid::Instant end() const { return end_; }
  [[nodiscard]] grid::Instant now() const { return clock_.now(); }

  /// How often each happened, where it changed something: an outage in which nobody asks is none. Deaths also by program
  /// ("death of runner").
  [[nodiscard]] const std::map<std::string, std::int64_t>& happened() const { return happened_; }
  void count(Fault fault);
  /// A clock stepped: that of "host", "OAR" or "nodes". Counted as "clocks", and as "clock of OAR".
  void count_clock(std::string_view whose);

  /// The longest time from a fault, or the last moment of an outage that somebody met, until a task ended on the grid.
  struct Healing {
    std::chrono::microseconds time{0};
    std::string kind;
  };
  [[nodiscard]] const Healing& worst_healing() const { return worst_; }
  /// A task has ended now.
  void heal();
  /// There is nothing to do, so that nobody waits for a task's end.
  void forget_unhealed() { unhealed_.clear(); }

 private:
  /// A death that waits for its program.
  struct Appointment {
    grid::Instant from;
    std::int64_t passages;  ///< so many more are survived
  };
  /// How many times the usual number of them there are.
  [[nodiscard]] double rate_of(Fault fault) const;
  [[nodiscard]] std::vector<Outage> draw(Fault fault, const std::string& subject) const;

  const Settings& settings_;
  const VirtualClock& clock_;
  grid::Instant end_;
  std::vector<Random> random_;
  std::map<std::string, std::int64_t> happened_;
  std::map<Fault, grid::Instant> unhealed_;  ///< the last ones since a task ended
  Healing worst_;
  std::map<std::string, Appointment> appointments_;  ///< by program
  std::map<std::pair<Fault, std::string>, std::vector<Outage>> outages_;
};

}  // namespace gleaner::world
