#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "clients/gridsub/parameters.hpp"
#include "lib/grid/campaign_type.hpp"
#include "lib/jdl/campaign_file.hpp"
#include "lib/process/run.hpp"

namespace gleaner::gridsub {

/// A campaign file that is valid in itself, with its parameters: what is left to check is what
/// only the grid knows.
struct Campaign {
  std::string source;  ///< the name of its file, for messages
  std::string text;
  jdl::CampaignFile file;
  std::optional<grid::CampaignType> type{};     ///< said on the command line
  std::optional<std::int64_t> nb_jobs{};        ///< said on the command line
  std::unique_ptr<ParameterFile> parameters{};  ///< where they are not in the file itself
  std::int64_t tasks = 0;
};

/// Reads and checks a campaign as the command line says it: -f or -j, -t, -n, -p. Throws
/// process::Error (usage) with every problem, each with its place.
[[nodiscard]] std::vector<Campaign> read_campaigns(const process::Arguments& arguments);

/// The first line of a submission: what it is, and how it is meant.
enum class Wish { submit, check_only };
[[nodiscard]] std::string head_of(const Campaign& campaign, Wish wish);

}  // namespace gleaner::gridsub
