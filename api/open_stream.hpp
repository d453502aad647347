#pragma once
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/change_messages.hpp"
#include "api/code.hpp"
#include "api/readership.hpp"
#include "lib/grid/clock.hpp"
#include "lib/http/outlet.hpp"

namespace gleaner::api {

/// The changes that a stream shows.
struct ChangeFilter {
  std::vector<std::int64_t> campaigns;  ///< sorted; empty: any, and what is of no campaign
  std::optional<std::string> user;      ///< campaigns of this user alone
  Readership readership;                ///< what the stream's caller may read
};

struct StreamTimes {
  std::chrono::milliseconds heartbeat{15'000};   ///< after so long without a message, a comment is sent
  std::chrono::milliseconds patience{30'000};    ///< a client that takes no byte for so long is cut off
  std::chrono::milliseconds longest{3'600'000};  ///< then the client has to come again, so that it is asked again who it is
  std::chrono::milliseconds pause{100};          ///< between two readings of the feed, at least
  std::chrono::milliseconds pause_each{1};       ///< the same for each stream: a message costs some 4 us of a processor a stream
  std::chrono::milliseconds most_pause{1'000};
  std::chrono::milliseconds reading{250};   ///< of the feed; then streams that are further behind wait for the next reading
  std::chrono::milliseconds look{5'000};    ///< between two readings that no notification asks for
  std::chrono::milliseconds prune{60'000};  ///< between two deletions of old changes
  std::chrono::seconds kept{86'400};        ///< the age at which changes are deleted
  std::int64_t most_kept = 100'000;         ///< changes

  /// Between two readings of the feed for so many streams.
  [[nodiscard]] std::chrono::milliseconds pause_for(std::size_t streams) const {
    const auto of_all = pause_each * std::min<std::int64_t>(static_cast<std::int64_t>(streams), 1'000'000);
    return std::max(pause, std::min(of_all, most_pause));
  }
};

/// One stream of changes to one client. Nothing here waits. Memory: at most 64 kB and one message.
class OpenStream {
 public:
  using Clock = grid::SteadyClock;

  /// @param place  the right to a stream, which ends with it
  OpenStream(std::unique_ptr<http::Outlet> outlet, std::shared_ptr<void> place, ChangeFilter filter, store::FeedPlace after,
             Clock::time_point now);

  /// The place up to which it has all that it shows, sent or about to be sent.
  [[nodiscard]] store::FeedPlace position() const { return position_; }
  /// Everything was sent: it can take messages.
  [[nodiscard]] bool is_drained() const { return buffer_.empty(); }

  /// Takes a message if it shows it. False, and the position stays: it has as much to send as it may keep.
  [[nodiscard]] bool take(const ChangeMessage& message);
  /// There is nothing more for it before this place.
  void pass_to(store::FeedPlace place) { position_ = std::max(position_, place); }

  /// Sends what the client takes, and heartbeats. False: the stream is over.
  [[nodiscard]] bool serve(const StreamTimes& times, Clock::time_point now);
  /// Sends a last message with the error that ends it, as far as the client takes it now. It has no id: the client's place stays.
  void explain_end(Code code, std::string_view why);
  /// Drops what the client has sent. False: it has gone.
  [[nodiscard]] bool skip_input() { return outlet_->skip_input(); }
  /// The time of the next call of `serve`, if nothing happens before.
  [[nodiscard]] Clock::time_point next_deadline(const StreamTimes& times) const;
  [[nodiscard]] int fd() const { return outlet_->fd(); }

 private:
  [[nodiscard]] bool shows(const ChangeMessage& message) const;
  [[nodiscard]] bool send(Clock::time_point now);

  std::unique_ptr<http::Outlet> outlet_;
  std::shared_ptr<void> place_;
  ChangeFilter filter_;
  store::FeedPlace position_;
  std::string buffer_;
  Clock::time_point begun_;
  Clock::time_point last_sent_;  ///< or, when something waits, the last time that the client took a byte
};

}  // namespace gleaner::api
