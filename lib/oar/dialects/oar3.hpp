#pragma once
#include "lib/grid/clock.hpp"
#include "lib/oar/dialect.hpp"
#include "lib/oar/dialects/oar3_text.hpp"
#include "lib/oar/requests.hpp"

namespace gleaner::oar {

/// OAR 3: a Python process, which asks each user for a token.
///
/// It has one database session for all requests. So requests are made one after the other; an answer 500 says nothing about what was done;
/// a read that is answered so is repeated a few times, because it may have met another client's; and where all reads are, while the process
/// itself answers, the session is broken for good, which the failure says (Oar3::diagnosed). Nothing is sent that is known to break it:
/// states and ids that the database does not have, properties that are not plainly comparisons of the resources' own.
///
/// It lacks, and something else is done: a listing of a folder (the claims of attempts are read by their names), a way to write a file
/// (Refused), SQL over resources (ServerError), a signal by its number (OAR's checkpoint, which is the signal of the submission).
class Oar3 final : public Dialect {
 public:
  explicit Oar3(Requests& requests) : requests_{requests} {}

  [[nodiscard]] Result<Resources> resources(const std::string& load_property, const std::string& memory_property) override;
  [[nodiscard]] Result<Resources> brief_resources() override;
  [[nodiscard]] Result<std::map<std::string, int>> held_by_node(std::string_view user) override;
  [[nodiscard]] Result<std::vector<NodeHold>> free_by_node(std::string_view user) override;
  [[nodiscard]] Result<int> matching(std::string_view user, std::string_view properties, Effort effort) override;
  [[nodiscard]] Result<std::vector<RemoteJob>> occupying() override;
  [[nodiscard]] Result<Occupation> occupation() override;
  [[nodiscard]] Result<std::vector<grid::AdvanceReservation>> reservations() override;
  [[nodiscard]] Result<std::vector<RemoteJob>> jobs(std::span<const grid::RemoteJobId> ids) override;
  [[nodiscard]] Result<std::vector<RemoteJob>> jobs_since(std::string_view user, grid::Instant since) override;
  [[nodiscard]] std::vector<Result<JobDetails>> details(std::span<const JobOf> asked, Nodes nodes) override;
  [[nodiscard]] std::vector<Result<Submitted>> submit(std::span<const SubmitRequest> requests) override;
  [[nodiscard]] std::vector<Result<Removal>> remove(std::span<const JobOf> asked) override;
  [[nodiscard]] Result<Removal> remove_array(std::string_view user, grid::RemoteJobId array) override;
  [[nodiscard]] std::vector<Result<void>> signal(std::span<const SignalOf> asked) override;
  [[nodiscard]] std::vector<Result<std::string>> read_files(std::span<const PathOf> asked, const FilePart& part) override;
  [[nodiscard]] std::vector<Result<std::vector<std::string>>> list_folders(std::span<const PathOf> asked) override;
  [[nodiscard]] Result<void> find_folder(std::string_view user, std::string_view path) override;
  [[nodiscard]] std::vector<Result<Traces>> evidence(std::span<const FenceOf> asked, std::chrono::milliseconds patience) override;
  [[nodiscard]] std::vector<Result<void>> write_files(std::span<const FileOf> files) override;
  [[nodiscard]] std::vector<Result<void>> create_files(std::span<const FileOf> files) override;
  [[nodiscard]] std::vector<Result<void>> delete_paths(std::span<const PathOf> asked) override;
  [[nodiscard]] Result<std::string> version() override;
  [[nodiscard]] Result<double> stress() override;
  [[nodiscard]] Result<std::string> who_am_i(std::string_view user) override;
  [[nodiscard]] Result<std::string> check_token(std::string_view user) override;
  [[nodiscard]] Result<Token> renewed_token(std::string_view user) override;

 private:
  /// A read that may be repeated: up to three times while it is answered 500.
  [[nodiscard]] Result<Answer> read(std::string path, const std::string& user, std::optional<std::chrono::milliseconds> patience = {},
                                    std::optional<std::size_t> enough = {});
  /// The failure of a read that was answered 500 again and again: whether the process itself answers shows why.
  [[nodiscard]] Failure diagnosed(const Answer& answer);
  [[nodiscard]] Failure failure_of(const Answer& answer);
  /// A read's JSON.
  template <class Parse>
  [[nodiscard]] auto value(std::string_view path, const Result<Answer>& answer, Parse parse)
      -> Result<typename std::invoke_result_t<Parse, std::string_view>::value_type>;
  /// A whole list. The API refuses a page past the end.
  template <class T, class Parse>
  [[nodiscard]] Result<std::vector<T>> list(const std::string& path, Parse parse);
  [[nodiscard]] Result<std::vector<RemoteJob>> job_list(const std::string& query);
  /// The answers to POST or DELETE, which are never repeated, one after the other. A user without a valid token is refused here.
  [[nodiscard]] Result<Answer> write(Request request);
  /// Why nothing can be done in the user's name.
  [[nodiscard]] std::optional<std::string> wrong_identity(std::string_view user) const;
  /// Notes whether the cluster took the user's token.
  void note_identity(const std::string& user, const Result<Answer>& answer) const;
  /// In whose name a user's job is deleted: theirs, or that of `oar`, who may delete everybody's, while theirs is no use. OAR then no
  /// longer checks whose job it is, so the list is asked first.
  [[nodiscard]] std::string deleting_as(const std::string& user, grid::RemoteJobId job);
  [[nodiscard]] Result<Submitted> submit_one(const SubmitRequest& request);
  [[nodiscard]] Result<Submitted> submitted(const Result<Answer>& answer, std::size_t expected);
  [[nodiscard]] Result<Removal> remove_one(const std::string& user, grid::RemoteJobId id);
  [[nodiscard]] Result<Removal> removed(const Result<Answer>& answer) const;
  /// Why properties must not be sent; a failure when the resources cannot be read.
  [[nodiscard]] Result<std::optional<std::string>> wrong_properties_here(std::string_view properties);
  [[nodiscard]] Result<Traces> evidence_in(const FenceOf& fence, grid::SteadyClock::time_point end);
  /// The content of a file of the user's; Refused 404 when it is not there.
  [[nodiscard]] Result<std::string> file(const std::string& user, const std::string& path, const FilePart& part);
  [[nodiscard]] Result<std::string> media_query(std::string_view user, std::string_view path) const;

  Requests& requests_;
  std::optional<oar3::Columns> columns_;  ///< of the resources, once they were needed
};

}  // namespace gleaner::oar
