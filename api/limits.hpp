#pragma once
#include <cstdint>
#include <memory>

#include "api/call.hpp"
#include "lib/store/user_limits.hpp"

/// How much users may submit, and request at once.
namespace gleaner::api {

/// A user's limits of submissions: their own, else the configured ones.
struct SubmissionLimits {
  std::int64_t campaigns = 0;       ///< in treatment or paused
  std::int64_t tasks = 0;           ///< of one campaign
  std::uint64_t submission = 0;     ///< bytes
  std::uint64_t campaign_file = 0;  ///< bytes, as part of the submission
  std::int64_t present = 0;         ///< the user's campaigns in treatment or paused, when the limits were read
};
[[nodiscard]] SubmissionLimits submission_limits(const Call& call, const std::string& user);

/// The answer to a campaign of more tasks than `most`.
[[nodiscard]] http::Response too_many_tasks(std::int64_t most);
/// The answers to a submission, and to a campaign file, of more than `most` bytes.
[[nodiscard]] http::Response submission_too_large(std::uint64_t most);
[[nodiscard]] http::Response file_too_large(std::uint64_t most);
/// Error: the answer to a user with too many campaigns.
[[nodiscard]] Asked<void> allow_campaign(const SubmissionLimits& limits);

/// Memory that a request has taken, until it is destroyed. Error of take_memory(): the answer if no memory becomes free in time.
using Memory = std::shared_ptr<Room::Part>;
[[nodiscard]] Asked<Memory> take_memory(const Call& call, std::uint64_t bytes);
/// An answer that keeps as much memory as it needs until it is sent.
[[nodiscard]] http::Response with_memory(http::Response response, Memory memory);

}  // namespace gleaner::api
