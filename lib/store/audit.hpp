#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/grid/id.hpp"
#include "lib/grid/time.hpp"
#include "lib/store/database.hpp"
#include "lib/text/json_writer.hpp"

/// The audit: who changed what, from where and when. The trigger note_act writes the changes of what administrators declare; acts on
/// campaigns are noted by the API.
namespace gleaner::store {

/// A person who changes something.
struct Actor {
  std::string name;    ///< of the user
  std::string origin;  ///< `unix`, an address, the host of gridctl
};

/// Names the actor, and the act, of all that is changed over this connection; without it the trigger names the role of PostgreSQL.
void act_as(Database& database, const Actor& actor, const std::string& act);
/// The same until the end of the transaction.
void act_as(Transaction& transaction, const Actor& actor, const std::string& act);

/// An act that changed something. `before` and `after`: JSON objects of what differs; empty: null.
struct Act {
  std::string name;     ///< `campaign paused`
  std::string subject;  ///< `campaign 12`
  std::optional<grid::CampaignId> campaign{};
  std::optional<std::string> before{};
  std::optional<std::string> after{};
};
void note_act(Transaction& transaction, const Actor& actor, const Act& act, grid::Instant now);

struct NotedAct {
  std::int64_t id = 0;
  grid::Instant at{};
  Actor actor;
  std::string act;
  std::string subject;
  std::optional<std::int64_t> campaign;
  std::optional<std::string> before;  ///< JSON
  std::optional<std::string> after;   ///< JSON
};
/// The acts to list; empty: all.
struct ActFilter {
  std::optional<std::int64_t> campaign{};
  std::optional<std::string> actor{};
  std::optional<grid::Instant> since{};
};
/// The newest first, `most` at most.
[[nodiscard]] std::vector<NotedAct> noted_acts(Transaction& transaction, const ActFilter& filter, std::int64_t most);

/// Writes an act into an open object.
void write_act(text::JsonWriter& json, const NotedAct& act);

}  // namespace gleaner::store
