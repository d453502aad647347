#pragma once
#include <vector>

#include "clients/api_client.hpp"
#include "clients/gridsub/campaign.hpp"
#include "lib/process/run.hpp"
#include "lib/terminal/output.hpp"

/// Input files that are outputs of earlier campaigns (input_from). They are fetched as gridget does, into `outputs-ID` beside the campaign
/// file, and are input files like others from then on.
///
/// Throws process::Error if one cannot be had: no such campaign, not the caller's, a task that is not done, a file that is not there.
namespace gleaner::gridsub {

/// Finds the outputs that the campaigns name, and then fetches those that are not here. With --dry-run and --what-if it reports how many
/// these are, and fetches none.
void bring_outputs(const process::Context& context, clients::ApiClient& api, std::vector<Campaign>& campaigns, terminal::Output& output);

/// The same for one task of a campaign, which runs here.
void bring_outputs_of_task(const process::Context& context, Campaign& campaign, std::int64_t task, const jdl::Parameter& parameter);

}  // namespace gleaner::gridsub
