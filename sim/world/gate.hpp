#pragma once
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <thread>

#include "lib/store/database.hpp"
#include "lib/store/watcher.hpp"
#include "sim/world/database.hpp"
#include "sim/world/faults.hpp"
#include "sim/world/trace.hpp"

namespace gleaner::world {

/// A module died. Whoever catches it in production comes no further: each request and each use of the database throws it again.
class Death : public std::exception {
 public:
  [[nodiscard]] const char* what() const noexcept override { return "the module died"; }
};

/// Passed by each module on its way to the database or a cluster. A module that dies between two such passages might as well have died at
/// the first one: nobody sees a difference, so that these are all the places where one has to die. Whatever is drawn to happen at a passage
/// happens here. Other threads than the world's pass freely.
class Gate final : public store::Watcher {
 public:
  Gate(WorldDatabase& database, VirtualClock& clock, Faults& faults, Trace& trace);
  ~Gate() override;
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  struct Program {
    std::string module;                    ///< empty: the world itself, which meets no fault
    std::string host;                      ///< of a conductor; empty: another one
    std::optional<store::Term> term = {};  ///< under which it writes
  };
  /// From now on, this program passes. Returns which one did before.
  Program enter(Program program);
  /// From now on, the one who entered writes under this term.
  void write_under(store::Term term);
  /// Receives what must not be: a program that writes under a term that is over.
  void find_by(std::function<void(std::string)> find) { find_ = std::move(find); }
  /// Whether the one who entered has died, or lost its connection to the database.
  [[nodiscard]] bool is_dead() const { return now_.is_dead; }
  [[nodiscard]] bool has_lost_database() const { return now_.has_lost_database; }
  /// Plays on without a conductor's host, whose programs stand still, until that instant. Null, as at first: no host ever does.
  using PlayOn = std::function<void(const std::string& host, grid::Instant until)>;
  void play_on_by(PlayOn play_on) { play_on_ = std::move(play_on); }

  void before_connection() override { pass("connection"); }
  void before_transaction() override;
  void before_commit() override;
  void after_commit() override;
  /// Before and after a request to a cluster. Throws Death.
  void at_request(std::string_view place);

 private:
  void pass(std::string_view place);
  void die_perhaps(std::string_view place);
  void stand_still_perhaps();
  void judge_term();

  /// The program that passes, and the fault that it met.
  struct Passing {
    Program program{};
    bool is_dead = false;
    bool has_lost_database = false;
  };
  WorldDatabase& database_;
  VirtualClock& clock_;
  Faults& faults_;
  Trace& trace_;
  std::thread::id thread_ = std::this_thread::get_id();
  Passing now_;
  PlayOn play_on_;
  std::function<void(std::string)> find_;
  store::Term newest_term_ = 0;
  bool plays_on_ = false;
  struct Stop {
    grid::Instant outage_end;
    std::int64_t passages;  ///< so many more before it
  };
  std::map<std::string, Stop> stops_;  ///< the present or last one, by host
};

}  // namespace gleaner::world
