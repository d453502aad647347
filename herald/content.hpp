#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

/// The content of a message, as the database fixed it.
namespace gleaner::herald {

struct CampaignFacts {
  std::int64_t id = 0;
  std::string user{};
  std::string name{};
  std::string state{};
  std::int64_t total = 0, waiting = 0, running = 0, done = 0, failed = 0, cancelled = 0;
};

/// Something that happened, once or several times.
struct Line {
  std::string code{};  ///< of an event, or CAMPAIGN_TERMINATED, CAMPAIGN_CANCELLED, FIRST_FAILURE, BRAKE
  enum class Change { opened, closed } change = Change::opened;
  std::int64_t times = 1;
  std::int64_t campaigns = 0;  ///< that it concerns
  std::optional<std::int64_t> campaign{};
  std::string cluster{};  ///< empty: none
  std::optional<std::int64_t> event{};
  std::string last_at{};
  std::string message{};  ///< may have bytes of users and clusters
};

struct Content {
  std::string uid{};
  std::string grid{};
  bool is_test = false;
  std::optional<CampaignFacts> campaign{};  ///< empty: it is about the grid, or several campaigns
  std::vector<Line> lines{};                ///< the gravest first
  std::int64_t more = 0;                    ///< lines that are left out
};

/// Reads messages.content; the error is for a log.
[[nodiscard]] tl::expected<Content, std::string> read_content(std::string_view json);

}  // namespace gleaner::herald
