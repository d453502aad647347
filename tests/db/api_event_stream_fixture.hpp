#pragma once
#include <chrono>
#include <functional>
#include <string>

#include "tests/db/api_fixture.hpp"
#include "tests/db/await.hpp"
#include "tests/db/event_stream_reader.hpp"

namespace gleaner::tests {

/// An API whose stream of changes is read.
class ApiEventStream : public ApiTest {
 protected:
  [[nodiscard]] EventStreamReader stream(const std::string& query, const std::string& user = "alice") const {
    return {port(), {.target = "/v1/events" + query, .headers = {token_header(user)}}};
  }
  void set_state(std::int64_t campaign, const std::string& state) const {
    sql("UPDATE campaigns SET state = '" + state + "' WHERE id = " + std::to_string(campaign));
  }
  /// Pauses or resumes it so often, in a transaction each.
  void flip(std::int64_t campaign, int times) const {
    for (int i = 0; i < times; ++i)
      sql("UPDATE campaigns SET state = CASE state WHEN 'paused' THEN 'in_treatment' ELSE 'paused' END::campaign_state WHERE id = " +
          std::to_string(campaign));
  }
  /// The status of a stream that is closed at once.
  static int ask_for_stream(const std::string& address) { return EventStreamReader{address, {.target = "/v1/events?after=now"}}.status(); }
  /// Waits until the condition holds.
  static bool comes(const std::function<bool()>& condition) { return await(condition); }
  /// The code in the last message of a stream.
  static std::string end_of(EventStreamReader& reader) {
    const auto message = reader.next("end");
    if (!message || !message->id.empty() || !reader.ends()) return "no end";
    return message->json()["code"].GetString();
  }
};

}  // namespace gleaner::tests
