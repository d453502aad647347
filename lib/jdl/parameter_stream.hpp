#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "lib/jdl/parameter.hpp"
#include "lib/jdl/problem.hpp"

namespace gleaner::jdl {

/// Reads parameters from NDJSON in pieces that may be cut anywhere (the body of a request), in constant memory. Blank lines are skipped. It
/// stops at the first invalid line.
class ParameterStream {
 public:
  using Sink = std::function<void(Parameter&&)>;
  explicit ParameterStream(Sink sink) : sink_{std::move(sink)} {}

  /// Passes every parameter that the piece completes to the sink. The error names the line; after an error, the stream must not be fed
  /// again.
  [[nodiscard]] tl::expected<void, Problem> feed(std::string_view piece);
  /// Reads the last line if it has no end.
  [[nodiscard]] tl::expected<void, Problem> finish();

  [[nodiscard]] std::size_t parameters() const { return parameters_; }

 private:
  tl::expected<void, Problem> take(std::string_view line);

  Sink sink_;
  std::string rest_;
  std::size_t line_ = 0;
  std::size_t parameters_ = 0;
};

}  // namespace gleaner::jdl
