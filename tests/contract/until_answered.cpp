#include "tests/contract/until_answered.hpp"

#include <stdexcept>

namespace gleaner::contract {

std::optional<oar::Submitted> jobs_of(oar::Client& client, const oar::SubmitRequest& request, grid::Instant since) {
  const auto jobs = until_answered([&] { return client.jobs_since(request.user, since); });
  if (!jobs) throw std::runtime_error("jobs cannot be listed: " + oar::describe(jobs.error()));
  oar::Submitted found;
  for (const auto& job : *jobs) {
    if (job.name == request.name) {
      found.ids.push_back(job.id);
      found.array = job.array.value_or(job.id);
    }
  }
  return found.ids.empty() ? std::nullopt : std::optional{std::move(found)};
}

oar::Result<oar::Submitted> submit_once(oar::Client& client, const oar::SubmitRequest& request, grid::Instant since) {
  return until_answered([&]() -> oar::Result<oar::Submitted> {
    auto answer = std::move(client.submit({&request, 1}).front());
    if (broke_off(answer)) {
      if (auto found = jobs_of(client, request, since)) return std::move(*found);
    }
    return answer;
  });
}

}  // namespace gleaner::contract
