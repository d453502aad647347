// Route of the grid's present state as a scenario, for simulation by the client.
#include <array>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "api/limits.hpp"
#include "api/readership.hpp"
#include "api/router.hpp"
#include "api/scenario_json.hpp"

namespace gleaner::api {
namespace {

/// Names of users that the caller may not read campaigns of, and of these campaigns, become others: the simulation needs to
/// distinguish users, not to identify them.
class Pseudonyms {
 public:
  explicit Pseudonyms(const Readership& readership, std::string self) : readership_{readership}, self_{std::move(self)} {}

  void replace_in(store::GridState& state) {
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

 private:
  void replace_in(std::map<std::string, double>& by_user) {
    std::map<std::string, double> replaced;
    for (const auto& [name, used] : by_user) {
      auto user = name;
      replace(user);
      replaced.emplace(std::move(user), used);
    }
    by_user = std::move(replaced);
  }

  void replace(std::string& user) {
    if (user.empty() || user == self_) return;
    const auto [known, is_new] = names_.try_emplace(user);
    if (is_new) known->second = fmt::format("user-{}", names_.size());
    user = known->second;
  }

  const Readership& readership_;
  std::string self_;
  std::map<std::string, std::string> names_;
};

/// Bytes of memory for the state of a large grid: as much as one user may have, so each user gets one at a time.
constexpr std::uint64_t kMemory = std::uint64_t{96} << 20U;

http::Response show_scenario(const Call& call) {
  auto memory = take_memory(call, kMemory);
  if (!memory) return memory.error();
  std::optional<grid::Instant> standstill;
  const auto state = call.connections.read([&](store::Transaction& transaction) {
    standstill = standstill_of(call, transaction);
    auto known = store::grid_state(transaction,
                                   {.flood = call.config.flood,
                                    .array_size = call.config.array_size,
                                    .headroom = call.config.headroom,
                                    .availability = call.config.availability},
                                   call.config.fairshare_window, call.now);
    const auto readership = readership_of(call, transaction);
    Pseudonyms{readership, call.caller.user}.replace_in(known);
    return known;
  });
  text::JsonWriter json;
  json.object([&] {
    json.field("time", call.now);
    json.key("scenario");
    write_scenario(json, state, call.config, call.now);
    json.key("left_out").array(left_out(state), [&](const LeftOut& one) {
      json.object([&] {
        json.field("cluster_name", one.cluster);
        json.field("why", one.why);
      });
    });
    json.field("standstill", standstill);
    write_links(json, {{"self", "/v1/scenario"}, {"parent", "/"}});
  });
  return with_memory(answer(json), std::move(*memory));
}

}  // namespace

std::span<const Route> scenario_routes() {
  static constexpr std::array kRoutes{Route{"GET", "/v1/scenario", Access::identified, show_scenario, {}, Etag::none}};
  return kRoutes;
}

}  // namespace gleaner::api
