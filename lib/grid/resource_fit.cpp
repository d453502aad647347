#include "lib/grid/resource_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace gleaner::grid {
namespace {

/// More than any cluster has, and small enough to be multiplied.
constexpr std::int64_t kMost = 1'000'000'000;

/// Levels with their counts; ALL and BEST take at least one.
struct Level {
  const ResourceLevel* asked;
  std::int64_t count;
};
using Levels = std::span<Level>;

std::int64_t product(Levels levels) {
  std::int64_t all = 1;
  for (const auto& level : levels) all = std::min(kMost, all * level.count);
  return all;
}

/// Lowers counts, those of the innermost level first, until their product is at most `most`.
void lower(Levels levels, std::int64_t most) {
  for (std::size_t i = levels.size(); i > 0 && product(levels) > most; --i) {
    auto& level = levels[i - 1];
    const auto others = product(levels.first(i - 1)) * product(levels.subspan(i));
    level.count = std::clamp<std::int64_t>(most / std::max<std::int64_t>(1, others), 1, level.count);
  }
}

/// A request of one group, with counts that can be lowered.
class Group {
 public:
  explicit Group(const ResourceRequest& request) {
    const auto& text = request.text();
    if (text.starts_with('{')) filter_ = text.substr(0, text.find('}') + 1);
    for (const auto& level : request.levels()) levels_.push_back({&level, level.count.value_or(1)});
    const auto node = std::ranges::find_if(
        levels_, [](const Level& level) { return std::ranges::find(kNodeLevels, level.asked->property) != kNodeLevels.end(); });
    if (node != levels_.end()) nodes_ = static_cast<std::size_t>(node - levels_.begin()) + 1;
  }

  [[nodiscard]] bool names_nodes() const { return nodes_ > 0; }
  [[nodiscard]] std::int64_t resources() { return product(levels_); }
  /// The node level and those above it.
  [[nodiscard]] Levels outer() { return Levels{levels_}.first(nodes_); }
  [[nodiscard]] Levels inner() { return Levels{levels_}.subspan(nodes_); }

  [[nodiscard]] std::string text() const {
    std::string text = filter_;
    for (const auto& [asked, count] : levels_)
      text += asked->count ? fmt::format("/{}={}", asked->property, count) : fmt::format("/{}=ALL", asked->property);
    return text;
  }

 private:
  std::string filter_;
  std::vector<Level> levels_;
  std::size_t nodes_ = 0;  ///< levels down to the node level; 0: the request names none
};

bool is_union(std::string_view text) {
  int depth = 0;
  return std::ranges::any_of(text, [&](char c) {
    depth += c == '{' ? 1 : c == '}' ? -1 : 0;
    return c == '+' && depth == 0;
  });
}

std::string counted(std::int64_t count, std::string_view thing) { return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s"); }

TooWide too_wide_by(const ResourceRequest& request, std::string_view takes, std::string_view cluster, std::string_view has,
                    std::string biggest) {
  auto why = fmt::format("{} takes {}, and {} has {}", request.text(), takes, cluster, has);
  if (!biggest.empty()) why += fmt::format(": {} would fit", biggest);
  return {.why = std::move(why), .biggest = std::move(biggest)};
}

std::optional<TooWide> by_nodes(const ResourceRequest& request, Group group, std::string_view cluster, const NodeSizes& nodes) {
  const auto wanted = product(group.outer());
  const auto each = product(group.inner());
  const auto able = nodes.nodes_with(static_cast<int>(each));
  if (able >= wanted) return std::nullopt;
  lower(group.outer(), nodes.nodes());
  lower(group.inner(), nodes.size_of(static_cast<int>(product(group.outer()))));
  if (wanted > nodes.nodes()) return too_wide_by(request, counted(wanted, "node"), cluster, counted(nodes.nodes(), "node"), group.text());
  if (able == 0)
    return too_wide_by(request, fmt::format("{} of one node", counted(each, "resource")), cluster,
                       fmt::format("no node of more than {}", nodes.biggest()), group.text());
  return too_wide_by(request, fmt::format("{} of {}", counted(wanted, "node"), counted(each, "resource")), cluster,
                     fmt::format("{} of that size", able), group.text());
}

}  // namespace

std::optional<TooWide> too_wide(const ResourceRequest& request, std::string_view cluster, const NodeSizes& nodes) {
  if (!nodes.known() || !request.is_of_cores()) return std::nullopt;
  const auto has = counted(nodes.resources(), "resource");
  if (is_union(request.text())) {
    if (request.resources().value_or(0) <= nodes.resources()) return std::nullopt;
    return too_wide_by(request, counted(*request.resources(), "resource"), cluster, has, {});
  }
  Group group{request};
  if (group.names_nodes()) return by_nodes(request, std::move(group), cluster, nodes);
  const auto wanted = group.resources();
  if (wanted <= nodes.resources()) return std::nullopt;
  lower(group.inner(), nodes.resources());
  return too_wide_by(request, counted(wanted, "resource"), cluster, has, group.text());
}

std::optional<int> resources_on(const ResourceRequest& request, const NodeSizes& nodes) {
  if (request.resources()) return request.resources();
  const auto wanted = request.nodes();
  if (!wanted || !nodes.known() || nodes.size_of(nodes.nodes()) != nodes.biggest()) return std::nullopt;
  return static_cast<int>(std::min<std::int64_t>(kMostResources, std::int64_t{*wanted} * nodes.biggest()));
}

}  // namespace gleaner::grid
