#pragma once
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "api/connections.hpp"
#include "api/open_stream.hpp"
#include "api/places.hpp"
#include "lib/http/file_descriptor.hpp"
#include "lib/http/outlet.hpp"

namespace gleaner::api {

/// All streams of changes, in one thread with one connection to the database. It reads the feed once for all that are at the same place. If
/// the database cannot be used, all streams end; their clients come again with their places. It also deletes old changes.
class EventStreams {
 public:
  EventStreams(const Connections& connections, const process::Config& config, const StreamTimes& times);
  /// Ends all streams.
  ~EventStreams();
  EventStreams(const EventStreams&) = delete;
  EventStreams& operator=(const EventStreams&) = delete;

  [[nodiscard]] Places& places() { return places_; }

  struct Opening {
    std::shared_ptr<void> place;
    ChangeFilter filter;
    store::FeedPlace after;
  };
  /// Begins a stream. Thread-safe.
  void open(std::unique_ptr<http::Outlet> outlet, const Opening& opening);

 private:
  using Clock = OpenStream::Clock;
  using Key = std::uint64_t;
  struct Watched {
    OpenStream stream;
    bool for_output = false;  ///< its client has to take what was sent before there is more
  };

  void run();
  void turn();
  void end_all(std::string_view why);
  void let_in();
  void wait_until(Clock::time_point until);
  void handle_input();
  void serve_all();
  void watch(Key key, Watched& watched, int operation) const;
  void connect();
  void read_feed();
  [[nodiscard]] bool read_for(store::Transaction& transaction, store::FeedPlace end, std::vector<OpenStream*>& streams) const;
  void prune();
  void wake_up() const;
  [[nodiscard]] Clock::time_point next_reading() const;

  const Connections& connections_;
  const StreamTimes times_;
  Places places_;
  http::FileDescriptor events_;  ///< epoll: the streams, and what wakes the thread up
  http::FileDescriptor awake_;

  // Used by the thread alone:
  std::optional<store::Database> database_;
  std::map<Key, Watched> streams_;
  Key last_key_ = 0;
  store::FeedPlace end_;  ///< of the feed, at the last reading
  bool is_due_ = false;   ///< there may be something to read
  Clock::time_point last_reading_{};
  Clock::time_point next_prune_;

  std::atomic<bool> ending_ = false;
  std::mutex mutex_;
  std::vector<OpenStream> arrived_;
  std::thread thread_;  // last member: it uses the others
};

}  // namespace gleaner::api
