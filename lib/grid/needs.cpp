#include "lib/grid/needs.hpp"

#include <algorithm>

#include "lib/text/numbers.hpp"

namespace gleaner::grid {

bool is_consumable_name(std::string_view name) {
  constexpr std::size_t kLongest = 64;
  const auto is_right = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view{"_-.:"}.find(c) != std::string_view::npos;
  };
  return !name.empty() && name.size() <= kLongest && std::ranges::all_of(name, is_right);
}

int need_of(const Needs& needs, std::string_view consumable) {
  const auto found = needs.find(consumable);
  return found == needs.end() ? 0 : found->second;
}

std::optional<Needs> parse_needs(std::string_view text) {
  Needs needs;
  while (!text.empty()) {
    const auto one = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), one.size() + 1));
    const auto mark = one.find('=');
    if (mark == std::string_view::npos || !is_consumable_name(one.substr(0, mark))) return std::nullopt;
    const auto count = text::whole_number(one.substr(mark + 1), 1, kGreatestNeed);
    if (!count) return std::nullopt;
    needs.emplace(one.substr(0, mark), *count);
  }
  return needs;
}

}  // namespace gleaner::grid
