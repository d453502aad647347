#include "herald/herald.hpp"

#include <fmt/format.h>
#include <systemd/sd-daemon.h>

#include <algorithm>
#include <array>
#include <random>

#include "lib/fleet/health.hpp"
#include "lib/fleet/kept_database.hpp"
#include "lib/grid/clock.hpp"
#include "lib/process/failpoint.hpp"
#include "lib/process/log.hpp"
#include "lib/process/stop.hpp"
#include "lib/process/values.hpp"
#include "lib/store/clock.hpp"
#include "lib/store/events.hpp"
#include "lib/store/health.hpp"
#include "lib/store/migrations.hpp"
#include "lib/store/outbox.hpp"
#include "lib/store/totals.hpp"
#include "lib/text/clean.hpp"
#include "lib/text/json_writer.hpp"

namespace gleaner::herald {
namespace {

using Outcome = Delivered::Outcome;
using Milliseconds = std::chrono::milliseconds;

constexpr std::array<std::string_view, 3> kChannels{"mail", "webhook", "command"};
constexpr Milliseconds kPeriod{1000};
constexpr Milliseconds kWatchPeriod{30'000};
constexpr std::chrono::hours kPrunePeriod{1};
constexpr std::chrono::days kKept{7};
constexpr Milliseconds kLongestPause{std::chrono::minutes{30}};
constexpr Milliseconds kLongestMailPause{std::chrono::minutes{1}};
constexpr int kMostDoublings = 16;
constexpr int kMostProgramAttempts = 10;
// A mail that was given whole has arrived, most probably; who gets webhooks knows repeated ones by their id.
constexpr int kMostDoubts = 3;
constexpr int kMostWebhookDoubts = 20;
constexpr double kFull = 0.9;
constexpr double kRoomAgain = 0.85;

Milliseconds doubled(Milliseconds first, int times, Milliseconds most) {
  return std::min(most, first * (std::int64_t{1} << std::min(times, kMostDoublings)));
}

}  // namespace

std::string Herald::Counts::summary() const {
  return fmt::format("{} things to tell, {} attempts, {} sent, {} to be tried again, {} given up", notices, begun, sent, again, failed);
}

Herald::Herald(const process::Config& config) : config_{config}, deliveries_{config, mail_access(config)} {}

bool Herald::take_over(store::Database& database) {
  bool taken = false;
  store::transact(database, std::nullopt, [&](store::Transaction& transaction) {
    taken = store::take_herald_lock(transaction);
    if (!taken) return;
    std::vector<std::int64_t> kept;
    for (const auto& [id, message] : begun_) kept.push_back(id);
    const auto now = store::now(transaction);
    const auto again = store::recover_messages(transaction, kept, now);
    if (again > 0) process::log::warning("messages may arrive twice", {{"messages", again}});
    store::configure_subscriptions(transaction, config_.herald_admins, !config_.on_event.empty(), now);
  });
  return taken;
}

void Herald::send_due(store::Database& database) {
  store::transact(database, std::nullopt, [&](store::Transaction& transaction) {
    const auto now = store::now(transaction);
    const store::Gathering how{.delay = config_.herald_delay, .interval = config_.herald_interval, .lost_after = config_.herald_lost_after};
    counts_.notices += store::gather(transaction, how, now).notices;
    static_cast<void>(store::fix_messages(transaction, config_.grid_name, now));
  });
  process::failpoint("herald.after_gather");
  for (const auto channel : kChannels) begin_due(database, channel);
}

void Herald::begin_due(store::Database& database, std::string_view channel) {
  auto room = deliveries_.room(channel);
  const bool is_mail = channel == "mail";
  // While no mail server answers, one message asks whether it does again.
  if (is_mail && mail_failures_ > 0) room = deliveries_.busy(channel).empty() && grid::now() >= mail_not_before_ ? 1 : 0;
  if (room == 0) return;
  std::vector<store::OutgoingMessage> messages;
  store::transact(database, std::nullopt, [&](store::Transaction& transaction) {
    messages = store::claim_messages(transaction, channel, deliveries_.busy(channel), room, store::now(transaction));
  });
  if (messages.empty()) return;
  process::failpoint("herald.before_send");
  for (auto& message : messages) {
    ++counts_.begun;
    deliveries_.begin(message);
    begun_.insert_or_assign(message.id, std::move(message));
  }
}

void Herald::await(process::Duration at_most) {
  for (auto& end : deliveries_.wait(at_most, process::stop_descriptor())) {
    const auto& message = begun_.at(end.message);
    if (end.message < 0) {  // about an outage: it has no row
      if (end.outcome == Outcome::taken || end.outcome == Outcome::refused) outage_sent_.push_back(message.address);
      else outage_not_before_ = grid::now() + kLongestMailPause;
      begun_.erase(end.message);
      continue;
    }
    if (message.channel == "mail") {
      mail_failures_ = end.is_unreachable && end.outcome == Outcome::again ? mail_failures_ + 1 : 0;
      if (mail_failures_ > 0) mail_not_before_ = grid::now() + doubled(config_.herald_retry / 4, mail_failures_ - 1, kLongestMailPause);
    }
    ended_.push_back(std::move(end));
  }
}

Milliseconds Herald::pause_after(int attempt) const {
  static std::mt19937 random{std::random_device{}()};
  std::uniform_real_distribution<double> jitter{0.5, 1.5};
  const auto pause = doubled(config_.herald_retry, attempt - 1, kLongestPause);
  return Milliseconds{static_cast<std::int64_t>(static_cast<double>(pause.count()) * jitter(random))};
}

void Herald::note(store::Transaction& transaction, const Delivered& end, grid::Instant now) {
  const auto& message = begun_.at(end.message);
  const auto& error = end.error;
  if (end.outcome == Outcome::taken) {
    store::note_sent(transaction, message.id, now);
    return;
  }
  const bool is_too_old = now - message.fixed_at > config_.herald_give_up;
  const bool is_tried_enough = message.channel == "command" && message.attempt >= kMostProgramAttempts;
  const auto most_doubts = message.channel == "webhook" ? kMostWebhookDoubts : kMostDoubts;
  if (end.outcome == Outcome::doubtful && message.doubts + 1 >= most_doubts) {
    store::note_given_up(transaction, message.id, fmt::format("it was sent {} times, and the answer never came: {}", most_doubts, error),
                         now);
    return;
  }
  if (end.outcome == Outcome::refused || is_too_old || is_tried_enough) {
    store::note_given_up(transaction, message.id, error, now);
    return;
  }
  const auto doubt = end.outcome == Outcome::doubtful ? store::Doubt::may_have_arrived : store::Doubt::none;
  store::note_again(transaction, message.id, now + pause_after(message.attempt), doubt, error);
}

void Herald::settle(store::Database& database) {
  if (ended_.empty()) return;
  process::failpoint("herald.after_send");
  store::transact(database, std::nullopt, [&](store::Transaction& transaction) {
    const auto now = store::now(transaction);
    for (const auto& end : ended_) note(transaction, end, now);
  });
  process::failpoint("herald.after_note");
  for (const auto& end : ended_) {
    const auto& message = begun_.at(end.message);
    if (end.outcome == Outcome::taken) {
      ++counts_.sent;
      process::log::info("message sent", {{"message", message.id}, {"channel", message.channel}, {"user", message.user}});
    } else {
      ++(end.outcome == Outcome::refused ? counts_.failed : counts_.again);
      process::log::warning("message not sent",
                            {{"message", message.id}, {"channel", message.channel}, {"attempt", message.attempt}, {"error", end.error}});
    }
    begun_.erase(end.message);
  }
  ended_.clear();
}

void Herald::watch_one(store::Transaction& transaction, std::string_view code, const std::optional<std::string>& trouble,
                       grid::Instant now) {
  const auto known = troubles_.find(code);
  if (known != troubles_.end() && known->second == trouble.has_value()) return;
  if (trouble) store::open_event(transaction, {.code = code, .target = {}, .job = {}, .message = *trouble}, now);
  else static_cast<void>(store::close_event(transaction, code, {}, now));
}

void Herald::watch(store::Database& database) {
  std::map<std::string, std::optional<std::string>, std::less<>> found;
  store::transact(database, std::nullopt, [&](store::Transaction& transaction) {
    const auto now = store::now(transaction);
    const auto stands = fleet::standstill(store::conduct(transaction), config_, now);
    found["NOT_CONDUCTED"] = stands ? std::optional{fmt::format("{}; {}", stands->message, stands->remedy)} : std::nullopt;
    auto& full = found["DATABASE_NEARLY_FULL"];
    full.reset();
    if (config_.database_size_max > 0) {
      const auto size = store::database_size(transaction);
      const auto was = troubles_.find("DATABASE_NEARLY_FULL");
      const auto bound = was != troubles_.end() && was->second ? kRoomAgain : kFull;
      if (static_cast<double>(size) >= bound * static_cast<double>(config_.database_size_max))
        full = fmt::format("the database takes {} of {} (database_size_max)", process::format_size(size >> 20U << 20U),
                           process::format_size(config_.database_size_max));
    }
    for (const auto& [code, trouble] : found) watch_one(transaction, code, trouble, now);
    // By which the grid knows that a herald is at work.
    store::add_totals(transaction, {{.kind = "herald", .times = 1}}, now);
  });
  for (const auto& [code, trouble] : found) troubles_[code] = trouble.has_value();
}

void Herald::report_outage(grid::Instant since, const std::string& why) {
  if (grid::now() < outage_not_before_) return;
  std::int64_t id = 0;
  for (const auto& address : config_.herald_admins) {
    --id;
    const bool is_sent = std::ranges::find(outage_sent_, address) != outage_sent_.end();
    if (is_sent || begun_.contains(id) || deliveries_.room("mail") == 0) continue;
    store::OutgoingMessage message;
    message.id = id;
    message.uid = fmt::format("outage-{}", since.time_since_epoch().count());
    message.fixed_at = since;
    message.channel = "mail";
    message.address = address;
    text::JsonWriter json;
    json.object([&] {
      json.field("id", message.uid);
      json.field("grid", config_.grid_name);
      json.key("events").begin_array();
      json.object([&] {
        json.field("code", "DATABASE_AWAY");
        json.field("times", std::int64_t{1});
        json.field("last_at", since);
        json.field("message", text::clean_text(why));
      });
      json.end_array();
    });
    message.content = json.text();
    deliveries_.begin(message);
    begun_.insert_or_assign(id, std::move(message));
  }
}

void Herald::prune(store::Database& database) {
  store::transact(database, std::nullopt,
                  [&](store::Transaction& transaction) { store::prune_messages(transaction, store::now(transaction) - kKept); });
}

namespace {

/// The server frees the lock of a herald that has ended when it sees the end of its connection, which takes a busy server a moment.
bool takes_over_in_time(Herald& herald, store::Database& database) {
  constexpr std::chrono::seconds kPatience{5};
  const auto until = grid::SteadyClock::now() + kPatience;
  while (!herald.take_over(database)) {
    if (grid::SteadyClock::now() >= until || process::wait_for_stop(Milliseconds{50})) return false;
  }
  return true;
}

}  // namespace

process::Outcome run_once(const process::Config& config) {
  store::Database database{config.database, fleet::connection_limits(config)};
  store::check_schema(database);
  Herald herald{config};
  if (!takes_over_in_time(herald, database)) return {process::ExitCode::try_again, "another herald is at work"};
  herald.watch(database);
  do {
    herald.send_due(database);
    herald.await(kPeriod);
    herald.settle(database);
  } while (herald.is_busy() && !process::stop_requested());
  herald.prune(database);
  return herald.counts().summary();
}

namespace {

/// Works over one connection, until a stop is requested. Throws when the database is away.
void work(const process::Config& config, Herald& herald) {
  using Clock = grid::SteadyClock;
  store::Database database{config.database, fleet::connection_limits(config)};
  store::check_schema(database);
  for (bool said = false; !herald.take_over(database); said = true) {
    if (!said) process::log::info("another herald is at work, standing by");
    sd_notify(0, "READY=1\nSTATUS=standing by");
    if (process::wait_for_stop(kWatchPeriod / 3)) return;
  }
  sd_notify(0, "READY=1\nSTATUS=telling");
  herald.end_outage();
  herald.settle(database);
  auto watch_at = Clock::now();
  auto prune_at = Clock::now();
  while (!process::stop_requested()) {
    if (Clock::now() >= watch_at) {
      herald.watch(database);
      watch_at = Clock::now() + kWatchPeriod;
    }
    if (Clock::now() >= prune_at) {
      herald.prune(database);
      prune_at = Clock::now() + kPrunePeriod;
    }
    herald.send_due(database);
    herald.await(kPeriod);
    herald.settle(database);
  }
  // Attempts that are under way end within their time limit.
  const auto until = Clock::now() + config.herald_time_limit;
  while (herald.is_busy() && Clock::now() < until) {
    herald.await(Milliseconds{200});
    herald.settle(database);
  }
}

}  // namespace

process::Outcome run_service(const process::Config& config) {
  Herald herald{config};
  auto pause = Milliseconds{500};
  std::optional<grid::Instant> away_since;
  while (!process::stop_requested()) {
    try {
      work(config, herald);
      break;
    } catch (const grid::Unavailable& error) {
      // A connection that could be made has ended the outage before.
      if (!away_since || !herald.is_in_outage()) {
        process::log::warning("waiting for the database", {{"error", error.what()}});
        away_since = grid::now();
        pause = Milliseconds{500};
        herald.begin_outage();
      }
      if (grid::now() - *away_since >= config.herald_lost_after) herald.report_outage(*away_since, error.what());
      herald.await(pause);
      process::wait_for_stop(pause);
      pause = std::min(pause * 2, Milliseconds{5000});
    }
  }
  sd_notify(0, "STOPPING=1");
  return herald.counts().summary();
}

}  // namespace gleaner::herald
