#pragma once
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/grid/id.hpp"
#include "lib/grid/time.hpp"
#include "lib/store/database.hpp"

/// The feed: what changes in the grid, in an order that a reader can go on from. Triggers write it.
namespace gleaner::store {

/// The channel on which transactions that add to the feed wake its readers up.
inline constexpr const char* kFeed = "gleaner_feed";

/// A place in the feed. Changes are ordered by the transaction that wrote them, as numbers of a sequence become visible out of order.
struct FeedPlace {
  std::int64_t transaction = 0;
  std::int64_t change = 0;  ///< of the transaction; 0: before its first one
  auto operator<=>(const FeedPlace&) const = default;
};

/// A change of something; what it is now has to be read elsewhere.
struct FeedChange {
  FeedPlace place;
  std::string kind;     ///< campaign, progress, event or cluster
  std::string change;   ///< the state that the campaign entered, `counts`; `opened`, `again`, `closed`; `cluster`
  std::int64_t id = 0;  ///< of the campaign, event or cluster
  std::optional<grid::CampaignId> campaign;
};

struct FeedState {
  FeedPlace end;          ///< no change before it will be added, and all of them can be read
  std::int64_t kept = 0;  ///< changes of transactions from this one on are kept
  bool pending = false;   ///< there are changes behind the end: it moves when older transactions have ended
};
/// Cost: one look into an index.
[[nodiscard]] FeedState feed_state(Transaction& transaction);

/// The next changes after a place and before the end, in their order.
/// Counts of tasks and repetitions of an event are there once for each campaign and event, at the last transaction that changed them.
[[nodiscard]] std::vector<FeedChange> changes_after(Transaction& transaction, FeedPlace after, FeedPlace end, std::int64_t limit);

/// Begins the feed anew if its database was restored into another PostgreSQL, whose transactions have other numbers. False: it was not.
bool adopt_feed(Database& database);

/// Deletes changes that are older, and those beyond the newest `most`, as far as they could be read. Returns their number.
std::int64_t prune_feed(Database& database, grid::Instant before, std::int64_t most, std::int64_t batch = 10'000);

}  // namespace gleaner::store
