#pragma once
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "lib/jdl/campaign_file.hpp"
#include "lib/jdl/parse.hpp"
#include "lib/jdl/tree.hpp"

/// From a tree to the campaign. For lib/jdl only.
namespace gleaner::jdl {

/// Reads the campaign of a tree; its parameters are moved out. All problems, with those in `findings`, have their places in `text`.
[[nodiscard]] tl::expected<CampaignFile, std::vector<Problem>> validate(Document& document, std::string_view text, Findings& findings,
                                                                        const Defaults& defaults, const KnownClusters* clusters);

}  // namespace gleaner::jdl
