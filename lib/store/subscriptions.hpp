#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/grid/time.hpp"
#include "lib/store/database.hpp"

/// Subscriptions to messages: which events go to whom, and where.
namespace gleaner::store {

/// Hours in which nothing is sent: minutes of the day, from 0 to 1439.
struct QuietHours {
  int from = 0;
  int to = 0;
  bool operator==(const QuietHours&) const = default;
};

struct Subscription {
  std::int64_t id = 0;
  std::string user;      ///< empty: of the configuration
  std::string audience;  ///< user: of the user's campaigns; administrators: of the grid; everybody: both, of all users
  std::string channel;   ///< mail, webhook or command
  std::string address;
  std::string form = "json";  ///< of a webhook: json, or text for chat services
  std::string severity;       ///< the least: low, medium or high
  std::optional<QuietHours> quiet;
  std::string zone = "UTC";
  std::string secret{};  ///< of a webhook; written, and never read back here
  grid::Instant created_at{};
  std::optional<grid::Instant> sent_at{};  ///< of its last message that was taken
  std::int64_t pending = 0;                ///< messages that are not sent yet
  std::string last_state{};                ///< of the last message that was tried; empty: none was
  std::string last_error{};
};

/// A user's subscriptions; for administrators with those of the configuration.
enum class Reader { user, administrator };
[[nodiscard]] std::vector<Subscription> subscriptions_of(Transaction& transaction, const std::string& user, Reader reader);

/// The most of one user.
inline constexpr std::int64_t kMostSubscriptions = 20;
enum class Subscribed { done, exists, too_many, no_such_zone };
/// Adds one, and sets its id.
[[nodiscard]] Subscribed subscribe(Transaction& transaction, Subscription& subscription, grid::Instant now);

/// Removes one of the user's; false: there is none.
[[nodiscard]] bool unsubscribe(Transaction& transaction, const std::string& user, std::int64_t subscription);
/// The same by the address. Returns their number.
std::int64_t unsubscribe(Transaction& transaction, const std::string& user, const std::string& channel, const std::string& address);

/// Puts a test message into the outbox. False: there is no such subscription of the user's, or it was tested less than a minute ago.
[[nodiscard]] bool test_subscription(Transaction& transaction, const std::string& user, Reader reader, std::int64_t subscription,
                                     const std::string& grid_name, grid::Instant now);

}  // namespace gleaner::store
