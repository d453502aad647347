#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "lib/grid/id.hpp"
#include "lib/jdl/campaign_file.hpp"
#include "lib/jdl/tree.hpp"

/// The key input_from: campaigns whose outputs are input files. The patterns of input_files name them as gridget does, below `outputs-ID/`.
namespace gleaner::jdl {

/// Each campaign costs a listing of its outputs at the submission.
inline constexpr std::size_t kMostInputFrom = 10;

/// The folder into which gridget fetches the outputs of a campaign, `outputs-12`.
[[nodiscard]] std::string outputs_folder(grid::CampaignId campaign);

/// An input file that is an output of a campaign.
struct OutputPath {
  grid::CampaignId campaign;
  std::string_view within;  ///< its path in the campaign's folder, `7/result.dat`
};
/// Empty: the path is below the folder of none of the file's input_from.
[[nodiscard]] std::optional<OutputPath> output_path(const CampaignFile& file, std::string_view path);

/// Adds a problem for each campaign of input_from of which no pattern of input_files takes an output.
void check_input_from(const Document& document, const CampaignFile& campaign, Findings& findings);

}  // namespace gleaner::jdl
