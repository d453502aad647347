#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/code.hpp"
#include "lib/oar/client.hpp"
#include "lib/process/config.hpp"
#include "lib/store/clusters.hpp"
#include "lib/store/views_tasks.hpp"

/// The stdout and stderr of tasks, read from their clusters. The rules are pure; `read_output` asks the cluster.
namespace gleaner::api {

enum class Stream { out, err };
[[nodiscard]] std::string_view name_of(Stream stream);  ///< stdout, stderr

/// The job of a task whose output is shown: of the attempt asked for; else the one that did the task; else the last one that started; else
/// the last one that its cluster has; else the last one. Null: there is none.
/// @param jobs  of one task, the oldest first
[[nodiscard]] const store::views::Job* shown_job(std::span<const store::views::Job> jobs, std::optional<int> attempt);

/// Why a job can have no output yet, or never had one. Empty: it may have some.
[[nodiscard]] std::optional<std::string> why_no_output(const store::views::Job& job);

/// OAR's details of a job with the folder and the files that its user knows: OAR begins the job in the home, and the job's wrapper goes to
/// exec_directory, and makes the task's stdout and stderr there.
[[nodiscard]] oar::JobDetails in_its_folder(oar::JobDetails details, const store::views::Job& job);

/// The path of a stream's file, absolute or below `~/`: in the output_directory; or in exec_directory; in the home, as the job's cluster
/// reports it.
[[nodiscard]] std::string output_path(const oar::JobDetails& details, const store::views::Job& job, Stream stream);

/// Lines and bytes of a file's end.
struct Tail {
  std::string text;       ///< valid UTF-8, of printable characters, newlines and tabs
  int lines = 0;          ///< at most so many were read
  bool is_whole = false;  ///< the file has no more
  bool is_cut = false;    ///< its last line is too long: this is the line's beginning
};
struct Output {
  std::string path;
  std::vector<std::string> hosts;
  Tail tail;
};
/// Why there is no output to show.
struct NoOutput {
  Code code = Code::no_such_output;  ///< or not_on_cluster, refused_by_cluster, cluster_unavailable
  std::string why;
};

/// Bytes of a tail at most; of a longer one, fewer lines are read.
inline constexpr std::size_t kMostOutputBytes = std::size_t{256} << 10;
inline constexpr int kMostOutputLines = 10'000;

/// Asks the cluster for the job and for the end of its file, as the job's login: 2 s for a connection, 5 s for each answer, at most
/// kMostOutputBytes. The file of a job is read only when OAR's job is that one by its owner, name and command.
[[nodiscard]] tl::expected<Output, NoOutput> read_output(const process::Config& config, const store::Cluster& cluster,
                                                         const store::views::Job& job, Stream stream, int lines);

/// The same without the job's own cluster, which does not answer: its file is read through another one with the same homes, if it is in the
/// home. The grid's own name of the file is taken, because only the job's cluster knows another one.
[[nodiscard]] tl::expected<Output, NoOutput> read_through(const process::Config& config, const store::Cluster& reader,
                                                          const store::views::Job& job, Stream stream, int lines);

/// Asks the cluster for the job, as the job's login, with the same limits. Its folder and files are those of in_its_folder().
[[nodiscard]] tl::expected<oar::JobDetails, NoOutput> read_details(const process::Config& config, const store::Cluster& cluster,
                                                                   const store::views::Job& job);

/// The hosts of jobs of one cluster, in the order of `jobs`; empty: not known. Failures are not reported.
[[nodiscard]] std::vector<std::vector<std::string>> hosts_of(const process::Config& config, const store::Cluster& cluster,
                                                             std::span<const store::views::Job* const> jobs);

}  // namespace gleaner::api
