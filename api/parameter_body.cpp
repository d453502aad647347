#include "api/parameter_body.hpp"

#include <utility>

namespace gleaner::api {
namespace {
constexpr std::size_t kPiece = 256 * 1024;
}

ParameterBody::ParameterBody(http::Body& body) : body_{body}, buffer_(kPiece) {}

tl::expected<std::string, http::BodyError> ParameterBody::first_line(std::size_t limit) {
  std::string line;
  while (true) {
    const auto piece = next();
    if (!piece) return tl::unexpected{piece.error()};
    const auto end = piece->find('\n');
    line += piece->substr(0, end);
    if (line.size() > limit) return tl::unexpected{http::BodyError::too_large};
    if (end != std::string_view::npos) rest_ = piece->substr(end + 1);
    if (end != std::string_view::npos || piece->empty()) return line;
  }
}

tl::expected<std::string_view, http::BodyError> ParameterBody::next() {
  if (!rest_.empty()) return std::exchange(rest_, {});
  const auto size = body_.read(buffer_);
  if (!size) return tl::unexpected{size.error()};
  return std::string_view{buffer_.data(), *size};
}

}  // namespace gleaner::api
