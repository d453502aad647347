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

/// How a submitted campaign is announced: as the form of the output says, its number on stderr beside its document (`details`); or as
/// CiGri's gridsub, with all lines on stdout, and its document between them.
enum class Announcement { by_form, details, cigri, cigri_details };
[[nodiscard]] constexpr bool is_cigri(Announcement a) { return a == Announcement::cigri || a == Announcement::cigri_details; }
/// By the key `style` and the options --details and --quiet.
[[nodiscard]] Announcement announcement_of(const process::Context& context);

/// Submits the campaigns, and shows their ids. If there are several, the grid checks all of them before the first one is submitted. If one
/// fails nevertheless, the error says what became of each. Returns the ids.
[[nodiscard]] std::vector<std::int64_t> submit_all(clients::ApiClient& api, std::vector<Campaign>& campaigns, terminal::Output& output,
                                                   Announcement announcement);

}  // namespace gleaner::gridsub
