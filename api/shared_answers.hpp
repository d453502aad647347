#pragma once
#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include <tl/expected.hpp>

#include "lib/grid/clock.hpp"
#include "lib/http/message.hpp"

namespace gleaner::api {

/// Answers to equal questions of many viewers: one of them makes the answer, and the others get it too, as long as it is young. So a
/// question costs the database as much for a thousand viewers as for one. A question includes all that its answer depends on, also whose
/// campaigns its caller may read. Thread-safe.
class SharedAnswers {
 public:
  using Text = std::shared_ptr<const std::string>;

  /// @param lasts  an answer is given again for so long after it was begun
  /// @param most   bytes of answers that are kept; the oldest ones go first
  SharedAnswers(std::chrono::milliseconds lasts, std::size_t most) : lasts_{lasts}, most_{most} {}

  /// An answer, or why there is none now.
  template <class T>
  using Or = tl::expected<T, http::Response>;

  /// The answer to this question. If nobody has made it lately, `make` does; who asks the same meanwhile waits for it. A refusal, and what
  /// `make` throws, is that of those who waited, too, and of nobody later.
  [[nodiscard]] Or<Text> answer(const std::string& question, const std::function<Or<std::string>()>& make);

 private:
  struct Entry {
    grid::SteadyClock::time_point begun;
    bool made = false;
    Or<Text> text;
    std::exception_ptr failure;
  };
  using Entries = std::map<std::string, std::shared_ptr<Entry>>;

  [[nodiscard]] static Or<Text> text_of(const Entry& entry);
  [[nodiscard]] static Or<Text> made_by(const std::function<Or<std::string>()>& make);
  void drop_old();

  std::chrono::milliseconds lasts_;
  std::size_t most_;
  std::mutex mutex_;
  std::condition_variable made_;
  Entries entries_;
};

}  // namespace gleaner::api
