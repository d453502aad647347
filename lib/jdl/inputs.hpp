#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "lib/grid/input_files.hpp"
#include "lib/jdl/campaign_file.hpp"
#include "lib/jdl/parameter.hpp"
#include "lib/jdl/tree.hpp"

/// The key input_files: the files beside the campaign file that its tasks read.
namespace gleaner::jdl {

/// Gives the patterns numbers for the names of words, when these are known: `{mesh}` becomes `{1}`.
void number_inputs(const Document& document, CampaignFile& campaign, Findings& findings);

/// The input of each task, in MB, if the file states one number for all.
[[nodiscard]] std::optional<double> constant_input_mb(const CampaignFile& file);

/// Whether expressions may use input_mb: the file states it, or has input files.
[[nodiscard]] bool has_input(const CampaignFile& file);

/// The paths of a task's input files. Error: a sentence that names the task, its parameter and the pattern that gives it no path.
[[nodiscard]] tl::expected<std::vector<std::string>, std::string> input_paths(const CampaignFile& file, std::int64_t task,
                                                                              const Parameter& parameter);

/// The input files that a campaign has, and which of its tasks read each.
class KnownInputs {
 public:
  explicit KnownInputs(std::span<const grid::InputFile> files);
  /// Notes that the task reads its files. Error: a sentence that names the task and the file that it needs and that is not there.
  [[nodiscard]] tl::expected<void, std::string> read_by(const CampaignFile& file, std::int64_t task, const Parameter& parameter);
  /// The tasks noted so far that read a file of the campaign.
  [[nodiscard]] grid::Readers readers_of(std::string_view path) const;
  /// MB of a task's input files; a file that is not there has none, and one that two patterns name counts once.
  [[nodiscard]] double megabytes(const CampaignFile& file, const Parameter& parameter) const;

 private:
  struct Known {
    std::int64_t bytes = 0;
    grid::Readers readers = {};
  };
  std::map<std::string, Known, std::less<>> files_;  ///< by path
};

}  // namespace gleaner::jdl
