#include "api/pseudonyms.hpp"

#include <fmt/format.h>

namespace gleaner::api {

void Pseudonyms::replace_in(store::GridState& state) {
  if (!readership_.restriction()) return;
  for (const auto& campaign : state.planning.campaigns) {
    if (!readership_.may_read(campaign.user, campaign.project)) state.names.erase(campaign.id);
  }
  for (auto& campaign : state.planning.campaigns) replace(campaign.user);
  auto& policies = state.planning.policies;
  for (auto& usage : policies.usage) replace(usage.user);
  for (auto& one : policies.priorities) replace(one.user);
  for (auto& affinity : policies.affinities) replace(affinity.user);
  for (auto& limit : policies.limits) {
    if (limit.user) replace(*limit.user);
    if (limit.each == grid::LimitEach::user) replace_in(limit.used_by);
  }
  for (auto& keep : policies.keeps) {
    if (keep.user) replace(*keep.user);
  }
  for (auto& one : policies.first_campaigns) replace(one.user);
  for (auto& share : policies.shares) {
    if (share.is_user) replace(share.name);
  }
}

void Pseudonyms::replace_in(std::map<std::string, double>& by_user) {
  std::map<std::string, double> replaced;
  for (const auto& [name, used] : by_user) replaced.emplace(of(name), used);
  by_user = std::move(replaced);
}

std::string Pseudonyms::of(const std::string& user) {
  if (!readership_.restriction() || user.empty() || user == self_) return user;
  const auto [known, is_new] = names_.try_emplace(user);
  if (is_new) known->second = fmt::format("user-{}", names_.size());
  return known->second;
}

}  // namespace gleaner::api
