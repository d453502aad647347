#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include "lib/grid/id.hpp"

/// Where a campaign with an output_directory keeps what its tasks leave on a cluster. The jobs' wrapper writes the same names
/// (runner/wrapper/outputs.bash):
///
///   <directory>/7.out, 7.err             stdout and stderr of task 7
///   <directory>/7.file.results%2Fa.dat   a file of its output_files, `results/a.dat`
///   <directory>/7.long.3                 one whose path makes a longer name than a file may have: the third of that attempt
///   <directory>/7.path.3.0.2.results%2F… its path, encoded in the same way: the first of two parts, empty files
///   <directory>/7.2.out …                the same of its attempt 2; the first attempt is 0, and has no number
///   <directory>/5000/5123.out            from task 1000 on, a folder for each thousand
///
/// Each name belongs to one attempt, so no attempt overwrites the files of another. The names have only characters that OAR's API can read.
namespace gleaner::grid {

inline constexpr std::int64_t kTasksOfOutputFolder = 1000;

/// The folder of a task's files, within the output directory: `directory` itself, or `directory/5000`.
[[nodiscard]] std::string output_folder(std::string_view directory, std::int64_t task);

enum class OutputKind { standard_output, standard_error, file };
[[nodiscard]] std::string_view name_of(OutputKind kind);  ///< `stdout`, `stderr`, `file`

struct TaskOutput {
  std::int64_t task = 0;
  int attempt = 0;
  OutputKind kind{};
  std::string name{};  ///< of a file: its path as the task left it, relative to exec_directory or without the first slash; any bytes
  int number = 0;  ///< of a file with a long path, among those of its attempt; its own name does not show its path. 0: the path is short
  bool operator==(const TaskOutput&) const = default;
};
/// The name of the file in its folder.
[[nodiscard]] std::string output_name(const TaskOutput& output);
/// Reads it back; empty for any other name. The path of `7.long.3` is left empty.
[[nodiscard]] std::optional<TaskOutput> read_output_name(std::string_view name);

/// A path in the names of the files of a folder: only characters that OAR's API can read.
[[nodiscard]] std::string encoded_path(std::string_view path);
/// Reads it back; empty: that is no path of a file, or it has another spelling.
[[nodiscard]] std::optional<std::string> decoded_path(std::string_view text);

/// The bounds of long paths. The wrapper has the same ones.
inline constexpr std::size_t kLongestFileName = 255;     ///< bytes, NAME_MAX
inline constexpr std::size_t kPartOfPath = 200;          ///< bytes of each part, except for the last
inline constexpr std::size_t kLongestOutputPath = 4096;  ///< bytes, PATH_MAX
inline constexpr int kMostOutputFiles = 1000;            ///< of an attempt

/// The long paths of a folder, from the names in it. A path of which a part is missing, or stands there twice, is none.
class LongPaths {
 public:
  /// False: this is no part of a path.
  bool add(std::string_view name);
  /// Empty: the folder has no path for the file.
  [[nodiscard]] std::optional<std::string> of(const TaskOutput& file) const;

 private:
  using File = std::tuple<std::int64_t, int, int>;  ///< task, attempt, number
  struct Parts {
    int count = 0;  ///< 0: the names contradict each other
    std::map<int, std::string> texts;
  };
  std::map<File, Parts> files_;
};

/// A file of stdout or stderr of a campaign without an output directory, in exec_directory: `OAR.cigri.12.345.stdout`, of OAR's job 345.
/// In the home, OAR makes the files itself; elsewhere, the wrapper does. `pooled`: the task, of a job that took several; its wrapper makes
/// them.
/// The beginning of the names of OAR's stdout and stderr in a home that the cluster shares with others, whose jobs may have the same
/// numbers.
[[nodiscard]] std::string shared_stream_begin(CampaignId campaign, std::string_view cluster);
[[nodiscard]] std::string stream_name(CampaignId campaign, RemoteJobId remote, std::optional<TaskNumber> pooled, OutputKind kind);

/// Whether a folder of a campaign, its macros expanded, is the home, where OAR begins each job.
[[nodiscard]] bool is_home(std::string_view folder);

/// Such a folder, with the values of its variables.
[[nodiscard]] std::string folder_with_values(std::string_view folder, std::string_view home, std::string_view login);

/// A folder of a campaign, its macros expanded, as a path of OAR's API: `$HOME` at its beginning becomes `~`, `$USER` and `$LOGNAME` the
/// login.
[[nodiscard]] std::string media_folder(std::string_view folder, std::string_view login);

/// The first character of a folder for whose sake OAR's API (`/media`) reads no file in it; empty: it has none.
[[nodiscard]] std::optional<std::string> unreadable_character(std::string_view folder);

/// The error in an output directory, as a campaign states it. Empty: there is none. Its characters are those that OAR's API can read.
[[nodiscard]] std::optional<std::string> wrong_output_directory(std::string_view text);

}  // namespace gleaner::grid
