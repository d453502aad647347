#pragma once
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "clients/api_client.hpp"

namespace gleaner::clients {

/// How a request for a stream ended.
struct StreamEnd {
  bool was_open = false;  ///< a stream had begun
  long status = 0;        ///< 0: there was no answer
};
/// How long the API is not asked for a stream again. Short after a stream, or without an answer: the API may just restart; the longest
/// where it has none to give.
[[nodiscard]] std::chrono::seconds until_next_stream(StreamEnd end);

/// Waits on the API's stream of changes for whoever watches campaigns, so that nobody has to poll. After a restart of the
/// API the stream goes on where it was. Where there is no stream (an older API, none is free), it waits as if there were changes all the
/// time.
class ChangeStream {
 public:
  /// Connects with the first wait.
  /// @param campaigns  whose changes count; empty, or more than 1000: those of all, and of the clusters
  ChangeStream(const ApiClient& api, std::vector<std::int64_t> campaigns);
  ~ChangeStream();
  ChangeStream(const ChangeStream&) = delete;
  ChangeStream& operator=(const ChangeStream&) = delete;

  /// How long a look is good for: at least so long, unless one of the named campaigns (1000 at most) enters another state or the stream
  /// begins; at most so long, as no change is sent for what only follows from the time.
  struct Pause {
    std::chrono::milliseconds least;
    std::chrono::milliseconds most;
  };
  /// Waits until it is time for another look, or a stop is requested.
  void wait(Pause pause);

 private:
  using Clock = std::chrono::steady_clock;
  struct Transfer;
  static std::size_t take(char* data, std::size_t size, std::size_t count, void* self);

  /// The API takes that many ids, and sends the changes of no other campaign.
  [[nodiscard]] bool is_of_named_campaigns() const;
  [[nodiscard]] std::string path() const;
  void begin();
  void end(Clock::duration until_again);
  void go_on();
  void conclude();
  [[nodiscard]] bool feed(std::string_view bytes);
  void take_line(std::string_view line);

  const ApiClient& api_;
  const std::vector<std::int64_t> campaigns_;
  std::unique_ptr<Transfer> transfer_;
  bool is_open_ = false;      ///< the API sends a stream
  std::string line_;          ///< the part of it that has come
  std::string event_;         ///< of the message that comes
  bool has_data_ = false;     ///< the same
  std::string last_id_;       ///< empty: the stream begins now
  bool has_changed_ = false;  ///< since the last wait
  bool is_urgent_ = false;
  Clock::time_point again_at_{};  ///< for the next attempt to connect
  Clock::time_point heard_at_{};
};

}  // namespace gleaner::clients
