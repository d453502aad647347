#pragma once
#include <exception>
#include <string>
#include <thread>

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

  /// From now on, this program passes. Returns which one did before. Empty: the world itself, which meets no fault.
  std::string enter(std::string module);
  /// Whether the one who entered has died, or lost its connection to the database.
  [[nodiscard]] bool is_dead() const { return is_dead_; }
  [[nodiscard]] bool has_lost_database() const { return has_lost_database_; }

  void before_connection() override { pass("connection"); }
  void before_transaction() override;
  void before_commit() override { pass("commit"); }
  void after_commit() override;
  /// Before and after a request to a cluster. Throws Death.
  void at_request(std::string_view place);

 private:
  void pass(std::string_view place);
  void die_perhaps(std::string_view place);

  WorldDatabase& database_;
  VirtualClock& clock_;
  Faults& faults_;
  Trace& trace_;
  std::thread::id thread_ = std::this_thread::get_id();
  std::string module_;
  bool is_dead_ = false;
  bool has_lost_database_ = false;
};

}  // namespace gleaner::world
