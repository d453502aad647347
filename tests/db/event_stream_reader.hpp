#pragma once
#include <chrono>
#include <optional>
#include <string>

#include <rapidjson/document.h>

#include "lib/http/file_descriptor.hpp"
#include "lib/http/tls.hpp"
#include "tests/db/api_client.hpp"

namespace gleaner::tests {

struct StreamMessage {
  std::string id;
  std::string event;
  std::string data;

  [[nodiscard]] rapidjson::Document json() const;
};

/// A client of a stream of server-sent events, which keeps its connection until it goes out of scope.
class EventStreamReader {
 public:
  using Patience = std::chrono::milliseconds;
  static constexpr Patience kPatience{600'000};  ///< against hangs alone
  enum class Transport { plain, tls };

  /// Sends the request, and reads the head of the answer.
  EventStreamReader(const std::string& address, const ApiRequest& request, Transport transport = Transport::plain);

  [[nodiscard]] int status() const { return status_; }
  [[nodiscard]] const std::string& head() const { return head_; }  ///< of the answer, in lower case

  /// The next message; empty: the stream has ended, or none came within the time.
  [[nodiscard]] std::optional<StreamMessage> next(Patience patience = kPatience);
  /// The next message of this event.
  [[nodiscard]] std::optional<StreamMessage> next(const std::string& event);
  /// Reads its first place, which comes before any message.
  [[nodiscard]] bool begins();
  /// Reads until the next heartbeat, and drops messages.
  [[nodiscard]] bool gets_heartbeat();
  /// Whether the stream ends within the time; messages are dropped.
  [[nodiscard]] bool ends(Patience patience = kPatience);
  /// The last id that came, also with a heartbeat.
  [[nodiscard]] const std::string& last_id() const { return last_id_; }
  /// After so many ms it is to come again when the stream breaks off, by what was read until now.
  [[nodiscard]] std::optional<int> retry() const { return retry_; }

 private:
  enum class Read { line, end, late };
  Read read_line(std::string& line, std::chrono::steady_clock::time_point until);
  void shake_hands();
  void send(const std::string& text);
  [[nodiscard]] bool receive(std::chrono::steady_clock::time_point until);

  http::FileDescriptor fd_;
  http::TlsSession tls_;  ///< null: the connection is plain
  int status_ = 0;
  std::string head_;
  std::string pending_;
  std::string last_id_;
  std::optional<int> retry_;
  bool has_ended_ = false;
};

}  // namespace gleaner::tests
