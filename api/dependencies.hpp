#pragma once
#include <span>
#include <string>
#include <vector>

#include "api/call.hpp"
#include "api/submission_head.hpp"
#include "lib/jdl/campaign_file.hpp"
#include "lib/store/dependencies.hpp"

namespace gleaner::api {

/// The campaigns that a file names as those that come first, and that it can wait for; they are locked until the transaction ends. In a
/// check, those that are not submitted yet are left out. Error: 400, with the key.
/// @param self  the campaign of the file; 0: not submitted
[[nodiscard]] Asked<std::vector<store::NewDependency>> dependencies_of(const Call& call, store::Transaction& transaction,
                                                                       const jdl::CampaignFile& file, std::int64_t tasks,
                                                                       SubmissionMode mode, grid::CampaignId self = grid::CampaignId{0});

/// `; campaign 15 waits for it, and cannot end any more: …`, of the campaigns that wait for one that is cancelled. Empty: there is none.
[[nodiscard]] std::string waiting_in_vain_text(std::span<const store::InVain> all);
/// After tasks of a campaign were cancelled for good: opens an event on each campaign that waits until they are done, and returns a text
/// that names these, to follow what was done.
[[nodiscard]] std::string report_waiting_in_vain(const Call& call, store::Transaction& transaction, grid::CampaignId cancelled,
                                                 store::Gone gone);

}  // namespace gleaner::api
