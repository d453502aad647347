#include "lib/store/subscriptions.hpp"

#include "lib/store/detail.hpp"

namespace gleaner::store {
namespace {

using detail::exec;

int severity_number(std::string_view word) { return word == "low" ? 1 : word == "medium" ? 2 : 3; }

}  // namespace

std::vector<Subscription> subscriptions_of(Transaction& transaction, const std::string& user, Reader reader) {
  std::vector<Subscription> all;
  for (const auto& row : exec(transaction, sql::subscriptions_of{.user = user, .all = reader == Reader::administrator})) {
    Subscription one;
    one.id = *row.id;
    one.user = *row.user_name;
    one.audience = *row.audience;
    one.channel = *row.channel;
    one.address = *row.address;
    one.form = *row.form;
    one.severity = *row.severity;
    const std::optional<int> from = row.quiet_from;
    const std::optional<int> to = row.quiet_to;
    if (from && to) one.quiet = QuietHours{.from = *from, .to = *to};
    one.zone = *row.zone;
    one.created_at = *row.created_at;
    one.sent_at = row.sent_at;
    one.pending = *row.pending;
    one.last_state = row.last_state.value_or("");
    one.last_error = row.last_error.value_or("");
    all.push_back(std::move(one));
  }
  return all;
}

Subscribed subscribe(Transaction& transaction, Subscription& subscription, grid::Instant now) {
  exec(transaction, sql::subscriptions_lock{.user = subscription.user});
  if (exec(transaction, sql::subscriptions_counts{.user = subscription.user})[0].number.as<std::int64_t>() >= kMostSubscriptions)
    return Subscribed::too_many;
  const bool is_zone = *exec(transaction, sql::subscriptions_is_zone{.zone = subscription.zone})[0].known;
  if (!is_zone) return Subscribed::no_such_zone;
  const auto& quiet = subscription.quiet;
  const auto rows = exec(transaction, sql::subscriptions_add{
                                          .user = subscription.user,
                                          .audience = subscription.audience,
                                          .channel = subscription.channel,
                                          .address = subscription.address,
                                          .form = subscription.form,
                                          .severity = severity_number(subscription.severity),
                                          .quiet_from = quiet ? std::optional{quiet->from} : std::nullopt,
                                          .quiet_to = quiet ? std::optional{quiet->to} : std::nullopt,
                                          .zone = subscription.zone,
                                          .secret = subscription.secret,
                                          .now = now,
                                      });
  if (rows.empty()) return Subscribed::exists;
  subscription.id = *rows[0].id;
  return Subscribed::done;
}

bool unsubscribe(Transaction& transaction, const std::string& user, std::int64_t subscription) {
  return !user.empty() && !exec(transaction, sql::subscriptions_remove{.subscription = subscription, .user = user}).empty();
}

std::int64_t unsubscribe(Transaction& transaction, const std::string& user, const std::string& channel, const std::string& address) {
  return static_cast<std::int64_t>(
      exec(transaction, sql::subscriptions_remove_address{.user = user, .channel = channel, .address = address}).size());
}

bool test_subscription(Transaction& transaction, const std::string& user, Reader reader, std::int64_t subscription,
                       const std::string& grid_name, grid::Instant now) {
  const sql::subscriptions_test query{
      .now = now, .subscription = subscription, .user = user, .all = reader == Reader::administrator, .grid = grid_name};
  return !exec(transaction, query).empty();
}

}  // namespace gleaner::store
