#pragma once
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "lib/http/message.hpp"

namespace gleaner::api {

/// The body of an NDJSON submission: its first line, and then the rest as it comes.
class ParameterBody {
 public:
  explicit ParameterBody(http::Body& body);

  /// Without its end; `too_large` when it is longer than `limit`. Once, and first.
  [[nodiscard]] tl::expected<std::string, http::BodyError> first_line(std::size_t limit);
  /// What comes next, cut anywhere; empty at the end. The view holds until the next call.
  [[nodiscard]] tl::expected<std::string_view, http::BodyError> next();

 private:
  http::Body& body_;
  std::vector<char> buffer_;
  std::string_view rest_;
};

}  // namespace gleaner::api
