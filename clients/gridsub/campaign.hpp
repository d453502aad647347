#pragma once
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "clients/gridget/listing.hpp"
#include "clients/gridsub/parameters.hpp"
#include "lib/grid/campaign_type.hpp"
#include "lib/jdl/campaign_file.hpp"
#include "lib/process/run.hpp"

namespace gleaner::gridsub {

/// An input file that is an output of another campaign.
struct OutputAsInput {
  clients::gridget::SourceCampaign source;
  clients::gridget::RemoteOutput output;
  std::filesystem::path file;  ///< where it is on this machine, once it is fetched: in another attempt's folder than its path may name
};

/// A campaign file that is valid by itself, with its parameters: only the grid can check the rest.
struct Campaign {
  std::string source;  ///< name of its file, for messages
  std::string text;
  std::string sent{};  ///< instead of the text: with numbers for names of campaigns that are submitted together; empty: the text
  jdl::CampaignFile file;
  std::optional<grid::CampaignType> type{};     ///< from the command line
  std::optional<std::int64_t> nb_jobs{};        ///< from the command line
  jdl::Doubts doubts = jdl::Doubts::reported;   ///< the grid reports them, if they are not refused
  std::unique_ptr<ParameterFile> parameters{};  ///< null: they are in the campaign file itself
  std::int64_t tasks = 0;
  std::filesystem::path folder{};  ///< that its input files are relative to
  std::set<std::string> inputs{};  ///< the paths of all its input files
  std::map<std::string, std::int64_t>
      readers{};  ///< of these, those that are outputs of other campaigns, and the first task that reads each
  std::map<std::string, OutputAsInput> outputs{};  ///< the same, once they are found
  std::string input_manifest{};                    ///< SHA-256 of the list of them, when they are uploaded
};

/// Asks the grid for its problems with a campaign file, of which only text, source, type, nb_jobs and doubts are set.
using AskGrid = std::function<std::vector<jdl::Problem>(const Campaign& campaign)>;

/// Reads and checks the campaigns that the command line names by -f, -j, -t, -n and -p. Throws process::Error (usage) with all problems of
/// all of them, and their places. The grid is asked only about wrong campaign files, so that its problems are reported together with ours.
/// @param parameters  of the one campaign, instead of those of its file; null: the file's, or the command line's
[[nodiscard]] std::vector<Campaign> read_campaigns(const process::Arguments& arguments, const AskGrid& ask,
                                                   std::unique_ptr<ParameterFile> parameters = nullptr);

/// The first line of a submission.
enum class SubmissionMode { submit, check_only };
[[nodiscard]] std::string head_of(const Campaign& campaign, SubmissionMode mode);

}  // namespace gleaner::gridsub
