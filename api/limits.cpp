#include "api/limits.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "lib/process/values.hpp"

namespace gleaner::api {

SubmissionLimits submission_limits(const Call& call, const std::string& user) {
  const auto known = call.connections.read([&](store::Transaction& transaction) { return store::limits_of_user(transaction, user); });
  const auto& own = known.limits;
  const auto& config = call.config;
  const auto bytes = own.submission ? static_cast<std::uint64_t>(*own.submission) : config.max_submission;
  return {.campaigns = own.campaigns.value_or(config.max_campaigns),
          .tasks = own.tasks.value_or(config.max_tasks),
          .submission = bytes,
          .campaign_file = std::min(config.max_campaign_file, bytes),
          .present = known.campaigns};
}

http::Response too_many_tasks(std::int64_t most) {
  return error(
      Code::too_many_tasks,
      fmt::format("the campaign has more than {} tasks, the most that one may have (max_tasks): nothing was stored; make several of it",
                  most));
}

http::Response submission_too_large(std::uint64_t most) {
  return error(
      Code::too_large,
      fmt::format(
          "the submission is larger than {}, the most that may be sent at once (max_submission): nothing was stored; make several campaigns of it",
          process::format_size(most)));
}

http::Response file_too_large(std::uint64_t most) {
  return error(
      Code::too_large,
      fmt::format(
          "the campaign file is larger than {} (max_campaign_file): nothing was stored; put the parameters into a file of their own, one a line, and name it by param_file",
          process::format_size(most)));
}

Asked<void> allow_campaign(const SubmissionLimits& limits) {
  if (limits.present < limits.campaigns) return {};
  return tl::unexpected{error(
      Code::too_many_campaigns,
      fmt::format(
          "you have {} campaigns in treatment or paused, and may have {} (max_campaigns): nothing was stored; wait until one ends, or cancel one (griddel)",
          limits.present, limits.campaigns))};
}

Asked<Memory> take_memory(const Call& call, std::uint64_t bytes) {
  auto part = call.room.take(call.caller.user, bytes);
  if (part) return std::make_shared<Room::Part>(std::move(*part));
  auto response = error(Code::busy, "the API is busy with other large requests: try again in a moment");
  response.headers.add("Retry-After", "5");
  return tl::unexpected{std::move(response)};
}

http::Response with_memory(http::Response response, Memory memory) {
  memory->shrink(response.body.size());
  response.kept = std::move(memory);
  return response;
}

}  // namespace gleaner::api
