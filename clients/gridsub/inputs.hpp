#pragma once
#include <filesystem>
#include <vector>

#include "clients/api_client.hpp"
#include "clients/gridsub/campaign.hpp"
#include "lib/grid/input_files.hpp"
#include "lib/jdl/parameter.hpp"
#include "lib/terminal/output.hpp"

/// The input files of a campaign, which are beside its file.
namespace gleaner::gridsub {

/// Finds the files that the tasks need, but for outputs of other campaigns, which it notes (`readers`). Throws WrongInput that names the
/// first task whose file is missing, and process::Error if there are too many.
void find_inputs(Campaign& campaign);

/// Uploads the files that the grid does not have, and their list, whose SHA-256 the campaign is submitted with.
void upload_inputs(clients::ApiClient& api, Campaign& campaign, terminal::Output& output);

/// The campaign's input files with their sizes, and without their contents.
[[nodiscard]] std::vector<grid::InputFile> sizes_of_inputs(const Campaign& campaign);

/// Copies the input files of a task below `folder`, with the permissions that they have on a cluster. Throws process::Error (usage).
void lay_inputs(const Campaign& campaign, std::int64_t task, const jdl::Parameter& parameter, const std::filesystem::path& folder);

}  // namespace gleaner::gridsub
