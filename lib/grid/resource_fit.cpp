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

bool is_node(const ResourceLevel& level) { return std::ranges::find(kNodeLevels, level.property) != kNodeLevels.end(); }

/// The resources of a group of cores whose innermost level is a whole node, GPU, or another property; of parts of nodes whose sizes differ,
/// those of the biggest. Empty: the sizes differ or are not known, or only the cluster knows their number.
std::optional<std::int64_t> resources_of(const ResourceGroup& group, const NodeSizes& nodes, const LevelSizes& levels) {
  if (group.resources) return group.resources;
  // ALL cores of something are the whole of it.
  auto inner = group.levels.size();
  while (inner > 1 && !group.levels[inner - 1].count) --inner;
  std::int64_t count = 1;
  for (std::size_t i = 0; i < inner; ++i) {
    if (!group.levels[i].count) return std::nullopt;
    count = std::min(kMost, count * *group.levels[i].count);
  }
  const auto& innermost = group.levels[inner - 1];
  const NodeSizes* sizes = &nodes;
  if (!is_node(innermost)) {
    const auto* const known = levels.of(innermost.property);
    if (known == nullptr) return std::nullopt;
    sizes = inner > 1 ? &known->of_node : &known->alone;
  }
  // A request that names a node counts as whole nodes where its width is unknown, which a part of one is certainly smaller than.
  const bool is_part = sizes != &nodes && inner > 1;
  if (!sizes->known() || (!is_part && sizes->size_of(sizes->nodes()) != sizes->biggest())) return std::nullopt;
  return std::min<std::int64_t>(kMostResources, count * sizes->biggest());
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

/// A request whose outermost level has fewer values than it asks for.
std::optional<TooWide> by_levels(const ResourceRequest& request, std::string_view cluster, const LevelSizes& levels) {
  const auto& outermost = request.levels().front();
  const auto* const known = outermost.count ? levels.of(outermost.property) : nullptr;
  if (known == nullptr || *outermost.count <= known->alone.nodes()) return std::nullopt;
  auto text = request.text();
  const auto written = fmt::format("{}={}", outermost.property, *outermost.count);
  if (const auto at = text.find(written); at != text.npos)
    text.replace(at, written.size(), fmt::format("{}={}", outermost.property, known->alone.nodes()));
  else text.clear();
  return too_wide_by(request, counted(*outermost.count, "value") + " of " + outermost.property, cluster,
                     fmt::format("{}", known->alone.nodes()), std::move(text));
}

}  // namespace

std::optional<TooWide> too_wide(const ResourceRequest& request, std::string_view cluster, const NodeSizes& nodes,
                                const LevelSizes& levels) {
  if (!nodes.known() || !request.is_of_cores()) return std::nullopt;
  const auto has = counted(nodes.resources(), "resource");
  if (is_union(request.text())) {
    if (request.resources().value_or(0) <= nodes.resources()) return std::nullopt;
    return too_wide_by(request, counted(*request.resources(), "resource"), cluster, has, {});
  }
  if (auto wide = by_levels(request, cluster, levels)) return wide;
  Group group{request};
  if (group.names_nodes()) return by_nodes(request, std::move(group), cluster, nodes);
  const auto wanted = group.resources();
  if (wanted <= nodes.resources()) return std::nullopt;
  lower(group.inner(), nodes.resources());
  return too_wide_by(request, counted(wanted, "resource"), cluster, has, group.text());
}

std::optional<int> resources_on(const ResourceRequest& request, const NodeSizes& nodes, const LevelSizes& levels) {
  if (request.resources()) return request.resources();
  std::int64_t all = 0;
  for (const auto& group : request.groups()) {
    if (!group.of_cores) continue;
    const auto resources = resources_of(group, nodes, levels);
    if (!resources) return std::nullopt;
    all += *resources;
  }
  return static_cast<int>(std::min<std::int64_t>(kMostResources, all));
}

}  // namespace gleaner::grid
