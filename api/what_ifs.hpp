#pragma once
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "api/call.hpp"
#include "api/places.hpp"
#include "api/shared_answers.hpp"
#include "lib/store/scenario.hpp"
#include "sim/gridsim/engine/what_if.hpp"

namespace gleaner::api {

/// Plays the grid forward for those who ask what if. A play is the work of the program `what-if`, a process that steps behind all others,
/// for some seconds and with so much memory at most: one at a time, in the order in which they were asked for, and once for all who ask the
/// same of the same picture of the grid. A user has two questions at once at most, so that nobody keeps the others from theirs.
/// Thread-safe.
class WhatIfs {
 public:
  struct Options {
    std::filesystem::path program;
    int askers = 12;  ///< questions at once, of all users
    std::chrono::milliseconds picture_lasts{std::chrono::seconds{30}};
    std::chrono::milliseconds answer_lasts{std::chrono::seconds{90}};  ///< longer than a picture, and a wait for a turn
    std::chrono::milliseconds patience{std::chrono::seconds{30}};      ///< for a turn
    std::chrono::milliseconds time{std::chrono::seconds{3}};           ///< of the processor, for a play
    std::chrono::milliseconds most{std::chrono::seconds{14}};          ///< of the clock: then it is killed, as it should have stopped
  };
  explicit WhatIfs(Options options)
      : options_{std::move(options)}, askers_{options_.askers, kOfUser}, answers_{options_.answer_lasts, kKeptBytes} {}
  WhatIfs(const WhatIfs&) = delete;
  WhatIfs& operator=(const WhatIfs&) = delete;

  /// The grid at one time.
  struct Picture {
    std::uint64_t number = 0;
    grid::Instant time{};
    std::optional<grid::Instant> standstill{};
    store::GridState state{};
  };

  /// The right to ask, as long as it lives. Error: the answer to a user who has two questions already, or where too many are asked.
  [[nodiscard]] Asked<std::shared_ptr<void>> ask(const std::string& user);

  /// The present picture, which all see for `picture_lasts`; `read` reads a new one, for one caller at a time.
  [[nodiscard]] std::shared_ptr<const Picture> picture(const std::function<Picture()>& read);

  /// Plays a scenario, or returns what it gave before.
  /// @param question  the picture and all changes: equal questions have equal scenarios
  /// @param runs      the most runs
  /// Errors: answers; 400 where the engine refuses the scenario, with its words.
  [[nodiscard]] Asked<gridsim::Prospects> play(const std::string& question, const std::function<std::string()>& scenario, int runs);

 private:
  class Turn;
  [[nodiscard]] Asked<std::string> run(const std::string& scenario, int runs);

  static constexpr int kOfUser = 2;
  static constexpr std::size_t kKeptBytes = std::size_t{8} << 20U;
  const Options options_;
  Places askers_;
  SharedAnswers answers_;
  std::mutex picture_mutex_;
  std::shared_ptr<const Picture> picture_;
  std::chrono::steady_clock::time_point picture_read_{};
  std::uint64_t pictures_ = 0;
  std::mutex turns_mutex_;
  std::condition_variable turns_changed_;
  std::deque<const Turn*> turns_;  ///< the first one plays
};

}  // namespace gleaner::api
