#pragma once
#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/grid/time.hpp"
#include "lib/store/database.hpp"

/// The outbox: triggers write notices, and the herald makes messages of them and sends them.
namespace gleaner::store {

/// Takes this connection's lock of the one herald that sends. False: another connection holds it.
[[nodiscard]] bool take_herald_lock(Transaction& transaction);

struct Gathering {
  std::chrono::milliseconds delay{};       ///< how long a message gathers at least
  std::chrono::milliseconds interval{};    ///< the least time between two messages of one destination about the same
  std::chrono::milliseconds lost_after{};  ///< a shorter outage of a cluster is not reported
};
struct Gathered {
  std::int64_t notices = 0;   ///< that were taken
  std::int64_t messages = 0;  ///< that they went into
};
/// Takes notices into messages, as many as one statement is to take; none is in two messages of one destination, whatever ends this
/// program.
Gathered gather(Transaction& transaction, const Gathering& how, grid::Instant now);

/// Fixes the content of messages that have gathered long enough: they can be sent. Returns their number.
std::int64_t fix_messages(Transaction& transaction, const std::string& grid_name, grid::Instant now);

/// A message that is being sent.
struct OutgoingMessage {
  std::int64_t id = 0;
  std::string uid;  ///< by which its receiver recognizes a repetition
  int attempt = 1;
  int doubts = 0;       ///< earlier attempts that may have arrived
  std::string content;  ///< JSON
  grid::Instant fixed_at{};
  std::string user;     ///< empty: of the configuration
  std::string channel;  ///< mail, webhook or command
  std::string address;
  std::string form;    ///< of a webhook: json or text
  std::string secret;  ///< of a webhook
};
/// Notes messages of a channel as being sent: at most one for each user, and none of the busy users.
[[nodiscard]] std::vector<OutgoingMessage> claim_messages(Transaction& transaction, std::string_view channel,
                                                          std::span<const std::string> busy, std::int64_t limit, grid::Instant now);

void note_sent(Transaction& transaction, std::int64_t message, grid::Instant now);
enum class Doubt { none, may_have_arrived };
void note_again(Transaction& transaction, std::int64_t message, grid::Instant next, Doubt doubt, const std::string& error);
void note_given_up(Transaction& transaction, std::int64_t message, const std::string& error, grid::Instant now);
/// Messages that a herald which is gone was sending are sent again. `kept`: those that this one sends. Returns their number.
std::int64_t recover_messages(Transaction& transaction, std::span<const std::int64_t> kept, grid::Instant now);

/// Makes the subscriptions of the configuration these: mail to administrators, and the program that gets all messages.
void configure_subscriptions(Transaction& transaction, std::span<const std::string> mails, bool with_command, grid::Instant now);

/// Deletes messages that were settled before.
void prune_messages(Transaction& transaction, grid::Instant before);

}  // namespace gleaner::store
