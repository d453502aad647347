#pragma once
#include <string>
#include <string_view>

#include "lib/http/message.hpp"

namespace gleaner::world {

/// The body of a request within this process; the text outlives it.
class TextBody final : public http::Body {
 public:
  explicit TextBody(std::string_view text) : rest_{text} {}
  [[nodiscard]] tl::expected<std::size_t, http::BodyError> read(std::span<char> into) override;

 private:
  std::string_view rest_;
};

/// The whole body of an answer, also of a streamed one.
[[nodiscard]] std::string text_of(const http::Response& response);

}  // namespace gleaner::world
