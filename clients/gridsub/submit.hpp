#pragma once
#include <cstdint>
#include <vector>

#include "clients/api_client.hpp"
#include "clients/gridsub/campaign.hpp"
#include "lib/jdl/problem.hpp"
#include "lib/terminal/output.hpp"

namespace gleaner::gridsub {

/// The grid's problems with a campaign file, its clusters for instance. Nothing is submitted. None, if the grid cannot be asked.
[[nodiscard]] std::vector<jdl::Problem> problems_of_grid(const process::Config& config, const Campaign& campaign);

/// Submits the campaign, or only has it checked. Throws WrongInput with the problems that the grid finds.
[[nodiscard]] clients::Reply send(clients::ApiClient& api, Campaign& campaign, SubmissionMode mode);

/// Submits the campaigns, and shows their ids. If there are several, the grid checks all of them before the first one is submitted. If one
/// fails nevertheless, the error says what became of each. Returns the ids.
[[nodiscard]] std::vector<std::int64_t> submit_all(clients::ApiClient& api, std::vector<Campaign>& campaigns, terminal::Output& output);

}  // namespace gleaner::gridsub
