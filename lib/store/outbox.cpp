#include "lib/store/outbox.hpp"

#include "lib/store/detail.hpp"
#include "lib/text/clean.hpp"

namespace gleaner::store {
namespace {

using detail::exec;

constexpr std::int64_t kNoticesAtOnce = 200'000;
constexpr std::int64_t kMessagesAtOnce = 1'000;
constexpr std::int64_t kSeparateCampaigns = 5;  // further ones share a message
constexpr std::int64_t kMostLines = 50;         // of one message
constexpr std::int64_t kPrunedAtOnce = 10'000;
constexpr std::size_t kMostError = 500;

double seconds(std::chrono::milliseconds time) { return std::chrono::duration<double>(time).count(); }

std::string cleaned(const std::string& error) { return text::clean_text(error, {.most_bytes = kMostError}); }

}  // namespace

bool take_herald_lock(Transaction& transaction) { return *exec(transaction, sql::outbox_take_lock{})[0].taken; }

Gathered gather(Transaction& transaction, const Gathering& how, grid::Instant now) {
  const auto row = exec(transaction, sql::outbox_gather{
                                         .now = now,
                                         .lost_after_s = seconds(how.lost_after),
                                         .batch = kNoticesAtOnce,
                                         .interval_s = seconds(how.interval),
                                         .separate = kSeparateCampaigns,
                                         .delay_s = seconds(how.delay),
                                     })[0];
  return {.notices = *row.notices, .messages = *row.messages};
}

std::int64_t fix_messages(Transaction& transaction, const std::string& grid_name, grid::Instant now) {
  const sql::outbox_fix query{.now = now, .batch = kMessagesAtOnce, .most = kMostLines, .grid = grid_name};
  return static_cast<std::int64_t>(exec(transaction, query).size());
}

std::vector<OutgoingMessage> claim_messages(Transaction& transaction, std::string_view channel, std::span<const std::string> busy,
                                            std::int64_t limit, grid::Instant now) {
  std::vector<OutgoingMessage> messages;
  for (const auto& row :
       exec(transaction, sql::outbox_claim{.now = now, .channel = channel, .busy = detail::text_array(busy), .limit = limit}))
    messages.push_back({.id = *row.id,
                        .uid = *row.uid,
                        .attempt = *row.attempts,
                        .doubts = *row.doubts,
                        .content = *row.content,
                        .fixed_at = *row.fixed_at,
                        .user = *row.user_name,
                        .channel = *row.channel,
                        .address = *row.address,
                        .form = *row.form,
                        .secret = *row.secret});
  return messages;
}

void note_sent(Transaction& transaction, std::int64_t message, grid::Instant now) {
  exec(transaction, sql::outbox_sent{.now = now, .message = message});
}

void note_again(Transaction& transaction, std::int64_t message, grid::Instant next, Doubt doubt, const std::string& error) {
  exec(transaction, sql::outbox_again{.next = next, .error = cleaned(error), .doubt = doubt == Doubt::none ? 0 : 1, .message = message});
}

void note_given_up(Transaction& transaction, std::int64_t message, const std::string& error, grid::Instant now) {
  exec(transaction, sql::outbox_given_up{.now = now, .error = cleaned(error), .message = message});
}

std::int64_t recover_messages(Transaction& transaction, std::span<const std::int64_t> kept, grid::Instant now) {
  return exec(transaction, sql::outbox_recover{.now = now, .kept = detail::number_array(kept)}).affected_rows();
}

void configure_subscriptions(Transaction& transaction, std::span<const std::string> mails, bool with_command, grid::Instant now) {
  exec(transaction, sql::outbox_configure{.mails = detail::text_array(mails), .with_command = with_command, .now = now});
}

void prune_messages(Transaction& transaction, grid::Instant before) {
  exec(transaction, sql::outbox_prune{.before = before, .batch = kPrunedAtOnce});
}

}  // namespace gleaner::store
