#include "lib/jdl/parameter_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "lib/jdl/parameter.hpp"
#include "lib/jdl/text.hpp"
#include "lib/text/line_ends.hpp"

namespace gleaner::jdl {
namespace {

constexpr std::size_t kBufferBytes = 4 * kMostParameterBytes;

bool is_skipped(std::string_view line) { return line.starts_with('#') || line.find_first_not_of(" \t") == std::string_view::npos; }

}  // namespace

ParameterReader::ParameterReader(std::istream& input) : input_{input}, buffer_(kBufferBytes) {}

/// Reads more bytes into the buffer, after those that it has.
void ParameterReader::fill() {
  if (begin_ > 0) std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  try {
    input_.read(buffer_.data() + end_, static_cast<std::streamsize>(buffer_.size() - end_));
  } catch (const std::ios_base::failure&) {
    // a stream may be configured to throw; its state has the same information
  }
  end_ += static_cast<std::size_t>(input_.gcount());
  exhausted_ = !input_.good();
  failed_ = input_.bad() || (input_.fail() && !input_.eof());
  if (line_ == 0 && std::string_view{buffer_.data(), end_}.starts_with(kByteOrderMark)) begin_ = kByteOrderMark.size();
}

/// The next line without its end, or its beginning if it is longer than the buffer.
std::optional<std::string_view> ParameterReader::take_line() {
  const auto newline = [&](std::size_t from) { return static_cast<const char*>(std::memchr(buffer_.data() + from, '\n', end_ - from)); };
  const char* end = newline(begin_);
  while (end == nullptr && !exhausted_ && (begin_ > 0 || end_ < buffer_.size())) {
    const auto seen = end_ - begin_;
    fill();
    end = newline(std::min(begin_ + seen, end_));
  }
  if (begin_ == end_) return std::nullopt;
  ++line_;
  const char* const from = buffer_.data() + begin_;
  too_long_ = end == nullptr && !exhausted_;
  auto size = end == nullptr ? end_ - begin_ : static_cast<std::size_t>(end - from);
  begin_ += end == nullptr ? size : size + 1;
  if (size > 0 && from[size - 1] == '\r' && !too_long_) --size;
  return std::string_view{from, size};
}

/// Skips the rest of a line that is longer than the buffer.
void ParameterReader::skip_line() {
  const void* end = nullptr;
  while (end == nullptr) {
    end = std::memchr(buffer_.data() + begin_, '\n', end_ - begin_);
    begin_ = end == nullptr ? end_ : static_cast<std::size_t>(static_cast<const char*>(end) - buffer_.data()) + 1;
    if (end != nullptr || exhausted_) return;
    fill();
  }
}

tl::expected<std::optional<std::string_view>, Problem> ParameterReader::next() {
  while (const auto line = take_line()) {
    // The end of a CRLF is taken off already.
    const auto lone = line->find('\r');
    if (lone == std::string_view::npos && is_skipped(*line) && !too_long_) continue;
    const auto checked = lone == std::string_view::npos ? check_line(*line)
                                                        : tl::expected<void, ParameterError>{tl::unexpected{ParameterError{
                                                              characters(line->substr(0, lone)) + 1, std::string{text::kLoneReturn}}}};
    if (checked) return line;
    Problem problem{{line_, checked.error().column}, "", excerpt(*line), checked.error().message};
    if (too_long_) skip_line();
    return tl::unexpected{std::move(problem)};
  }
  if (std::exchange(failed_, false))
    return tl::unexpected{Problem{{line_ + 1, 0}, "", "", "the parameters cannot be read beyond this line"}};
  return std::nullopt;
}

}  // namespace gleaner::jdl
