#include "api/event_streams.hpp"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <exception>
#include <ranges>
#include <utility>

#include "lib/http/signals_blocked.hpp"
#include "lib/process/log.hpp"
#include "lib/store/clock.hpp"

namespace gleaner::api {
namespace {

/// The key of the thread's wake-up; the keys of streams begin with 1.
constexpr std::uint64_t kAwake = 0;
constexpr std::size_t kMostEvents = 64;

}  // namespace

EventStreams::EventStreams(const Connections& connections, const process::Config& config, const StreamTimes& times)
    : connections_{connections},
      times_{times},
      places_{config.api_streams, config.api_streams_of_user},
      events_{::epoll_create1(EPOLL_CLOEXEC)},
      awake_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)},
      next_prune_{Clock::now()} {
  epoll_event event{.events = EPOLLIN, .data = {.u64 = kAwake}};
  ::epoll_ctl(events_.get(), EPOLL_CTL_ADD, awake_.get(), &event);
  const http::SignalsBlocked blocked;
  thread_ = std::thread{[this] { run(); }};
}

EventStreams::~EventStreams() {
  ending_ = true;
  wake_up();
  thread_.join();
}

void EventStreams::wake_up() const {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(awake_.get(), &one, sizeof one);
}

void EventStreams::open(std::unique_ptr<http::Outlet> outlet, const Opening& opening) {
  {
    const std::lock_guard lock{mutex_};
    arrived_.emplace_back(std::move(outlet), opening.place, opening.filter, opening.after, Clock::now());
  }
  wake_up();
}

void EventStreams::run() {
  while (!ending_) {
    try {
      turn();
    } catch (const std::exception& failure) {
      if (!streams_.empty()) process::log::warning("streams ended", {{"streams", streams_.size()}, {"why", failure.what()}});
      end_all("the database cannot be used now: try again in a few seconds");
      database_.reset();
      next_prune_ = Clock::now() + times_.prune;
    }
  }
  let_in();
  end_all("the API stops: try again in a few seconds");
}

void EventStreams::end_all(std::string_view why) {
  for (auto& [key, watched] : streams_) watched.stream.explain_end(Code::unavailable, why);
  streams_.clear();
}

void EventStreams::turn() {
  let_in();
  if (!streams_.empty() && Clock::now() >= next_reading()) read_feed();
  serve_all();
  if (Clock::now() >= next_prune_) prune();
  auto until = next_prune_;
  if (!streams_.empty()) until = std::min(until, next_reading());
  for (const auto& [key, watched] : streams_) until = std::min(until, watched.stream.next_deadline(times_));
  wait_until(until);
  handle_input();
}

EventStreams::Clock::time_point EventStreams::next_reading() const {
  return last_reading_ + (is_due_ ? times_.pause_for(streams_.size()) : times_.look);
}

void EventStreams::let_in() {
  std::vector<OpenStream> arrived;
  {
    const std::lock_guard lock{mutex_};
    arrived.swap(arrived_);
  }
  for (auto& stream : arrived) {
    const auto [place, added] = streams_.emplace(++last_key_, Watched{.stream = std::move(stream)});
    watch(place->first, place->second, EPOLL_CTL_ADD);
    is_due_ = true;
  }
}

/// Waits for a notification of the feed, a stream or a wake-up.
void EventStreams::wait_until(Clock::time_point until) {
  const auto left = std::max(std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()), std::chrono::milliseconds{0});
  if (database_) {
    if (database_->wait_for_notification(left, events_.get())) is_due_ = true;
    return;
  }
  std::array<epoll_event, 1> none{};
  ::epoll_wait(events_.get(), none.data(), 1, static_cast<int>(left.count()));
}

void EventStreams::handle_input() {
  std::array<epoll_event, kMostEvents> ready{};
  const int count = ::epoll_wait(events_.get(), ready.data(), static_cast<int>(ready.size()), 0);
  for (int i = 0; i < count; ++i) {
    const auto event = ready.at(static_cast<std::size_t>(i));
    const Key key = event.data.u64;
    if (key == kAwake) {
      std::uint64_t value = 0;
      [[maybe_unused]] const auto got = ::read(awake_.get(), &value, sizeof value);
      continue;
    }
    const auto found = streams_.find(key);
    const bool has_input = (event.events & ~static_cast<std::uint32_t>(EPOLLOUT)) != 0;
    if (found != streams_.end() && has_input && !found->second.stream.skip_input()) streams_.erase(found);
  }
}

void EventStreams::serve_all() {
  const auto now = Clock::now();
  for (auto one = streams_.begin(); one != streams_.end();) {
    auto& [key, watched] = *one;
    auto& stream = watched.stream;
    const bool was_drained = stream.is_drained();
    if (!stream.serve(times_, now)) {
      one = streams_.erase(one);
      continue;
    }
    // A stream that was behind reads on.
    if (!was_drained && stream.is_drained() && stream.position() < end_) is_due_ = true;
    if (watched.for_output == stream.is_drained()) watch(key, watched, EPOLL_CTL_MOD);
    ++one;
  }
}

void EventStreams::watch(Key key, Watched& watched, int operation) const {
  epoll_event event{.events = EPOLLIN | EPOLLRDHUP, .data = {.u64 = key}};
  watched.for_output = !watched.stream.is_drained();
  if (watched.for_output) event.events |= EPOLLOUT;
  ::epoll_ctl(events_.get(), operation, watched.stream.fd(), &event);
}

void EventStreams::connect() {
  if (database_) return;
  auto database = connections_.open();
  if (store::adopt_feed(database)) process::log::info("feed begun anew", {{"why", "the database was restored"}});
  database.listen(store::kFeed);
  database_.emplace(std::move(database));
}

void EventStreams::read_feed() {
  connect();
  auto transaction = database_->begin();
  const auto state = store::feed_state(transaction);
  end_ = state.end;
  std::map<store::FeedPlace, std::vector<OpenStream*>> at;
  for (auto one = streams_.begin(); one != streams_.end();) {
    auto& stream = one->second.stream;
    if (stream.position().transaction < state.kept) {
      stream.explain_end(Code::no_longer_kept, no_longer_kept(stream.position()));
      one = streams_.erase(one);
      continue;
    }
    if (stream.is_drained() && stream.position() < state.end) at[stream.position()].push_back(&stream);
    ++one;
  }
  is_due_ = state.pending;
  // Those nearest to the end come first: they have little to read, and are many.
  const auto until = Clock::now() + times_.reading;
  for (bool is_first = true; auto& [place, streams] : at | std::views::reverse) {
    const bool is_late = !std::exchange(is_first, false) && Clock::now() >= until;
    if (is_late || !read_for(transaction, state.end, streams)) is_due_ = true;
    if (is_late) break;
  }
  last_reading_ = Clock::now();
}

/// Reads the next messages of streams that are at the same place. False: more follow.
bool EventStreams::read_for(store::Transaction& transaction, store::FeedPlace end, std::vector<OpenStream*>& streams) const {
  const auto page = messages_after(transaction, streams.front()->position(), end);
  for (const auto& message : page.messages) std::erase_if(streams, [&](OpenStream* stream) { return !stream->take(message); });
  if (!page.is_last) return false;
  for (auto* stream : streams) stream->pass_to(end);
  return true;
}

void EventStreams::prune() {
  next_prune_ = Clock::now() + times_.prune;
  try {
    connect();
    const auto before = store::now(*database_) - times_.kept;
    const auto deleted = store::prune_feed(*database_, before, times_.most_kept);
    if (deleted > 0) process::log::debug("changes pruned", {{"changes", deleted}});
  } catch (const store::Unavailable& failure) {
    // It may still be read.
    process::log::warning("changes not pruned", {{"why", failure.what()}});
  }
}

}  // namespace gleaner::api
