#pragma once
#include <rapidjson/document.h>

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace gleaner::rules::ruby {

/// The values that rules can read.
struct Facts {
  const rapidjson::Value& user;
  const rapidjson::Value& tasks;
  const rapidjson::Value& clusters;
};

struct Limits {
  std::chrono::milliseconds time;  ///< of the processor, for one rule
  std::size_t memory;              ///< bytes that mruby may allocate for one rule
};

enum class Outcome { ran, refused, failed };

/// The result of a rule. Texts are UTF-8.
struct Ending {
  Outcome outcome = Outcome::ran;
  std::string message{};  ///< of a refusal or a failure
  int line = 0;           ///< of a failure; 0: unknown
  std::vector<std::string> notes{};
};

/// The syntax error of a rule; empty: there is none.
[[nodiscard]] std::optional<Ending> syntax_error(const std::string& rule, const Limits& limits);

/// Runs a rule in an interpreter of its own. If the rule runs to its end, `jdl` becomes the changed JDL. Ends the process when the rule
/// exceeds the limits.
[[nodiscard]] Ending run(const std::string& rule, rapidjson::Document& jdl, const Facts& facts, const Limits& limits);

}  // namespace gleaner::rules::ruby
