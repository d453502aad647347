#include "lib/grid/node_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ranges>

#include "lib/text/numbers.hpp"

namespace gleaner::grid {
namespace {

/// More than any node has, and small enough to be multiplied.
constexpr std::int64_t kMostMemory = 1'000'000'000'000;
/// Kinds of nodes of one cluster; of more, those added first count.
constexpr std::size_t kMostKinds = 200;

}  // namespace

std::optional<NodeMemory> NodeMemory::parse(std::string_view text) {
  NodeMemory memory;
  while (!text.empty()) {
    const auto part = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    const auto mark = part.find(':');
    if (mark == part.npos) return std::nullopt;
    const auto resources = text::whole_number<int>(part.substr(0, mark), 1);
    const auto of_node = text::whole_number<std::int64_t>(part.substr(mark + 1), 1, kMostMemory);
    if (!resources || !of_node) return std::nullopt;
    memory.kinds_.emplace(*resources, *of_node);
  }
  return memory;
}

void NodeMemory::add(int resources, double memory) {
  if (resources <= 0 || !(memory >= 1) || kinds_.size() >= kMostKinds) return;
  kinds_.emplace(resources, static_cast<std::int64_t>(std::min(memory, static_cast<double>(kMostMemory))));
}

std::string NodeMemory::text() const {
  std::string text;
  for (const auto& [resources, of_node] : std::views::reverse(kinds_))
    text += fmt::format("{}{}:{}", text.empty() ? "" : " ", resources, of_node);
  return text;
}

std::optional<std::int64_t> NodeMemory::most() const {
  if (kinds_.empty() || kinds_.size() >= kMostKinds) return std::nullopt;
  return std::ranges::max_element(kinds_, {}, &std::pair<int, std::int64_t>::second)->second;
}

std::optional<int> NodeMemory::resources_for(double memory) const {
  std::optional<int> most;
  for (const auto& [resources, of_node] : kinds_) {
    const auto whole = static_cast<double>(of_node);
    if (whole < memory) continue;
    // So many jobs of this kind fit into the node's memory, so each holds that part of its resources.
    const double jobs = std::floor(whole / std::max(memory, 1.0));
    const auto needed = jobs >= resources ? 1 : static_cast<int>(resources / (jobs + 1)) + 1;
    most = std::max(most.value_or(1), needed);
  }
  return most;
}

NodeMemory NodeMemory::in_mb(int unit) const {
  NodeMemory all;
  for (const auto& [resources, of_node] : kinds_)
    all.kinds_.emplace(resources, static_cast<std::int64_t>(std::min(static_cast<double>(of_node) * std::max(1, unit), 1e15)));
  return all;
}

std::optional<std::int64_t> NodeMemory::share_of(int resources) const {
  std::optional<std::int64_t> least;
  for (const auto& [all, of_node] : kinds_) {
    const double part = resources <= 0 ? 1.0 : std::min(1.0, static_cast<double>(resources) / all);
    const auto share = static_cast<std::int64_t>(static_cast<double>(of_node) * part);
    least = std::min(least.value_or(share), share);
  }
  return least;
}

std::optional<std::string> with_node_resources(const ResourceRequest& request, int resources) {
  const auto& levels = request.levels();
  if (levels.empty() || !request.resources() || levels.back().property != "core" || !levels.back().count) return std::nullopt;
  const std::string_view text = request.text();
  if (text.find('+') != text.npos) return std::nullopt;
  const auto filter = text.starts_with('{') ? text.substr(0, text.find('}') + 1) : std::string_view{};
  const int cores = *levels.back().count;
  if (cores >= resources) return std::nullopt;
  if (levels.size() == 1) return fmt::format("{}/nodes=1/core={}", filter, resources);
  const bool is_of_node = std::ranges::find(kNodeLevels, levels[levels.size() - 2].property) != kNodeLevels.end();
  if (!is_of_node) return std::nullopt;
  std::string raised{filter};
  for (std::size_t i = 0; i + 1 < levels.size(); ++i) raised += fmt::format("/{}={}", levels[i].property, levels[i].count.value_or(1));
  return fmt::format("{}/core={}", raised, resources);
}

}  // namespace gleaner::grid
