#include "lib/store/audit.hpp"

#include "lib/store/detail.hpp"

namespace gleaner::store {

using detail::exec;

void act_as(Database& database, const Actor& actor, const std::string& act) {
  auto transaction = database.begin();
  exec(transaction, sql::audit_act_as{.actor = actor.name, .origin = actor.origin, .act = act});
  transaction.commit();
}

void note_act(Transaction& transaction, const Actor& actor, const Act& act, grid::Instant now) {
  exec(transaction, sql::audit_add{
                        .now = now,
                        .actor = actor.name,
                        .origin = actor.origin,
                        .act = act.name,
                        .subject = act.subject,
                        .campaign = act.campaign,
                        .before = act.before,
                        .after = act.after,
                    });
}

std::vector<NotedAct> noted_acts(Transaction& transaction, const ActFilter& filter, std::int64_t most) {
  std::vector<NotedAct> all;
  for (const auto& row :
       exec(transaction, sql::audit_list{.campaign = filter.campaign, .actor = filter.actor, .since = filter.since, .limit = most})) {
    all.push_back({.id = *row.id,
                   .at = *row.acted_at,
                   .actor = {.name = *row.actor, .origin = *row.origin},
                   .act = *row.act,
                   .subject = *row.subject,
                   .campaign = row.campaign_id,
                   .before = row.before,
                   .after = row.after});
  }
  return all;
}

}  // namespace gleaner::store
