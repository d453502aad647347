#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace gleaner::jdl {

/// Where the JSON reader stopped.
struct Stop {
  int code;            ///< rapidjson::ParseErrorCode
  std::size_t offset;  ///< where it stopped
  std::size_t token;   ///< where the value that it was reading begins
  std::size_t open;    ///< the innermost '{' or '[' that is still open, or npos
};

struct SyntaxError {
  std::size_t offset;
  std::string message;
};

/// What a person would say of it, and where they would point at.
[[nodiscard]] SyntaxError explain(const Stop& stop, std::string_view text);

}  // namespace gleaner::jdl
