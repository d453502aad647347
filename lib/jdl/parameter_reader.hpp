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
/// A blank line is skipped. A line whose first character is `#` is a comment; anywhere else a `#`
/// is part of the parameter (CiGri of 2009 cut lines at any `#`, version 3 knew no comments). Lines
/// may end in LF or CRLF, the last one in nothing; a UTF-8 byte-order mark is skipped.
/// Wrong lines: longer than kMostParameterBytes, with a NUL byte, not UTF-8, with an open quote.
class ParameterReader {
 public:
  /// The stream must outlive the reader.
  explicit ParameterReader(std::istream& input);

  /// The next parameter, or nothing at the end. The view holds until the next call. After a
  /// wrong line the reader goes on with the one behind it, so that every wrong line can be told.
  /// A stream that fails is a problem once, and then the end.
  [[nodiscard]] tl::expected<std::optional<std::string_view>, Problem> next();

  /// The number of the line that `next` returned or refused, from 1; 0 before the first.
  [[nodiscard]] std::size_t line() const { return line_; }

 private:
  std::optional<std::string_view> take_line();
  void skip_line();
  void fill();

  std::istream& input_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;  // what is not yet read in buffer_
  std::size_t end_ = 0;
  std::size_t line_ = 0;
  bool exhausted_ = false;  // the stream has no more
  bool failed_ = false;     // and this is because it failed, which has not been said yet
  bool too_long_ = false;   // the line just taken is only the beginning of a longer one
};

}  // namespace gleaner::jdl
