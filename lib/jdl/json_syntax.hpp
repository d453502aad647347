#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace gleaner::jdl {

/// The state of the JSON reader when it stopped.
struct Stop {
  int code;            ///< rapidjson::ParseErrorCode
  std::size_t offset;  ///< where it stopped
  std::size_t token;   ///< the begin of the value that it was reading
  std::size_t open;    ///< the innermost open '{' or '[', or npos
};

struct SyntaxError {
  std::size_t offset;
  std::string message;
};

/// The error in words for people, and the place that they should correct.
[[nodiscard]] SyntaxError explain(const Stop& stop, std::string_view text);

}  // namespace gleaner::jdl
