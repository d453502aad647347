#pragma once
#include <chrono>
#include <list>
#include <optional>
#include <string>

#include "lib/process/config.hpp"
#include "lib/store/database.hpp"
#include "sim/world/gate.hpp"
#include "sim/world/turns.hpp"

namespace gleaner::world {

/// The conductors of the grid. Where one can be lost, there are two, each on a host of its own with its modules: the first one to find the
/// lease free conducts, and the other one stands by.
class Conductors {
 public:
  Conductors(const process::Config& config, const Settings& settings, WorldDatabase& database, VirtualClock& clock, Gate& gate,
             Trace& trace);

  /// Each conductor that is able to: a cycle of the grid by the one with the lease, a try to take it by the other one.
  void cycle();
  /// As long as it lives, this host takes no turn.
  class Without {
   public:
    Without(Conductors& conductors, const std::string& host) : left_out_{conductors.left_out_} { left_out_ = host; }
    ~Without() { left_out_.reset(); }
    Without(const Without&) = delete;
    Without& operator=(const Without&) = delete;

   private:
    std::optional<std::string>& left_out_;
  };
  /// The pause from the begin of a cycle to the next one. As at almighty: longer when nothing can change without a user.
  [[nodiscard]] std::chrono::milliseconds period();

 private:
  struct Conductor {
    Conductor(std::string name, const process::Config& config_of_it, WorldDatabase& database, Gate& gate, Trace& trace);
    std::string host;
    process::Config config;
    WorldTurns turns;
    std::optional<store::Database> connection{};
    std::optional<store::Term> term{};
    grid::Instant starts_at{};  ///< after its death
  };
  void take_turn(Conductor& conductor);
  [[nodiscard]] bool conducts(Conductor& conductor);

  WorldDatabase& database_;
  VirtualClock& clock_;
  Gate& gate_;
  Trace& trace_;
  Random restarts_;
  std::list<Conductor> conductors_;
  std::optional<std::string> left_out_;
};

}  // namespace gleaner::world
