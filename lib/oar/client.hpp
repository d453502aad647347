#pragma once
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/grid/advance_reservation.hpp"
#include "lib/grid/id.hpp"
#include "lib/grid/time.hpp"
#include "lib/oar/access.hpp"
#include "lib/oar/failure.hpp"
#include "lib/oar/job.hpp"
#include "lib/oar/request_text.hpp"
#include "lib/oar/resources.hpp"
#include "lib/oar/submit_request.hpp"

namespace gleaner::oar {

/// A job and the user whose identity is used to read or delete it. OAR requires an identity for both, and deletes only that user's jobs.
struct JobOf {
  std::string user;
  grid::RemoteJobId id;
};

/// A signal for a running job.
struct SignalOf {
  JobOf job;
  int number = 0;
};

/// A file or folder on a cluster, and the user whose identity is used to read it; `~/` is that user's home.
struct PathOf {
  std::string user;
  std::string path;
};

/// A file to write.
struct FileOf {
  PathOf place;
  std::string content;
};

/// One run of one job, whose evidence is wanted.
struct RunOf {
  grid::TaskNumber task{0};
  int attempt = 0;
  grid::JobId job{0};
  grid::RemoteJobId remote{0};  ///< OAR's present id of it
};

/// A folder in which attempts are claimed (grid::fence_folder), and the runs whose evidence there is wanted.
struct FenceOf {
  PathOf folder;
  std::vector<RunOf> runs;
};

/// Names of evidence in a fence's folder (lib/grid/evidence.hpp): all of them, or at least those that concern the runs asked for.
struct Traces {
  std::vector<std::string> names;
  std::vector<grid::JobId> unread = {};      ///< time was over before these were looked for: their absence from `names` says nothing
  std::vector<grid::JobId> unreadable = {};  ///< what is there is no text of a claim; of some file system it may be one later
};

/// The part of a file to read.
struct FilePart {
  std::optional<int> last_lines = {};                      ///< empty: all lines
  std::size_t most_bytes = std::size_t{64} << 20;          ///< at most so many bytes of these lines, from their beginning; the rest is not
                                                           ///< transferred
  std::optional<std::chrono::milliseconds> patience = {};  ///< for each file; empty: Limits::read
};

/// Whether the details of a job name its nodes, for which OAR's server does more work.
enum class Nodes { left_out, named };

enum class Removal {
  accepted,              ///< recorded: the job ends soon, and only its state shows when
  already_over_or_asked  ///< OAR had recorded it before
};

/// Jobs that hold resources, and the server's load. The stress factor is requested after the list; its failure does not affect the list.
struct Occupation {
  std::vector<RemoteJob> jobs;
  std::optional<double> stress;
  std::optional<std::chrono::milliseconds> response;  ///< latency of the stress factor's request; kStressPatience if no answer came in that
                                                      ///< time
};
constexpr std::chrono::milliseconds kStressPatience{3000};

class Dialect;
class Requests;

/// One cluster's REST API, in the dialect that Access::api names. Connections stay open between calls, and the requests of one call are
/// sent in parallel, `Limits::parallel` at once. Every answer is checked; an invalid one is NoAnswer. For one thread at a time. No call
/// throws, except std::bad_alloc.
class Client {
 public:
  explicit Client(Access access, Limits limits = {});
  ~Client();
  Client(Client&&) noexcept;
  Client& operator=(Client&&) noexcept;

  /// The cluster's resources, by state and by node; with the loads and the memory of the nodes, if properties that state them are named.
  /// A cluster that answers without its long list is read by its short one, unless a property for the load is named.
  [[nodiscard]] Result<Resources> resources(const std::string& load_property = {}, const std::string& memory_property = {});

  /// The same by the short list, which states no properties: each resource counts as a core of jobs of all types.
  [[nodiscard]] Result<Resources> brief_resources();

  /// Resources that jobs hold now, by node, as the user; nodes with none are left out. ServerError when OAR cannot answer.
  [[nodiscard]] Result<std::map<std::string, int>> held_by_node(std::string_view user);
  /// The resources of each usable node that jobs hold, in the user's name, as held_by_node. One line more counts nothing.
  [[nodiscard]] Result<std::vector<NodeHold>> free_by_node(std::string_view user);

  /// Number of resources with these properties that a job of the user may get: alive ones, and those that OAR wakes for a job. The
  /// cluster's own SQL evaluates the properties, in one small request. ServerError when OAR cannot evaluate them, or does not report the
  /// number.
  [[nodiscard]] Result<int> matching(std::string_view user, std::string_view properties, Effort effort);

  /// Every user's jobs that hold resources now, by id.
  [[nodiscard]] Result<std::vector<RemoteJob>> occupying();

  /// As occupying(), with the stress factor.
  [[nodiscard]] Result<Occupation> occupation();

  /// Every user's advance reservations that have not begun, by our clock. Empty: none is known, or the API lists none.
  [[nodiscard]] Result<std::vector<grid::AdvanceReservation>> reservations();

  /// These jobs, in any state, by id. A job that OAR does not list is absent from the result, which alone does not prove that it does not
  /// exist.
  [[nodiscard]] Result<std::vector<RemoteJob>> jobs(std::span<const grid::RemoteJobId> ids);

  /// All jobs of the user that were submitted at `since` or later, in any state, and possibly older ones: to find a launch by its tag.
  /// `since` is by our clock; a difference of the cluster's clock is compensated.
  [[nodiscard]] Result<std::vector<RemoteJob>> jobs_since(std::string_view user, grid::Instant since);

  /// Each job with its events, one request for each job; results in the order of `asked`. A job that does not exist is Refused 404. Its
  /// hosts are there only with Nodes::named.
  [[nodiscard]] std::vector<Result<JobDetails>> details(std::span<const JobOf> asked, Nodes nodes = Nodes::left_out);

  /// One POST for each request, in parallel; results in the order of `requests`. If the number of jobs in the answer differs from that
  /// requested, the result is NoAnswer: search for them by name.
  [[nodiscard]] std::vector<Result<Submitted>> submit(std::span<const SubmitRequest> requests);

  /// One DELETE for each job; results in the order of `asked`. Foreign and unknown jobs are Refused. OAR accepts one deletion of a job that
  /// ended by itself, so only a job's state shows how it ended.
  [[nodiscard]] std::vector<Result<Removal>> remove(std::span<const JobOf> asked);

  /// Has OAR send each job a signal, to the first process of its command alone; results in the order of `asked`. A job that does not run,
  /// and a foreign one, is Refused. When OAR accepts, the signal was sent. A request for a checkpoint (`/checkpoints/new`) would send one
  /// too, but then OAR does not signal the job any more before it preempts it (SubmitRequest::checkpoint).
  [[nodiscard]] std::vector<Result<void>> signal(std::span<const SignalOf> asked);

  /// Deletes all remaining jobs of an array, in one request.
  [[nodiscard]] Result<Removal> remove_array(std::string_view user, grid::RemoteJobId array);

  /// A part of a file on the cluster, byte for byte. A missing file is Refused 404, an unreadable one Refused 403. A path with characters
  /// that a shell interprets is Refused here, because OAR does not quote paths.
  [[nodiscard]] Result<std::string> read_file(std::string_view user, std::string_view path, const FilePart& part = {});
  /// The same for several files, in parallel; results in the order of `asked`.
  [[nodiscard]] std::vector<Result<std::string>> read_files(std::span<const PathOf> asked, const FilePart& part);

  /// The names in a folder, without those that start with a dot, in any order. Names may have any bytes; each byte that is not UTF-8 is
  /// read as Latin-1. A folder that OAR does not find is Refused 404. The 404 of a web server other than OAR's is NoAnswer, and so is an
  /// incomplete listing.
  [[nodiscard]] Result<std::vector<std::string>> list_folder(std::string_view user, std::string_view path);
  /// The same for several folders, in parallel; results in the order of `asked`.
  [[nodiscard]] std::vector<Result<std::vector<std::string>>> list_folders(std::span<const PathOf> asked);

  /// Whether the folder is there: Refused 404 if OAR does not find it, as for list_folder().
  [[nodiscard]] Result<void> find_folder(std::string_view user, std::string_view path);

  /// The evidence of runs in their fences' folders; results in the order of `asked`, each as of list_folder(). OAR 3 lists no folder: there
  /// the claim of each run's attempt is read instead, one after the other, for at most `patience`, and a fence in which nothing is found is
  /// Refused 404 too, whether its folder is there or not.
  [[nodiscard]] std::vector<Result<Traces>> evidence(std::span<const FenceOf> asked, std::chrono::milliseconds patience);

  /// Writes files as their users, and the folders that they need, in parallel; results in the order of `files`. A file that is there is
  /// replaced. OAR writes piece by piece: after any other answer than success, a file may be missing, or be cut at any byte.
  [[nodiscard]] std::vector<Result<void>> write_files(std::span<const FileOf> files);

  /// The same, but a file that is there stays as it is, which is a success too. If another process
  /// creates the file at the same moment, both succeed, and the content may be that of either.
  [[nodiscard]] std::vector<Result<void>> create_files(std::span<const FileOf> files);

  /// Deletes a file, or a folder with its content, as the user.
  [[nodiscard]] Result<void> delete_path(std::string_view user, std::string_view path);
  /// The same for several paths, in parallel; results in the order of `asked`.
  [[nodiscard]] std::vector<Result<void>> delete_paths(std::span<const PathOf> asked);

  /// OAR's version, `2.5.9 (Canicule)`.
  [[nodiscard]] Result<std::string> version();

  /// From 0, idle, to 1 and more: the administrator requests no more work.
  [[nodiscard]] Result<double> stress();

  /// The user that the API identifies us as when we name this one; empty: none.
  [[nodiscard]] Result<std::string> who_am_i(std::string_view user);

  /// Asks once, for some seconds at most, whether the cluster takes this user's token: the user that it takes us for. Refused 401: it does
  /// not. An API without tokens: ServerError.
  [[nodiscard]] Result<std::string> check_token(std::string_view user);
  /// Another token of this user, which ends later, in place of the present one, which stays valid.
  [[nodiscard]] Result<Token> renewed_token(std::string_view user);

  /// Latency of the last request, and of the slowest so far, each until the whole answer.
  [[nodiscard]] std::chrono::milliseconds last_latency() const;
  [[nodiscard]] std::chrono::milliseconds slowest_latency() const;
  /// Requests so far, failed ones included.
  [[nodiscard]] std::size_t requests() const;

  [[nodiscard]] const Access& access() const;

 private:
  std::unique_ptr<Requests> requests_;
  std::unique_ptr<Dialect> dialect_;  ///< sends by `requests_`
};

}  // namespace gleaner::oar
