#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

#include "lib/grid/task_outputs.hpp"
#include "lib/oar/access.hpp"
#include "lib/oar/failure.hpp"
#include "lib/oar/parse.hpp"
#include "lib/store/views_outputs.hpp"

/// Lists what tasks left on their clusters, as lines of JSON.
namespace gleaner::api {

/// One file that a task left; `name` is its name for the API's users, whatever OAR calls the file.
struct ListedOutput {
  grid::TaskOutput output;
  std::optional<std::int64_t> size;  ///< bytes; empty: unknown, because the folder has too many files to be listed
  bool is_missing = false;           ///< stdout or stderr of a job that ran, and it is not there
};

/// The folder of a task's outputs as a path of OAR's API, and the name of one there.
[[nodiscard]] std::string folder_of_outputs(const store::views::OutputJob& job, std::int64_t task);
/// The name of a job's stdout or stderr in a home that its cluster shares: its path, as that of file_of_output(). Empty: it is no such
/// file.
[[nodiscard]] std::string file_in_shared_home(const store::views::OutputJob& job, grid::CampaignId campaign,
                                              const grid::TaskOutput& output);
[[nodiscard]] std::string file_of_output(const store::views::OutputJob& job, grid::CampaignId campaign, const grid::TaskOutput& output);

/// A folder as it was listed: its files, or why there is no list.
using ListedFolder = tl::expected<std::vector<oar::ListedFile>, oar::Failure>;

/// The outputs of one task in its folder. Pure.
class FolderOfOutputs {
 public:
  FolderOfOutputs(const std::vector<oar::ListedFile>& files, grid::CampaignId campaign);
  [[nodiscard]] std::vector<ListedOutput> of(const store::views::OutputJob& job, std::int64_t task) const;

 private:
  grid::CampaignId campaign_;
  std::map<std::pair<std::int64_t, int>, std::vector<ListedOutput>> by_attempt_;  ///< of an output directory
  std::map<std::string, std::optional<std::int64_t>, std::less<>> files_of_oar_;  ///< those of this campaign
};

/// Lists each folder once. Several tasks share one: those of a thousand in an output directory, all of a campaign without one.
class OutputLister {
 public:
  /// Reads one folder of a cluster as a login.
  using List = std::function<ListedFolder(const store::views::OutputJob& job, const std::string& folder)>;
  OutputLister(grid::CampaignId campaign, List list) : campaign_{campaign}, list_{std::move(list)} {}

  /// One line for each output, and one for each folder that cannot be listed.
  [[nodiscard]] std::string lines(const std::vector<store::views::TaskOutputs>& tasks);
  [[nodiscard]] std::int64_t outputs() const { return outputs_; }
  [[nodiscard]] std::int64_t unsettled() const { return unsettled_; }  ///< tasks that have not ended

 private:
  using Place = std::pair<std::int64_t, std::string>;  ///< cluster; login and folder
  struct Folder {
    std::optional<FolderOfOutputs> outputs;  ///< empty: not listed
    std::string error;                       ///< why; empty: it has too many files, so that sizes are unknown
    bool is_of_oar = false;
  };
  Folder& folder_of(const store::views::OutputJob& job, std::int64_t task, std::string& lines);

  grid::CampaignId campaign_;
  List list_;
  std::map<Place, Folder> folders_;
  std::int64_t outputs_ = 0;
  std::int64_t unsettled_ = 0;
};

}  // namespace gleaner::api
