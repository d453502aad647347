#include <fmt/format.h>
#include <fmt/ranges.h>

#include "clients/gridctl/commands.hpp"
#include "lib/store/clock.hpp"
#include "lib/store/clusters.hpp"
#include "lib/store/epochs.hpp"
#include "lib/store/lease.hpp"
#include "lib/store/migrations.hpp"
#include "lib/store/views.hpp"
#include "lib/store/views_grid.hpp"
#include "lib/terminal/times.hpp"

namespace gleaner::gridctl {

using process::ExitCode;
using terminal::Cell;
using terminal::Table;

process::Outcome db_migrate(const Call& call) {
  store::Database database{call.context.config.database, limits_of(call)};
  const auto applied = store::migrate(database);
  Table table{{{"migration", "Migration"}}, {}, "The schema was up to date already."};
  for (const auto& name : applied) table.rows.push_back({Cell{name}});
  call.output.show({.table = table, .ids = applied});
  return ExitCode::ok;
}

process::Outcome db_restored(const Call& call) {
  auto database = open_database(call);
  grid::Epoch epoch;
  store::transact(database, std::nullopt,
                  [&](store::Transaction& transaction) { epoch = store::begin_epoch(transaction, store::now(transaction)); });
  Table table{{{"epoch", "Epoch"}, {"first_campaign", "First campaign"}, {"first_launch", "First launch"}}, {}};
  table.rows.push_back({Cell{epoch.token}, Cell{epoch.first_campaign.value()}, Cell{epoch.first_launch.value()}});
  call.output.show({.table = table, .ids = {epoch.token}});
  return ExitCode::ok;
}

process::Outcome db_status(const Call& call) {
  auto database = open_database(call);
  auto transaction = database.begin();
  const auto holder = store::lease_holder(transaction);
  const auto cycle = store::views::last_cycle(transaction);
  store::views::CampaignFilter in_hand;
  in_hand.states = {grid::CampaignState::in_treatment, grid::CampaignState::paused};
  const auto live = store::views::campaigns(transaction, in_hand, {1, 0});
  const auto all = store::views::campaigns(transaction, {}, {1, 0});
  const auto clusters = store::clusters(transaction);
  const auto events = store::views::grid_events(transaction, store::views::Which::open, {1, 0});
  Table table{{{"what", "What"}, {"value", "Value"}}, {}};
  table.rows.push_back({Cell{"schema"}, Cell{"up to date"}});
  table.rows.push_back({Cell{"grid"}, Cell{store::grid_token(transaction)}});
  table.rows.push_back(
      {Cell{"conductor"}, Cell{holder ? fmt::format("{} (term {})", holder->name, holder->term) : "nobody holds the lease"}});
  table.rows.push_back({Cell{"last cycle"}, Cell{cycle ? terminal::ago(call.context.now - cycle->started_at) : "none yet"}});
  table.rows.push_back({Cell{"clusters"}, Cell{static_cast<std::int64_t>(clusters.size())}});
  table.rows.push_back({Cell{"campaigns in treatment or paused"}, Cell{live.total}});
  table.rows.push_back({Cell{"campaigns"}, Cell{all.total}});
  table.rows.push_back({Cell{"open events of the grid"}, Cell{events.total}});
  call.output.show({.table = table});
  return ExitCode::ok;
}

}  // namespace gleaner::gridctl
