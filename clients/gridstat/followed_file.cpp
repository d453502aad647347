#include "clients/gridstat/followed_file.hpp"

#include <algorithm>

namespace gleaner::gridstat {
namespace {

/// Without the marks at its end that stand for a character of which the last bytes are not written yet.
std::string_view without_begun_character(std::string_view text) {
  constexpr std::string_view kReplacement{"\xEF\xBF\xBD"};
  constexpr int kMostBytes = 3;
  for (int i = 0; i < kMostBytes && text.ends_with(kReplacement); ++i) text.remove_suffix(kReplacement.size());
  return text;
}

/// The bytes at the end of `before` that are the beginning of `window`: as many as possible, from the start of a line on.
std::size_t overlap(std::string_view before, std::string_view window) {
  for (std::size_t begin = 0; begin < before.size();) {
    if (window.starts_with(before.substr(begin))) return before.size() - begin;
    const auto end = before.find('\n', begin);
    if (end == std::string_view::npos) break;
    begin = end + 1;
  }
  return 0;
}

}  // namespace

std::string_view last_lines(std::string_view text, std::size_t lines) {
  std::size_t begin = text.ends_with('\n') ? text.size() - 1 : text.size();
  for (; lines > 0; --lines) {
    const auto end = begin == 0 ? std::string_view::npos : text.rfind('\n', begin - 1);
    if (end == std::string_view::npos) return text;
    begin = end;
  }
  return text.substr(std::min(begin + 1, text.size()));
}

FollowedFile::News FollowedFile::read(std::string_view window, bool is_whole) {
  window = without_begun_character(window);
  const bool is_first = is_first_;
  const auto known = is_whole && window.starts_with(before_) ? before_.size() : overlap(before_, window);
  News news{.text = std::string{window.substr(known)}, .lacks_lines = !is_first && !is_whole && known == 0 && !before_.empty()};
  before_ = window;
  is_first_ = false;
  return news;
}

}  // namespace gleaner::gridstat
