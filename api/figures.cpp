#include "api/figures.hpp"

#include "lib/process/log.hpp"
#include "lib/store/migrations.hpp"

namespace gleaner::api {
namespace {

constexpr std::chrono::seconds kFiguresKept{1};

}  // namespace

Figures::Figures(const Connections& connections, const process::Config& config) : connections_{connections}, config_{config} {}

Figures::~Figures() {
  thread_.request_stop();
  changed_.notify_all();
}

std::shared_ptr<const Figures::Reading> Figures::within(std::chrono::milliseconds patience) {
  std::unique_lock lock{mutex_};
  if (!thread_.joinable()) thread_ = std::jthread{[this](const std::stop_token& stop) { serve(stop); }};
  const auto asked = grid::SteadyClock::now();
  const auto is_new = [&] { return last_ != nullptr && read_at_ + kFiguresKept >= asked; };
  if (is_new()) return last_;
  is_wanted_ = true;
  changed_.notify_all();
  changed_.wait_for(lock, patience, is_new);
  return is_new() ? last_ : nullptr;
}

void Figures::serve(const std::stop_token& stop) {
  std::unique_lock lock{mutex_};
  while (changed_.wait(lock, stop, [this] { return is_wanted_; })) {
    is_wanted_ = false;
    lock.unlock();
    auto reading = std::make_shared<Reading>(read());
    lock.lock();
    last_ = std::move(reading);
    read_at_ = grid::SteadyClock::now();
    is_wanted_ = false;  // who asked meanwhile has this one
    changed_.notify_all();
  }
}

Figures::Reading Figures::read() try {
  const auto began = grid::SteadyClock::now();
  if (!database_ || !database_->seems_open()) {
    database_.reset();
    database_.emplace(connections_.open());
  }
  auto transaction = database_->begin();
  store::check_schema(transaction);
  Reading reading{.state = State::read, .figures = store::metrics::figures(transaction)};
  reading.troubles = fleet::troubles(transaction, config_, reading.figures.grid.now);
  reading.seconds = std::chrono::duration<double>(grid::SteadyClock::now() - began).count();
  return reading;
} catch (const store::WrongSchema& error) {
  process::log::warning("no figures for /metrics", {{"why", error.what()}});
  database_.reset();
  return {.state = State::wrong_schema};
} catch (const std::exception& error) {
  process::log::warning("no figures for /metrics", {{"why", error.what()}});
  database_.reset();
  return {.state = State::unreachable};
}

}  // namespace gleaner::api
