#include "lib/jdl/parameter_stream.hpp"

#include <fmt/format.h>

#include "lib/jdl/text.hpp"
#include "lib/text/line_ends.hpp"

namespace gleaner::jdl {
namespace {

/// The longest line that a parameter can be: every byte of it as \u00NN, or every argument empty.
constexpr std::size_t kMostLineBytes = 6 * kMostParameterBytes + 1024;

}  // namespace

tl::expected<void, Problem> ParameterStream::feed(std::string_view piece) {
  for (auto end = piece.find('\n'); end != std::string_view::npos; end = piece.find('\n')) {
    auto line = piece.substr(0, end);
    if (!rest_.empty()) line = rest_.append(line);
    if (auto taken = take(line); !taken) return taken;
    rest_.clear();
    piece.remove_prefix(end + 1);
  }
  if (rest_.size() + piece.size() > kMostLineBytes)
    return tl::unexpected{Problem{{line_ + 1, 0},
                                  "",
                                  excerpt(rest_.empty() ? piece : std::string_view{rest_}),
                                  fmt::format("this parameter is longer than {} kB", kMostParameterBytes / 1024)}};
  rest_ += piece;
  return {};
}

tl::expected<void, Problem> ParameterStream::finish() {
  const auto line = std::exchange(rest_, {});
  return line.empty() ? tl::expected<void, Problem>{} : take(line);
}

tl::expected<void, Problem> ParameterStream::take(std::string_view line) {
  ++line_;
  if (const auto lone = text::lone_return(line); lone != std::string_view::npos)
    return tl::unexpected{Problem{{line_, characters(line.substr(0, lone)) + 1}, "", excerpt(line), std::string{text::kLoneReturn}}};
  if (line.find_first_not_of(" \t\r") == std::string_view::npos) return {};
  auto parameter = parse_ndjson(line);
  if (!parameter) return tl::unexpected{Problem{{line_, parameter.error().column}, "", excerpt(line), parameter.error().message}};
  ++parameters_;
  sink_(std::move(*parameter));
  return {};
}

}  // namespace gleaner::jdl
