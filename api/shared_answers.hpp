#pragma once
#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "lib/grid/clock.hpp"

namespace gleaner::api {

/// Answers to equal questions of many viewers: one of them makes the answer, and the others get it too, as long as it is young. So a
/// question costs the database as much for a thousand viewers as for one. Thread-safe.
class SharedAnswers {
 public:
  using Text = std::shared_ptr<const std::string>;

  /// @param lasts  an answer is given again for so long after it was begun
  /// @param most   bytes of answers that are kept; the oldest ones go first
  SharedAnswers(std::chrono::milliseconds lasts, std::size_t most) : lasts_{lasts}, most_{most} {}

  /// The answer to this question. If nobody has made it lately, `make` does; who asks the same meanwhile waits for it. Throws what `make`
  /// threw, also in those who waited.
  [[nodiscard]] Text answer(const std::string& question, const std::function<std::string()>& make);

 private:
  struct Entry {
    grid::SteadyClock::time_point begun;
    bool made = false;
    Text text;
    std::exception_ptr failure;
  };
  using Entries = std::map<std::string, std::shared_ptr<Entry>>;

  [[nodiscard]] static Text text_of(const Entry& entry);
  void drop_old();

  std::chrono::milliseconds lasts_;
  std::size_t most_;
  std::mutex mutex_;
  std::condition_variable made_;
  Entries entries_;
};

}  // namespace gleaner::api
