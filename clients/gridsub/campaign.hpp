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

/// A campaign file that is valid by itself, with its parameters: only the grid can check the rest.
struct Campaign {
  std::string source;  ///< name of its file, for messages
  std::string text;
  jdl::CampaignFile file;
  std::optional<grid::CampaignType> type{};     ///< from the command line
  std::optional<std::int64_t> nb_jobs{};        ///< from the command line
  std::unique_ptr<ParameterFile> parameters{};  ///< null: they are in the campaign file itself
  std::int64_t tasks = 0;
};

/// Reads and checks the campaigns that the command line names by -f, -j, -t, -n and -p. Throws process::Error (usage) with all problems and
/// their places.
[[nodiscard]] std::vector<Campaign> read_campaigns(const process::Arguments& arguments);

/// The first line of a submission.
enum class SubmissionMode { submit, check_only };
[[nodiscard]] std::string head_of(const Campaign& campaign, SubmissionMode mode);

}  // namespace gleaner::gridsub
