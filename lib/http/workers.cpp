#include "lib/http/workers.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <system_error>
#include <tuple>
#include <utility>

#include "lib/http/signals_blocked.hpp"

namespace gleaner::http {

namespace {
/// A younger connection may have the last packet of its request under way.
constexpr std::chrono::milliseconds kLeastAge{500};
}  // namespace

Workers::Workers(Limits limits, Serve serve)
    : limits_{.threads = std::max<std::size_t>(limits.threads, 1),
              .of_peer = limits.of_peer == 0 ? std::max<std::size_t>(limits.threads, 1) : limits.of_peer,
              .waiting = std::max<std::size_t>(limits.waiting, 1)},
      serve_{std::move(serve)} {}

void Workers::take(FileDescriptor socket, std::string peer) {
  const std::lock_guard lock{mutex_};
  if (waiting_.size() >= limits_.waiting) drop_one();
  waiting_.push_back({std::move(socket), std::move(peer)});
  dispatch();
}

void Workers::enter(ConnectionId connection, Phase phase) {
  const std::lock_guard lock{mutex_};
  auto& served = served_.at(connection);
  const auto now = Clock::now();
  if (served.phase == Phase::idle) served.begun = now;
  served.phase = phase;
  served.since = now;
  // The data that it had sent before it was evicted were a request, which may take its time.
  if (phase != Phase::busy) dispatch();
  else if (!served.cut) forget_end(served);
}

bool Workers::relieve() {
  const std::lock_guard lock{mutex_};
  dispatch();
  return !waiting_.empty();
}

void Workers::finish() {
  {
    const std::lock_guard lock{mutex_};
    ending_ = true;
    waiting_.clear();
    for (auto& [id, served] : served_) {
      if (is_quiet(served)) evict(served);
    }
  }
  changed_.notify_all();
  for (auto& thread : threads_) thread.join();
  threads_.clear();
}

/// Data that it has sent are still read, unless it is late. Its thread closes the socket.
void Workers::evict(Served& served) {
  const bool late = served.phase == Phase::late;
  ::shutdown(served.fd, late ? SHUT_RDWR : SHUT_RD);
  if (late) served.cut = true;
  served.evicted = true;
  if (!std::exchange(served.ends_soon, true)) ++soon_;
}

void Workers::forget_end(Served& served) {
  if (std::exchange(served.ends_soon, false)) --soon_;
}

/// The first connection of the peers that have the fewest threads: many connections of one peer delay only that peer.
std::deque<Workers::Waiting>::iterator Workers::next() {
  auto chosen = waiting_.end();
  std::size_t fewest = limits_.of_peer;
  for (auto one = waiting_.begin(); one != waiting_.end() && fewest > 0; ++one) {
    const auto found = of_peer_.find(one->peer);
    const auto count = found == of_peer_.end() ? 0 : found->second;
    if (count >= fewest) continue;
    fewest = count;
    chosen = one;
  }
  return chosen;
}

/// Starts a thread for each waiting connection, or closes a connection that is idle.
void Workers::dispatch() {
  if (ending_) {
    for (auto& [id, served] : served_) {
      if (is_quiet(served) && !served.evicted) evict(served);
    }
    return;
  }
  std::size_t free = free_;
  std::size_t soon = soon_;
  std::map<std::string, std::size_t> given;  // to its peers, in this call
  for (const auto& one : waiting_) {
    const auto served = of_peer_.find(one.peer);
    auto& more = given[one.peer];
    const bool room = (served == of_peer_.end() ? 0 : served->second) + more < limits_.of_peer;
    if (room && free > 0) {
      --free;
      ++more;
      changed_.notify_one();
    } else if (room && threads_.size() < limits_.threads) {
      if (!add_thread()) return;
      ++more;
    } else if (soon > 0) {
      --soon;
    } else if (!evict_for(room ? std::string{} : one.peer)) {
      if (room) return;
    }
  }
}

bool Workers::add_thread() {
  const SignalsBlocked blocked;
  try {
    threads_.emplace_back([this] { work(); });
  } catch (const std::system_error&) {
    return false;  // the machine has no more threads now; the existing ones continue
  }
  ++free_;
  return true;
}

/// Whether it is in the middle of no request, as far as is known.
bool Workers::is_quiet(const Served& served) { return served.phase == Phase::idle || served.phase == Phase::slow; }

bool Workers::can_be_evicted(const Served& served, const std::string& peer) {
  if (served.phase == Phase::late) return !served.cut && peer.empty();
  if (!is_quiet(served) || served.evicted || (!peer.empty() && served.peer != peer)) return false;
  return served.phase == Phase::idle || Clock::now() - served.begun >= kLeastAge;
}

/// Evicts a connection of that peer, or of any peer when the name is empty.
bool Workers::evict_for(const std::string& peer) {
  const auto rank = [&](const Served& served) {
    const auto spared = served.phase == Phase::late ? limits_.threads - of_peer_.at(served.peer) : 0;
    return std::tuple{served.phase, spared, served.since};
  };
  Served* chosen = nullptr;
  for (auto& [id, served] : served_) {
    if (can_be_evicted(served, peer) && (chosen == nullptr || rank(served) < rank(*chosen))) chosen = &served;
  }
  if (chosen == nullptr) return false;
  evict(*chosen);
  return true;
}

void Workers::drop_one() {
  std::map<std::string, std::size_t> counts;
  for (const auto& one : waiting_) ++counts[one.peer];
  const auto most = std::ranges::max_element(counts, {}, [](const auto& count) { return count.second; });
  waiting_.erase(std::ranges::find(waiting_, most->first, &Waiting::peer));
}

void Workers::work() {
  std::unique_lock lock{mutex_};
  while (true) {
    changed_.wait(lock, [this] { return ending_ || next() != waiting_.end(); });
    --free_;
    const auto found = next();
    if (found == waiting_.end()) return;
    auto one = std::move(*found);
    waiting_.erase(found);
    const auto id = ++last_;
    ++of_peer_[one.peer];
    served_.emplace(id, Served{.fd = one.socket.get(), .peer = one.peer});
    lock.unlock();
    serve_(id, std::move(one.socket));
    lock.lock();
    forget_end(served_.at(id));
    served_.erase(id);
    if (--of_peer_[one.peer] == 0) of_peer_.erase(one.peer);
    ++free_;
    if (!waiting_.empty()) changed_.notify_all();
  }
}

}  // namespace gleaner::http
