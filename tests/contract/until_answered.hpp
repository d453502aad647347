#pragma once
#include <optional>
#include <utility>
#include <variant>

#include "lib/oar/client.hpp"

namespace gleaner::contract {

/// Whether the API broke the request off. A process of OAR 2.5's ends after 51 requests, and after an error of its own; Apache may
/// give it one request more, which nothing reads and which is answered with 500 in HTML. (2 000 requests of /version to 2.5.9 behind
/// mod_fcgid, one after another: 32 were broken off.)
template <class T>
[[nodiscard]] bool broke_off(const oar::Result<T>& result) {
  return !result && !std::holds_alternative<oar::Refused>(result.error());
}

/// The answer to what may be asked again, as a module does in its next cycle when the API broke it off.
template <class Ask>
[[nodiscard]] auto until_answered(Ask&& ask) {
  constexpr int kTries = 5;
  auto answer = ask();
  for (int tries = 1; tries < kTries && broke_off(answer); ++tries) {
    answer = ask();
  }
  return answer;
}

/// The jobs of a submission whose answer was lost. `request`: its name is that of no other one. `since`: before it was first asked.
[[nodiscard]] std::optional<oar::Submitted> jobs_of(oar::Client& client, const oar::SubmitRequest& request, grid::Instant since);

/// Submits, and when the API broke it off, looks for its jobs before it is submitted again, as the runner does. `request`, `since`: as in
/// jobs_of.
[[nodiscard]] oar::Result<oar::Submitted> submit_once(oar::Client& client, const oar::SubmitRequest& request, grid::Instant since);

}  // namespace gleaner::contract
