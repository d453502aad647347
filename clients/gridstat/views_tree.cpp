// The list of campaigns as a tree: each one below a campaign that comes first.
#include <map>

#include "clients/gridstat/views.hpp"
#include "lib/terminal/text.hpp"

namespace gleaner::gridstat {
namespace {

using clients::Json;

/// Draws the campaigns, each below the first of the shown campaigns that it comes after.
class Tree {
 public:
  explicit Tree(const std::vector<Json>& campaigns) {
    std::map<std::int64_t, const Json*> known;
    for (const auto& campaign : campaigns) known.emplace(campaign["id"].integer(), &campaign);
    for (const auto& campaign : campaigns) below_[above(campaign, known)].push_back(&campaign);
  }

  std::vector<Branch> draw() && {
    for (const auto* root : below_[kNone]) add(*root, "", "");
    return std::move(branches_);
  }

 private:
  static constexpr std::int64_t kNone = 0;

  static std::int64_t above(const Json& campaign, const std::map<std::int64_t, const Json*>& known) {
    for (const auto& dependency : campaign["dependencies"].items()) {
      // Campaigns come after older ones.
      const auto id = dependency["campaign_id"].integer();
      if (known.contains(id) && id < campaign["id"].integer()) return id;
    }
    return kNone;
  }

  /// @param own    what stands before its name
  /// @param under  what stands before the lines below it
  void add(const Json& campaign, const std::string& own, const std::string& under) {
    branches_.push_back({campaign, own});
    const auto& below = below_[campaign["id"].integer()];
    for (const auto* one : below) {
      const bool is_last = one == below.back();
      add(*one, under + (is_last ? "└─ " : "├─ "), under + (is_last ? "   " : "│  "));
    }
  }

  std::map<std::int64_t, std::vector<const Json*>> below_;
  std::vector<Branch> branches_;
};

}  // namespace

std::vector<Branch> tree_of(const std::vector<Json>& campaigns) { return Tree{campaigns}.draw(); }

terminal::Table tree_table(const std::vector<Branch>& branches, const Setting& setting) {
  std::vector<Json> campaigns;
  for (const auto& branch : branches) campaigns.push_back(branch.campaign);
  auto table = summary(campaigns, setting);
  constexpr std::size_t kName = 1;
  for (std::size_t i = 0; i < branches.size(); ++i) {
    const auto name = campaigns[i]["name"].text();
    table.rows[i].at(kName) = terminal::Cell{name, branches[i].lead + terminal::printable(name)};
  }
  return table;
}

}  // namespace gleaner::gridstat
