#pragma once
#include <optional>
#include <string>
#include <vector>

#include "lib/jdl/campaign_file.hpp"

/// Numbers that tasks of one campaign give to those of another (lib/grid/given.hpp).
namespace gleaner::jdl {

/// The error of the key `given` beside the others of its file; empty: it is right, or is not there.
[[nodiscard]] std::optional<std::string> wrong_given(const CampaignFile& file);

/// A campaign of after_each, and what its tasks give.
struct Giver {
  grid::CampaignId campaign{0};
  std::vector<std::string> names;
};
/// A number that none of these gives, or two of them; empty: each is given by one.
[[nodiscard]] std::optional<std::string> not_given(const CampaignFile& taker, const std::vector<Giver>& givers);

}  // namespace gleaner::jdl
