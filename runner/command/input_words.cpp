#include "runner/command/input_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "lib/text/numbers.hpp"
#include "lib/text/words.hpp"

namespace gleaner::runner {
namespace {

/// A pattern as a word of the wrapper, with the words of the parameter in it.
std::string word_of(std::string_view pattern, const WrapperNames& names) {
  std::string word;
  std::size_t plain = 0;
  const auto put_plain = [&](std::size_t end) {
    if (end > plain) word += text::quote(pattern.substr(plain, end - plain));
  };
  for (auto open = pattern.find('{'); open != std::string_view::npos; open = pattern.find('{', open + 1)) {
    const auto close = pattern.find('}', open);
    if (close == std::string_view::npos) break;
    const auto number = text::whole_number<int>(pattern.substr(open + 1, close - open - 1), 1);
    if (!number) continue;
    put_plain(open);
    word += fmt::format("\"${{{}[{}]}}\"", names.task_arguments, *number - 1);
    plain = close + 1;
  }
  put_plain(pattern.size());
  return word;
}

}  // namespace

std::string input_words(std::string_view patterns, const WrapperNames& names) {
  std::string words;
  while (!patterns.empty()) {
    const auto end = std::min(patterns.find('\n'), patterns.size());
    if (!words.empty()) words += ' ';
    words += word_of(patterns.substr(0, end), names);
    patterns.remove_prefix(std::min(end + 1, patterns.size()));
  }
  return words;
}

}  // namespace gleaner::runner
