#include "lib/administration/shares.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lib/grid/usage.hpp"
#include "lib/text/numbers.hpp"

namespace gleaner::administration {
namespace {

std::vector<grid::Worker> workers_of(const std::vector<store::WorkingUser>& users) {
  std::vector<grid::Worker> workers;
  workers.reserve(users.size());
  for (const auto& user : users) workers.push_back({user.user, user.groups, user.project});
  return workers;
}

/// The order in which a tree is read: each node, then what is below it. Indices of its nodes.
std::vector<std::size_t> reading_order(const std::vector<grid::ShareNode>& tree) {
  const auto place = [](int node) { return static_cast<std::size_t>(std::ptrdiff_t{node} + 1); };
  std::vector<std::vector<std::size_t>> below(tree.size() + 1);
  for (std::size_t i = 0; i < tree.size(); ++i) below[place(tree[i].parent)].push_back(i);
  std::vector<std::size_t> order, left(below[0].rbegin(), below[0].rend());
  while (!left.empty()) {
    const auto at = left.back();
    left.pop_back();
    order.push_back(at);
    left.insert(left.end(), below[at + 1].rbegin(), below[at + 1].rend());
  }
  return order;
}

/// Fills in the part that each node has of its level.
void fill_levels(std::vector<ShareInUse>& nodes) {
  const auto place = [](int node) { return static_cast<std::size_t>(std::ptrdiff_t{node} + 1); };
  std::vector<double> levels(nodes.size() + 1, 0.0);
  for (const auto& one : nodes) levels[place(one.node.parent)] += one.node.shares;
  for (auto& one : nodes) {
    const double level = levels[place(one.node.parent)];
    one.of_level = level > 0.0 ? one.node.shares / level : 0.0;
  }
}

}  // namespace

std::string_view kind_of(const grid::ShareNode& node) { return node.is_user ? "user" : node.is_group ? "group" : "project"; }

SharesInUse shares_in_use(store::Transaction& transaction, const process::Config& config, grid::Instant now) {
  SharesInUse all;
  all.resources = store::resources_of_grid(transaction);
  const auto window = grid::usage_window(config.fairshare_window, config.fairshare_decay, all.resources);
  const auto rule = grid::usage_rule(config.fairshare_usage).value_or(grid::UsageRule::absolute);
  const auto declared = store::shares(transaction);
  const auto usage = store::usage(transaction, config.fairshare_window, now);
  const auto users = store::working_users(transaction);
  for (const auto& [user, used] : grid::usage_by_user(usage, window)) all.usage += used;
  all.outside = all.usage;
  const auto tree = grid::used_tree(declared, usage, workers_of(users), window);
  const auto parts = grid::share_parts(tree);
  std::vector<int> placed(tree.size(), -1);
  for (const auto i : reading_order(tree)) {
    placed[i] = static_cast<int>(all.nodes.size());
    auto& one = all.nodes.emplace_back();
    one.node = tree[i];
    if (one.node.parent >= 0) one.node.parent = placed[static_cast<std::size_t>(one.node.parent)];
    if (i < declared.size()) one.id = declared[i].id;
    one.path = (one.node.parent < 0 ? std::string{} : all.nodes[static_cast<std::size_t>(one.node.parent)].path) + '/' + one.node.name;
    one.part = parts[i];
    one.used_part = all.usage > 0.0 ? one.node.usage / all.usage : 0.0;
    one.priority = grid::fair_priority(one.part, one.node.usage, rule);
    if (one.node.parent < 0) all.outside -= one.node.usage;
  }
  fill_levels(all.nodes);
  if (all.outside < 1e-9) all.outside = 0.0;  // the rest of a difference of sums
  return all;
}

std::vector<bool> nodes_of_user(const SharesInUse& shares, std::string_view user) {
  std::vector<bool> own(shares.nodes.size(), false);
  for (std::size_t i = shares.nodes.size(); i-- > 0;) {
    const auto& node = shares.nodes[i].node;
    if (node.is_user && node.name == user) own[i] = true;
    if (own[i] && node.parent >= 0) own[static_cast<std::size_t>(node.parent)] = true;
  }
  return own;
}

namespace {

using Kind = Refusal::Kind;

tl::unexpected<Refusal> refused(Kind kind, std::string message) { return tl::unexpected{Refusal{kind, std::move(message)}}; }

/// The id of the node below which it is; empty: the root.
Declared<std::optional<std::int64_t>> parent_of(store::Transaction& transaction, const std::optional<std::string>& path) {
  if (!path) return std::nullopt;
  if (path->find('/') == std::string::npos) {
    const auto found = store::projects_named(transaction, *path);
    if (found.size() == 1) return std::optional{found.front()};
    if (found.size() > 1)
      return refused(Kind::wrong_value,
                     fmt::format("there are {} projects '{}': name its way from the root, such as science/{}", found.size(), *path, *path));
  }
  std::optional<std::int64_t> at;
  for (std::size_t begin = 0; begin <= path->size();) {
    const auto end = std::min(path->find('/', begin), path->size());
    const auto name = path->substr(begin, end - begin);
    at = store::share_of(transaction, "project", name, at);
    if (!at)
      return refused(
          Kind::no_share,
          fmt::format("there is no project '{}' in the tree of shares: gridctl share set project {} SHARES makes it", name, name));
    begin = end + 1;
  }
  return at;
}

Declared<void> check_kind(const std::string& kind) {
  if (kind == "project" || kind == "group" || kind == "user") return {};
  return refused(Kind::wrong_value, fmt::format("'{}' is neither project, group nor user", kind));
}

}  // namespace

Declared<double> set_share(store::Transaction& transaction, const WrittenShare& written, const std::string& shares) {
  if (const auto kind = check_kind(written.kind); !kind) return tl::unexpected{kind.error()};
  const auto number = text::real_number(shares);
  if (!number || *number < 0)
    return refused(Kind::wrong_value, fmt::format("'{}' is not a number of shares: a number, 0 or more, is needed", shares));
  const auto parent = parent_of(transaction, written.project);
  if (!parent) return tl::unexpected{parent.error()};
  store::set_share(transaction, written.kind, written.name, *parent, *number);
  return *number;
}

Declared<void> remove_share(store::Transaction& transaction, const WrittenShare& written) {
  if (const auto kind = check_kind(written.kind); !kind) return tl::unexpected{kind.error()};
  const auto parent = parent_of(transaction, written.project);
  if (!parent) return tl::unexpected{parent.error()};
  const auto id = store::share_of(transaction, written.kind, written.name, *parent);
  if (!id || !store::remove_share(transaction, *id))
    return refused(Kind::no_share, fmt::format("there is no {} '{}' there (gridctl share list)", written.kind, written.name));
  return {};
}

}  // namespace gleaner::administration
