#include "api/health_watch.hpp"

#include <fmt/format.h>

#include "lib/process/values.hpp"
#include "lib/store/clock.hpp"
#include "lib/store/migrations.hpp"

namespace gleaner::api {

HealthWatch::HealthWatch(const Connections& connections, const process::Config& config) : connections_{connections}, config_{config} {}

HealthWatch::~HealthWatch() {
  thread_.request_stop();
  changed_.notify_all();
}

Health HealthWatch::within(std::chrono::milliseconds patience) {
  std::unique_lock lock{mutex_};
  if (!thread_.joinable()) thread_ = std::jthread{[this](const std::stop_token& stop) { serve(stop); }};
  const auto question = ++asked_;
  changed_.notify_all();
  if (changed_.wait_for(lock, patience, [&] { return answered_ >= question; })) return last_;
  return {.schema = "unknown",
          .trouble = fmt::format("the database does not answer (for {} now)", process::format_duration(patience)),
          .now = connections_.known_now()};
}

void HealthWatch::serve(const std::stop_token& stop) {
  std::unique_lock lock{mutex_};
  while (changed_.wait(lock, stop, [this] { return asked_ > answered_; })) {
    const auto upto = asked_;
    lock.unlock();
    auto health = read();
    lock.lock();
    last_ = std::move(health);
    answered_ = upto;
    changed_.notify_all();
  }
}

Health HealthWatch::read() {
  const auto attempt = [this] {
    if (!database_ || !database_->seems_open()) {
      database_.reset();
      database_.emplace(connections_.open());
    }
    auto transaction = database_->begin();
    // The connection was checked when it was made, and the schema may be another one since.
    store::check_schema(transaction);
    const auto now = store::now(transaction);
    return Health{.schema = "ok",
                  .trouble = {},
                  .now = now,
                  .conductor = store::lease_holder(transaction),
                  .cycle = store::views::last_cycle(transaction),
                  .troubles = fleet::troubles(transaction, config_, now)};
  };
  const bool was_open = database_.has_value();
  for (bool is_last = !was_open;; is_last = true) {
    try {
      return attempt();
    } catch (const store::WrongSchema& error) {
      database_.reset();
      return {.schema = "wrong", .trouble = error.what(), .now = connections_.known_now()};
    } catch (const std::exception&) {
      database_.reset();  // a connection that was kept may be of a server that has started anew since
      if (is_last) return {.schema = "unknown", .trouble = "the database cannot be used", .now = connections_.known_now()};
    }
  }
}

}  // namespace gleaner::api
