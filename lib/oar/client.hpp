#pragma once
#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/grid/id.hpp"
#include "lib/grid/time.hpp"
#include "lib/oar/access.hpp"
#include "lib/oar/failure.hpp"
#include "lib/oar/job.hpp"
#include "lib/oar/request_text.hpp"
#include "lib/oar/resources.hpp"
#include "lib/oar/submit_request.hpp"

namespace gleaner::oar {

/// A job and the user that it is asked for or deleted as: OAR wants an identity for both, and
/// deletes only that user's jobs.
struct JobOf {
  std::string user;
  grid::RemoteJobId id;
};

/// A file or folder on a cluster, and the user that it is read as; `~/` is their home.
struct PathOf {
  std::string user;
  std::string path;
};

/// How much of a file is read.
struct FilePart {
  std::optional<int> last_lines = {};                      ///< all of them when not given
  std::size_t most_bytes = std::size_t{64} << 20;          ///< of these lines, the first; the rest is not transferred
  std::optional<std::chrono::milliseconds> patience = {};  ///< of each file; Limits::read when not given
};

enum class Removal {
  accepted,              ///< noted: the job ends soon, and only its state says when
  already_over_or_asked  ///< OAR had noted it before
};

/// Who holds resources, and how the server feels. The stress factor is asked for after the list; a failure of it is no
/// failure of the list.
struct Occupation {
  std::vector<RemoteJob> jobs;
  std::optional<double> stress;
  std::optional<std::chrono::milliseconds> response;  ///< of that small question; kStressPatience when no answer came in that time
};
constexpr std::chrono::milliseconds kStressPatience{3000};

/// One cluster's REST API. Connections stay open between calls, and requests of one call go out
/// together, `Limits::parallel` at once. Every answer is checked; one that makes no sense is
/// NoAnswer. Used from one thread at a time. No call throws but for lack of memory.
class Client {
 public:
  explicit Client(Access access, Limits limits = {});
  ~Client();
  Client(Client&&) noexcept;
  Client& operator=(Client&&) noexcept;

  /// The cluster's resources, by state and by node.
  [[nodiscard]] Result<Resources> resources();

  /// Resources that a job of the user with these properties may get: alive, or woken when a job wants them. The cluster's own SQL
  /// reads the properties, and one small request is enough, whatever its size. ServerError when OAR cannot read them, or tells nobody.
  [[nodiscard]] Result<int> matching(std::string_view user, std::string_view properties, Effort effort);

  /// Every user's jobs that hold resources now, by id.
  [[nodiscard]] Result<std::vector<RemoteJob>> occupying();

  /// The same, and the stress factor.
  [[nodiscard]] Result<Occupation> occupation();

  /// These jobs, in whatever state, by id; one that OAR does not list is not in the answer, which
  /// alone is no proof that it does not exist.
  [[nodiscard]] Result<std::vector<RemoteJob>> jobs(std::span<const grid::RemoteJobId> ids);

  /// Every job of the user that was submitted at `since` or later, in every state, and maybe
  /// older ones: to find a launch by its tag. `since` is in our clock; a cluster whose clock
  /// differs is allowed for.
  [[nodiscard]] Result<std::vector<RemoteJob>> jobs_since(std::string_view user, grid::Instant since);

  /// Each job with its events, one request a job; results in the order asked. A job that does not
  /// exist is Refused 404.
  [[nodiscard]] std::vector<Result<JobDetails>> details(std::span<const JobOf> asked);

  /// One POST for each request, in parallel; results in the order asked. A number of jobs that is
  /// not the number asked for is NoAnswer: look for them by the name.
  [[nodiscard]] std::vector<Result<Submitted>> submit(std::span<const SubmitRequest> requests);

  /// One DELETE for each job; results in the order asked. Foreign and unknown jobs are Refused. OAR
  /// accepts to delete a job that ended by itself, once: what became of a job, only its state says.
  [[nodiscard]] std::vector<Result<Removal>> remove(std::span<const JobOf> asked);

  /// Deletes all the jobs of an array that are left, in one request.
  [[nodiscard]] Result<Removal> remove_array(std::string_view user, grid::RemoteJobId array);

  /// A part of a file on the cluster, byte for byte. A missing file is Refused 404, one that they may not read Refused 403. A path
  /// with letters that a shell would read is Refused here: OAR quotes none.
  [[nodiscard]] Result<std::string> read_file(std::string_view user, std::string_view path, const FilePart& part = {});
  /// The same of several files, in parallel; results in the order asked.
  [[nodiscard]] std::vector<Result<std::string>> read_files(std::span<const PathOf> asked, const FilePart& part);

  /// The names in a folder, without those that start with a dot, in any order; whatever their bytes are, each byte that is not UTF-8
  /// taken for Latin-1. A folder that OAR does not find is Refused 404; the 404 of a web server that is not OAR's is NoAnswer, and so
  /// is a listing that is not whole.
  [[nodiscard]] Result<std::vector<std::string>> list_folder(std::string_view user, std::string_view path);
  /// The same of several folders, in parallel; results in the order asked.
  [[nodiscard]] std::vector<Result<std::vector<std::string>>> list_folders(std::span<const PathOf> asked);

  /// Deletes a file, or a folder with all that is in it, as the user.
  [[nodiscard]] Result<void> delete_path(std::string_view user, std::string_view path);
  /// The same of several, in parallel; results in the order asked.
  [[nodiscard]] std::vector<Result<void>> delete_paths(std::span<const PathOf> asked);

  /// What OAR calls itself, `2.5.9 (Canicule)`.
  [[nodiscard]] Result<std::string> version();

  /// From 0, idle, to 1 and more: the administrator asks for no more work.
  [[nodiscard]] Result<double> stress();

  /// Who the API takes us for when we name this user; empty: nobody.
  [[nodiscard]] Result<std::string> who_am_i(std::string_view user);

  /// Time to the whole answer of the last request, and of the slowest so far.
  [[nodiscard]] std::chrono::milliseconds last_latency() const;
  [[nodiscard]] std::chrono::milliseconds slowest_latency() const;
  /// Requests made so far, failed ones included.
  [[nodiscard]] std::size_t requests() const;

  [[nodiscard]] const Access& access() const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace gleaner::oar
