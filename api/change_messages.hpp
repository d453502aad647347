#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/grid/id.hpp"
#include "lib/grid/time.hpp"
#include "lib/store/feed.hpp"

/// The changes of the feed as messages of server-sent events.
namespace gleaner::api {

/// A place of the feed, as messages have it for their id: `8123-17`.
[[nodiscard]] std::string text_of(store::FeedPlace place);
/// Empty: not written as `text_of` writes it.
[[nodiscard]] std::optional<store::FeedPlace> place_of(std::string_view written);

/// The message to a client whose place is too old.
[[nodiscard]] std::string no_longer_kept(store::FeedPlace place);

struct ChangeMessage {
  store::FeedPlace place;
  std::optional<grid::CampaignId> campaign;  ///< that it is about
  std::string user;                          ///< the campaign's; empty: it is about none
  std::string project;                       ///< the campaign's
  std::string text;                          ///< id, event and data; empty: what changed was deleted meanwhile
  std::string text_of_others;                ///< the same for those who may not read what tasks wrote; empty: no different one
};

struct ChangePage {
  std::vector<ChangeMessage> messages;
  bool is_last = true;  ///< nothing follows before the end of the feed
};

/// The next messages after a place. Their data are what the objects are now; the state of a campaign or an event is that of the change.
/// Cost: a few queries a page, one for each event in it.
[[nodiscard]] ChangePage messages_after(store::Transaction& transaction, store::FeedPlace after, store::FeedPlace end);

}  // namespace gleaner::api
