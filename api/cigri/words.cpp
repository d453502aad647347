#include "api/cigri/words.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace gleaner::api::cigri {
namespace {

constexpr std::string_view kLetters{"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~"};

std::string_view without_slashes(std::string_view text) {
  if (text.starts_with('/')) text.remove_prefix(1);
  if (text.ends_with('/')) text.remove_suffix(1);
  return text;
}

}  // namespace

std::string_view event_class(std::string_view ours) { return ours == "grid" ? "log" : ours; }

std::string href(std::string_view prefix, std::string_view path) {
  const auto parts = without_slashes(prefix);
  return parts.empty() ? std::string{path} : fmt::format("/{}{}", parts, path);
}

bool is_prefix(std::string_view text) {
  constexpr std::size_t kLongest = 200;
  auto rest = without_slashes(text);
  if (rest.size() > kLongest) return false;
  while (!rest.empty()) {
    const auto slash = std::min(rest.find('/'), rest.size());
    const auto part = rest.substr(0, slash);
    if (part.empty() || part == "." || part == ".." || part.find_first_not_of(kLetters) != std::string_view::npos) return false;
    if (slash + 1 == rest.size()) return false;  // two slashes at the end
    rest.remove_prefix(std::min(slash + 1, rest.size()));
  }
  return true;
}

bool is_user(std::string_view text) {
  constexpr std::size_t kLongest = 64;
  constexpr std::array<std::string_view, 3> kNobody{"unknown", "null", "nobody"};
  constexpr std::string_view kFirst{"-.~"};
  if (text.empty() || text.size() > kLongest || kFirst.find(text.front()) != std::string_view::npos) return false;
  const bool has_others =
      std::ranges::any_of(text, [](char c) { return c == '~' || (c != '@' && kLetters.find(c) == std::string_view::npos); });
  return !has_others && std::ranges::find(kNobody, text) == kNobody.end();
}

}  // namespace gleaner::api::cigri
