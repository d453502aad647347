#include "lib/grid/named_nodes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "lib/text/numbers.hpp"

namespace gleaner::grid {
namespace {

constexpr std::size_t kMostNamed = 20'000;
/// As of a name in the DNS.
constexpr std::size_t kLongestNodeName = 255;
constexpr std::string_view kOfNames{"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"};
constexpr std::string_view kRestLetters{"oez"};  ///< by NamedNode::Rest
constexpr std::string_view kIn{"(network_address IN ("};
/// Other resources than nodes (licences) have no address.
constexpr std::string_view kAfterIn{") OR type <> 'default')"};
constexpr std::string_view kNotIn{"network_address NOT IN ("};
constexpr std::size_t kOfEach = 3;  ///< two quotes and a comma

bool is_node_name(std::string_view name) {
  return !name.empty() && name.size() <= kLongestNodeName && name.find_first_not_of(kOfNames) == name.npos;
}

std::string quoted(const std::vector<std::string_view>& names) {
  std::string text;
  for (const auto name : names) {
    if (!text.empty()) text += ',';
    fmt::format_to(std::back_inserter(text), "'{}'", name);
  }
  return text;
}

std::size_t length_of(const std::vector<std::string_view>& names) {
  std::size_t length = 0;
  for (const auto name : names) length += name.size() + kOfEach;
  return length;
}

}  // namespace

std::optional<NamedNodes> NamedNodes::parse(std::string_view text) {
  NamedNodes nodes;
  while (!text.empty()) {
    const auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const auto letter = line.empty() ? kRestLetters.npos : kRestLetters.find(line.front());
    const auto blank = line.find(' ', 2);
    if (letter == kRestLetters.npos || line.size() < 2 || line[1] != ' ' || blank == line.npos) return std::nullopt;
    const auto resources = text::whole_number<int>(line.substr(2, blank - 2), 1);
    if (!resources) return std::nullopt;
    nodes.add({.name = std::string{line.substr(blank + 1)}, .resources = *resources, .rest = static_cast<NamedNode::Rest>(letter)});
  }
  if (nodes.spoilt_) return std::nullopt;
  return nodes;
}

void NamedNodes::add(NamedNode node) {
  if (node.resources <= 0) return;
  spoilt_ = spoilt_ || !is_node_name(node.name) || nodes_.size() >= kMostNamed;
  if (!spoilt_) nodes_.push_back(std::move(node));
}

std::string NamedNodes::text() const {
  if (!known()) return {};
  std::vector<const NamedNode*> by_name;
  by_name.reserve(nodes_.size());
  for (const auto& node : nodes_) by_name.push_back(&node);
  std::ranges::sort(by_name, {}, [](const NamedNode* node) -> const std::string& { return node->name; });
  std::string text;
  for (const auto* node : by_name)
    fmt::format_to(std::back_inserter(text), "{} {} {}\n", kRestLetters[static_cast<std::size_t>(node->rest)], node->resources, node->name);
  return text;
}

NodeSizes NamedNodes::sizes(NamedNode::Rest rest) const {
  NodeSizes sizes;
  if (!known()) return sizes;
  for (const auto& node : nodes_) {
    if (node.rest == rest) sizes.add(node.resources);
  }
  return sizes;
}

std::size_t NamedNodes::longest_name() const {
  std::size_t longest = 0;
  for (const auto& node : nodes_) longest = std::max(longest, node.name.size());
  return longest;
}

std::optional<std::string> NamedNodes::condition_leaving(const NodeSizes& leaves, std::size_t most) const {
  if (!known()) return std::string{};
  auto left = leaves.by_size();
  std::vector<const NamedNode*> order;
  for (const auto& node : nodes_) order.push_back(&node);
  std::ranges::sort(order, [](const NamedNode* one, const NamedNode* other) {
    const bool sleeps = one->rest == NamedNode::Rest::asleep;
    if (sleeps != (other->rest == NamedNode::Rest::asleep)) return sleeps;
    return one->name > other->name;
  });
  std::vector<std::string_view> out, others;
  for (const auto* node : order) {
    const auto size = node->rest == NamedNode::Rest::open ? left.end() : left.find(node->resources);
    const bool is_left = size != left.end() && size->second > 0;
    if (is_left) --size->second;
    (is_left ? out : others).push_back(node->name);
  }
  if (out.empty() || others.empty()) return std::string{};
  const bool names_others = length_of(others) < length_of(out);
  const auto& named = names_others ? others : out;
  if (length_of(named) + kIn.size() + kAfterIn.size() > most) return std::nullopt;
  return names_others ? fmt::format("{}{}{}", kIn, quoted(named), kAfterIn) : fmt::format("{}{})", kNotIn, quoted(named));
}

bool can_name(int nodes, std::size_t longest_name) {
  return static_cast<std::size_t>(std::max(0, nodes)) * (longest_name + kOfEach) + kIn.size() + kAfterIn.size() <= kMostOfCondition;
}

}  // namespace gleaner::grid
