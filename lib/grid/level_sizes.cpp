#include "lib/grid/level_sizes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace gleaner::grid {
namespace {

constexpr std::size_t kMostLevels = 64;
constexpr std::size_t kLongestName = 64;
/// A level of a hierarchy has a few sizes; a measured value, such as a serial number, has many.
constexpr std::size_t kMostLevelSizes = 20;

}  // namespace

std::optional<LevelSizes> LevelSizes::parse(std::string_view text) {
  LevelSizes all;
  while (!text.empty()) {
    const auto part = text.substr(0, text.find(';'));
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    const auto blank = part.find(' ');
    if (blank == part.npos || blank == 0) return std::nullopt;
    const auto sizes = part.substr(blank + 1);
    const auto bar = sizes.find('|');
    const auto alone = NodeSizes::parse(sizes.substr(0, bar));
    const auto of_node = bar == sizes.npos ? alone : NodeSizes::parse(sizes.substr(bar + 1));
    if (!alone || !of_node) return std::nullopt;
    all.add(part.substr(0, blank), {*alone, *of_node});
  }
  return all;
}

void LevelSizes::add(std::string_view property, Sizes sizes) {
  const bool fits = levels_.size() < kMostLevels && property.size() <= kLongestName && sizes.alone.by_size().size() <= kMostLevelSizes &&
                    sizes.of_node.by_size().size() <= kMostLevelSizes;
  if (fits && sizes.alone.known() && sizes.of_node.known()) levels_.insert_or_assign(std::string{property}, std::move(sizes));
}

std::string LevelSizes::text() const {
  std::string text;
  for (const auto& [property, sizes] : levels_) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ";", property, sizes.alone.text());
    if (sizes.of_node != sizes.alone) text += "|" + sizes.of_node.text();
  }
  return text;
}

const LevelSizes::Sizes* LevelSizes::of(std::string_view property) const {
  const auto found = levels_.find(property);
  return found == levels_.end() ? nullptr : &found->second;
}

}  // namespace gleaner::grid
