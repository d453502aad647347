#pragma once
#include "lib/oar/dialect.hpp"
#include "lib/oar/requests.hpp"

namespace gleaner::oar {

/// OAR 2.5 and 2.6: Perl behind Apache, which names the user by a header that it believes the grid.
class Oar2 final : public Dialect {
 public:
  explicit Oar2(Requests& requests) : requests_{requests} {}

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
  [[nodiscard]] Result<std::vector<RemoteJob>> job_list(const std::string& query);
  [[nodiscard]] Result<std::vector<RemoteJob>> chunked(const std::vector<std::string>& chunks);
  [[nodiscard]] Result<std::vector<RemoteJob>> whole_chunk(const std::string& ids, Result<Page<RemoteJob>> page);

  Requests& requests_;
};

}  // namespace gleaner::oar
