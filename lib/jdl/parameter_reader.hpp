#pragma once
#include <cstddef>
#include <istream>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

#include "lib/jdl/problem.hpp"

namespace gleaner::jdl {

/// Reads a parameter file (or standard input): one parameter a line, in constant memory.
///
/// A blank line is skipped. A line whose first character is `#` is a comment; anywhere else a `#` is part of the parameter (CiGri of 2009
/// cut lines at any `#`, version 3 had no comments). Lines end in LF or CRLF, the last one possibly without; a UTF-8 byte-order mark is
/// skipped. Invalid lines: longer than kMostParameterBytes, with a NUL byte, not UTF-8, with an open quote, with a carriage return before
/// their end.
class ParameterReader {
 public:
  /// The stream must outlive the reader.
  explicit ParameterReader(std::istream& input);

  /// The next parameter; empty at the end. The view is valid until the next call. After an invalid line the reader continues with the next
  /// one, so that every invalid line can be reported. A stream that fails is reported as one problem, followed by the end.
  [[nodiscard]] tl::expected<std::optional<std::string_view>, Problem> next();

  /// The number of the line that `next` returned or refused, from 1; 0 before the first.
  [[nodiscard]] std::size_t line() const { return line_; }

 private:
  std::optional<std::string_view> take_line();
  void skip_line();
  void fill();

  std::istream& input_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;  // the unread part of buffer_
  std::size_t end_ = 0;
  std::size_t line_ = 0;
  bool exhausted_ = false;  // the stream has no more
  bool failed_ = false;     // and this is because it failed, which has not been reported yet
  bool too_long_ = false;   // the last line is only the beginning of a longer one
};

}  // namespace gleaner::jdl
