#pragma once
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "lib/http/file_descriptor.hpp"

namespace gleaner::http {

/// The state of a connection, as far as closing it matters. Those that are closed first come first.
enum class Phase {
  idle,  ///< between two requests: it can be closed at once
  slow,  ///< the client's data make no request yet, or no longer: it can be closed when others wait
  late,  ///< it waits for a body, or for the client to take an answer, and has waited too long in all: it can be cut off when all threads
         ///< are taken
  busy   ///< a request is being answered
};

/// A connection, for as long as it is served.
using ConnectionId = std::uint64_t;

/// Threads that serve connections, created on demand, up to a bound. When all are taken and a connection waits, others are closed: first
/// idle ones, then slow, then late ones, beginning with the peer that has most threads, and its oldest connection. No peer has more than
/// its part of the threads; its further connections wait, and close its own idle or slow ones. Safe from any thread.
class Workers {
 public:
  struct Limits {
    std::size_t threads;
    std::size_t of_peer;  ///< threads for one peer; 0: all
    std::size_t waiting;  ///< connections; beyond that number, those of the peer with the most waiting ones are closed
  };
  /// Serves a connection and closes it.
  using Serve = std::function<void(ConnectionId, FileDescriptor)>;

  Workers(Limits limits, Serve serve);
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  void take(FileDescriptor socket, std::string peer);

  /// Records the phase of a served connection. It is slow at first, and busy before its socket is closed.
  void enter(ConnectionId connection, Phase phase);

  /// Tries again to close a connection for those that wait; true while one waits.
  bool relieve();

  /// Accepts no more connections, closes those that are not busy, and waits for the others.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;
  struct Waiting {
    FileDescriptor socket;
    std::string peer;
  };
  struct Served {
    int fd;
    std::string peer;
    Phase phase = Phase::slow;
    Clock::time_point since = Clock::now();
    Clock::time_point begun = Clock::now();  ///< the last time when it was idle: requests may follow each other without a pause
    bool evicted = false;
    bool cut = false;        ///< evicted while it was late: no byte passes any more
    bool ends_soon = false;  ///< cut, or evicted and not busy since
  };

  void work();
  void dispatch();
  [[nodiscard]] bool add_thread();
  void drop_one();
  [[nodiscard]] std::deque<Waiting>::iterator next();
  [[nodiscard]] static bool is_quiet(const Served& served);
  [[nodiscard]] static bool can_be_evicted(const Served& served, const std::string& peer);
  [[nodiscard]] bool evict_for(const std::string& peer);
  void evict(Served& served);
  void forget_end(Served& served);

  const Limits limits_;
  const Serve serve_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Waiting> waiting_;
  std::map<ConnectionId, Served> served_;
  std::map<std::string, std::size_t> of_peer_;  ///< served connections
  std::vector<std::thread> threads_;
  ConnectionId last_ = 0;
  std::size_t free_ = 0;  ///< threads that wait for a connection, or will at once
  std::size_t soon_ = 0;  ///< connections that end soon
  bool ending_ = false;
};

}  // namespace gleaner::http
