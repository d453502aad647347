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

/// What a connection is doing, as far as closing it goes; those that are closed first come first.
enum class Phase {
  idle,  ///< between two requests: it can be closed at once
  slow,  ///< the client sends what makes no request yet, or no longer: it can be closed when others wait
  late,  ///< it waits for a body, or for the client to take an answer, and has waited too long in all: it can be cut off when all threads
         ///< are taken
  busy   ///< a request is answered
};

/// A connection that is served, for as long as it is.
using ConnectionId = std::uint64_t;

/// Threads that serve connections, made as they are needed, up to a bound. When all are taken and somebody
/// waits, connections that do nothing are closed, then those that are slow, then those that are late, first of the
/// peer that has most threads; of several, the longest first. No peer has more than its part of the threads; its
/// further connections wait, and close its own connections that do nothing or are slow. Safe from any thread.
class Workers {
 public:
  struct Limits {
    std::size_t threads;
    std::size_t of_peer;  ///< threads that one peer may have; 0: all
    std::size_t waiting;  ///< connections; beyond, those of the peer that has the most of them are closed
  };
  /// Serves a connection and closes it.
  using Serve = std::function<void(ConnectionId, FileDescriptor)>;

  Workers(Limits limits, Serve serve);
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  void take(FileDescriptor socket, std::string peer);

  /// Of a connection that is served, which is slow at first; busy before its socket is closed.
  void enter(ConnectionId connection, Phase phase);

  /// Looks again for a connection to close; true while somebody waits.
  bool relieve();

  /// Takes nothing more, closes what is not busy, and waits for what is.
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
    Clock::time_point begun = Clock::now();  ///< when it was idle last: requests may follow each other without a pause
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
  std::map<std::string, std::size_t> of_peer_;  ///< connections that are served
  std::vector<std::thread> threads_;
  ConnectionId last_ = 0;
  std::size_t free_ = 0;  ///< threads that wait for a connection, or are about to
  std::size_t soon_ = 0;  ///< connections that end soon
  bool ending_ = false;
};

}  // namespace gleaner::http
