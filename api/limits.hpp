#pragma once
#include <cstdint>
#include <memory>

#include "api/call.hpp"
#include "lib/store/user_limits.hpp"

/// How much users may submit, and ask for at once.
namespace gleaner::api {

/// What the caller may submit: their own limits, else the configuration's.
struct SubmissionLimits {
  std::int64_t campaigns = 0;       ///< in treatment or paused
  std::int64_t tasks = 0;           ///< of one campaign
  std::uint64_t submission = 0;     ///< bytes
  std::uint64_t campaign_file = 0;  ///< bytes of those
  std::int64_t present = 0;         ///< campaigns of theirs in treatment or paused, when this was asked
};
[[nodiscard]] SubmissionLimits submission_limits(const Call& call);

/// The answer to a campaign of more tasks.
[[nodiscard]] http::Response too_many_tasks(std::int64_t most);
/// The answer to a submission of more bytes, and to a campaign file of more.
[[nodiscard]] http::Response submission_too_large(std::uint64_t most);
[[nodiscard]] http::Response file_too_large(std::uint64_t most);
/// The answer when the user has too many campaigns already.
[[nodiscard]] Asked<void> allow_campaign(const SubmissionLimits& limits);

/// Memory for a request, for as long as it is kept; the answer when there is none in time.
using Memory = std::shared_ptr<Room::Part>;
[[nodiscard]] Asked<Memory> take_memory(const Call& call, std::uint64_t bytes);
/// An answer that keeps its memory until it is sent: as much as it takes.
[[nodiscard]] http::Response with_memory(http::Response response, Memory memory);

}  // namespace gleaner::api
