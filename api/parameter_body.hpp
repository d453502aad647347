#pragma once
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "lib/http/message.hpp"

namespace gleaner::api {

/// The body of an NDJSON submission: its first line, and then the rest as it is received.
class ParameterBody {
 public:
  explicit ParameterBody(http::Body& body);

  /// The first line without its line end; `too_large` if it is longer than `limit` bytes. To be called once, before next().
  [[nodiscard]] tl::expected<std::string, http::BodyError> first_line(std::size_t limit);
  /// The next bytes, cut anywhere; empty at the end. The view is valid until the next call.
  [[nodiscard]] tl::expected<std::string_view, http::BodyError> next();

 private:
  http::Body& body_;
  std::vector<char> buffer_;
  std::string_view rest_;
};

}  // namespace gleaner::api
