#include "lib/store/audit.hpp"

#include "lib/store/detail.hpp"

namespace gleaner::store {

using detail::exec;

void act_as(Database& database, const Actor& actor, const std::string& act) {
  auto transaction = database.begin();
  exec(transaction, sql::audit_act_as{.actor = actor.name, .origin = actor.origin, .act = act});
  transaction.commit();
}

void act_as(Transaction& transaction, const Actor& actor, const std::string& act) {
  exec(transaction, sql::audit_act_as_here{.actor = actor.name, .origin = actor.origin, .act = act});
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

void write_act(text::JsonWriter& json, const NotedAct& act) {
  json.field("id", act.id);
  json.field("time", act.at);
  json.field("actor", act.actor.name);
  json.field("origin", act.actor.origin);
  json.field("act", act.act);
  json.field("subject", act.subject);
  json.field("campaign", act.campaign);
  json.key("before").raw(act.before.value_or("null"));
  json.key("after").raw(act.after.value_or("null"));
}

}  // namespace gleaner::store
