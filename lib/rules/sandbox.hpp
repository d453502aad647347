#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <semaphore>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

/// Runs rules in a child process, the program `admission`: endless loops, memory use and crashes of rules do not affect other programs.
namespace gleaner::rules {

/// The values that rules can read, as JSON except the user and the tasks.
struct Question {
  std::string jdl;  ///< jdl::to_jdl
  std::string user;
  std::int64_t tasks = 0;
  std::string clusters;  ///< an object: facts by cluster name
};

enum class Effect { unchanged, changed, refused, failed };
[[nodiscard]] std::string_view name_of(Effect effect);

/// The result of one rule.
struct Ran {
  Effect effect = Effect::unchanged;
  std::string jdl{};                 ///< if changed: the whole JDL
  std::string message{};             ///< of a refusal or a failure
  int line = 0;                      ///< of a failure, in the rule; 0: unknown
  std::vector<std::string> notes{};  ///< its texts for `warn`
};

struct Limits {
  std::chrono::milliseconds time{1000};        ///< of the processor, for each rule
  std::size_t memory = std::size_t{64} << 20;  ///< for each rule, in bytes
};

/// Safe from any thread.
class Sandbox {
 public:
  /// `program`: where `admission` is.
  explicit Sandbox(std::filesystem::path program, Limits limits = {}) : program_{std::move(program)}, limits_{limits} {}

  /// Runs the texts in order, each on the JDL that the one before produced. One result each, up to the first that refuses or fails. The
  /// error: the program cannot be run.
  [[nodiscard]] tl::expected<std::vector<Ran>, std::string> run(const std::vector<std::string>& texts, const Question& question);

  /// The syntax error of a rule, as a failure with its line; empty: there is none.
  [[nodiscard]] tl::expected<std::optional<Ran>, std::string> check(const std::string& text);

 private:
  [[nodiscard]] tl::expected<std::vector<Ran>, std::string> ask(const std::string& question, std::size_t rules);

  static constexpr int kAtOnce = 4;
  std::filesystem::path program_;
  Limits limits_;
  std::counting_semaphore<kAtOnce> free_{kAtOnce};
};

/// The path of the program `admission`.
[[nodiscard]] std::filesystem::path interpreter_program();

}  // namespace gleaner::rules
