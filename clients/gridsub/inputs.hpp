#pragma once
#include "clients/api_client.hpp"
#include "clients/gridsub/campaign.hpp"
#include "lib/terminal/output.hpp"

/// The input files of a campaign, which are beside its file.
namespace gleaner::gridsub {

/// Finds the files that the tasks need. Throws WrongInput that names the first task whose file is missing, and process::Error if there are
/// too many.
void find_inputs(Campaign& campaign);

/// Uploads the files that the grid does not have, and their list, whose SHA-256 the campaign is submitted with.
void upload_inputs(clients::ApiClient& api, Campaign& campaign, terminal::Output& output);

}  // namespace gleaner::gridsub
