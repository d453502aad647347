#include "sim/world/administrator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "lib/grid/headroom.hpp"
#include "lib/grid/policy_facts.hpp"
#include "lib/store/clock.hpp"
#include "lib/store/declarations.hpp"
#include "lib/store/policies.hpp"
#include "lib/store/rules.hpp"
#include "lib/text/numbers.hpp"
#include "runner/limits.hpp"
#include "sim/world/virtual_clock.hpp"

namespace gleaner::world {
namespace {

/// The limits that an array's row may set, by their names there.
struct NamedLimit {
  std::string_view name;
  grid::LimitKind kind;
  int most;
  enum class Whose { all, one_user, each_user } whose = Whose::all;
};
constexpr std::array kLimits{
    NamedLimit{"running_jobs", grid::LimitKind::running_jobs, 5},
    NamedLimit{"waiting_jobs", grid::LimitKind::waiting_jobs, 2},
    NamedLimit{"resources", grid::LimitKind::resources, 8},
    NamedLimit{"running_jobs of a user", grid::LimitKind::running_jobs, 2, NamedLimit::Whose::one_user},
    NamedLimit{"running_jobs of each user", grid::LimitKind::running_jobs, 2, NamedLimit::Whose::each_user},
};
constexpr std::string_view kLimitedUser{"alice"};

}  // namespace

Administrator::Administrator(const Settings& settings, WorldDatabase& database, std::vector<std::string> clusters)
    : settings_{settings}, database_{database}, clusters_{std::move(clusters)} {
  if (!settings.features.contains(Feature::array)) return;
  row_ = row_of(settings.seed, 0);
  if (said("grid cluster").empty()) return;
  // All campaigns are submitted before, as nobody may name a cluster that is disabled.
  const auto at = [&](double part) {
    return VirtualClock::begin() + std::chrono::microseconds{static_cast<std::int64_t>(part * settings.hours * 3600e6)};
  };
  leaves_ = at(0.55);
  returns_ = at(0.8);
}

std::string_view Administrator::said(std::string_view name) const {
  const auto found = row_.find(name);
  return found == row_.end() ? std::string_view{} : std::string_view{found->second};
}

void Administrator::configure(process::Config& config, const Settings& settings) {
  if (!settings.features.contains(Feature::array)) return;
  const auto row = row_of(settings.seed, 0);
  if (!row.at("grid campaign_order").empty()) config.campaign_order = row.at("grid campaign_order");
  config.simultaneous = row.at("grid simultaneous") == "yes";
  config.reservations = row.at("grid reservations") != "no";
}

void Administrator::configure(store::Cluster& cluster) const {
  if (row_.empty()) return;
  cluster.memory_property = "mem";
  cluster.memory_unit_mb = 1024;
  cluster.memory_max_mb = 16 * 1024;
  if (!said("grid headroom").empty()) cluster.headroom = grid::headroom(said("grid headroom"));
  if (!said("grid flood").empty()) cluster.flood = *text::real_number(said("grid flood"));
  if (!said("grid array_size").empty()) cluster.array_size = *text::whole_number<int>(said("grid array_size"));
  if (!said("grid shared_home").empty()) cluster.shared_home = std::string{said("grid shared_home")};
}

void Administrator::set_up(store::Transaction& transaction, grid::Instant now) const {
  if (has_licences(settings_))
    store::set_limit(transaction,
                     {.kind = grid::LimitKind::consumable, .most = licences_of(settings_), .consumable = std::string{kConsumable}});
  if (row_.empty()) return;
  for (const auto user : kUsers) store::allow_normal(transaction, user, {}, {"administrator", now});
  const auto named = std::ranges::find(kLimits, said("grid limit"), &NamedLimit::name);
  if (named == kLimits.end()) return;
  grid::Limit limit{.kind = named->kind, .most = static_cast<double>(named->most)};
  if (named->whose == NamedLimit::Whose::one_user) limit.user = std::string{kLimitedUser};
  if (named->whose == NamedLimit::Whose::each_user) limit.each = grid::LimitEach::user;
  store::set_limit(transaction, limit);
}

std::optional<grid::Instant> Administrator::next() const { return leaves_ ? leaves_ : returns_; }

void Administrator::act(const process::Config& config, grid::Instant now) {
  while (next() && *next() <= now) {
    store::Database connection{database_.conninfo_of("administrator")};
    store::transact(connection, std::nullopt, [&](store::Transaction& transaction) {
      store::hold_lease(transaction);
      if (leaves_) withdraw(config, transaction);
      else bring_back(transaction);
      store::wake_up(transaction);
    });
    if (leaves_) withdrawals_.push_back({clusters_.front(), now, {}});
    else withdrawals_.back().end = now;
    (leaves_ ? leaves_ : returns_).reset();
  }
}

/// As `gridctl cluster disable` and `retire`.
void Administrator::withdraw(const process::Config& config, store::Transaction& transaction) {
  auto cluster = *store::find_cluster(transaction, clusters_.front());
  if (said("grid cluster") == "disable") {
    cluster.enabled = false;
    return store::edit_cluster(transaction, cluster);
  }
  const store::Declarer author{.name = "administrator"};
  const auto now = store::now(transaction);
  if (!store::retire_cluster(transaction, cluster.id, now)) return;
  store::lose_jobs(transaction, store::live_jobs_of(transaction, cluster.id), runner::limits_of(config), author, now);
  store::release_bound_tasks(transaction, cluster.id, author, now);
}

/// As `gridctl cluster enable`.
void Administrator::bring_back(store::Transaction& transaction) {
  auto cluster = *store::find_cluster(transaction, clusters_.front());
  if (cluster.retired_at) static_cast<void>(store::bring_back_cluster(transaction, cluster.id, store::now(transaction)));
  cluster.enabled = true;
  store::edit_cluster(transaction, cluster);
}

std::optional<Administrator::Bound> Administrator::bound() const {
  const auto named = std::ranges::find(kLimits, said("grid limit"), &NamedLimit::name);
  if (named == kLimits.end() || named->kind == grid::LimitKind::waiting_jobs) return std::nullopt;
  Bound bound{.user = named->whose == NamedLimit::Whose::one_user ? std::string{kLimitedUser} : std::string{},
              .for_each_user = named->whose == NamedLimit::Whose::each_user};
  (named->kind == grid::LimitKind::resources ? bound.resources : bound.jobs) = named->most;
  return bound;
}

int Administrator::kept_resources(int of) const {
  const auto headroom = said("grid headroom").empty() ? std::nullopt : grid::headroom(said("grid headroom"));
  if (!headroom || headroom->kind == grid::Headroom::Kind::automatic) return 0;
  return grid::kept_resources(*headroom, 0, of);
}

}  // namespace gleaner::world
