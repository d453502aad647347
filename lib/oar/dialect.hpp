#pragma once
#include <memory>

#include "lib/oar/client.hpp"

namespace gleaner::oar {

/// The requests of a Client, as one kind of OAR's REST API takes them. Each function is that of Client of the same name, which has the
/// contract; those that Client has for one item and for several are here for several.
class Dialect {
 public:
  virtual ~Dialect() = default;
  [[nodiscard]] virtual Result<Resources> resources(const std::string& load_property, const std::string& memory_property) = 0;
  [[nodiscard]] virtual Result<Resources> brief_resources() = 0;
  [[nodiscard]] virtual Result<std::map<std::string, int>> held_by_node(std::string_view user) = 0;
  [[nodiscard]] virtual Result<std::vector<NodeHold>> free_by_node(std::string_view user) = 0;
  [[nodiscard]] virtual Result<int> matching(std::string_view user, std::string_view properties, Effort effort) = 0;
  [[nodiscard]] virtual Result<std::vector<RemoteJob>> occupying() = 0;
  [[nodiscard]] virtual Result<Occupation> occupation() = 0;
  [[nodiscard]] virtual Result<std::vector<grid::AdvanceReservation>> reservations() = 0;
  [[nodiscard]] virtual Result<std::vector<RemoteJob>> jobs(std::span<const grid::RemoteJobId> ids) = 0;
  [[nodiscard]] virtual Result<std::vector<RemoteJob>> jobs_since(std::string_view user, grid::Instant since) = 0;
  [[nodiscard]] virtual std::vector<Result<JobDetails>> details(std::span<const JobOf> asked, Nodes nodes) = 0;
  [[nodiscard]] virtual std::vector<Result<Submitted>> submit(std::span<const SubmitRequest> requests) = 0;
  [[nodiscard]] virtual std::vector<Result<Removal>> remove(std::span<const JobOf> asked) = 0;
  [[nodiscard]] virtual Result<Removal> remove_array(std::string_view user, grid::RemoteJobId array) = 0;
  [[nodiscard]] virtual std::vector<Result<void>> signal(std::span<const SignalOf> asked) = 0;
  [[nodiscard]] virtual std::vector<Result<std::string>> read_files(std::span<const PathOf> asked, const FilePart& part) = 0;
  [[nodiscard]] virtual std::vector<Result<std::vector<std::string>>> list_folders(std::span<const PathOf> asked) = 0;
  [[nodiscard]] virtual Result<void> find_folder(std::string_view user, std::string_view path) = 0;
  [[nodiscard]] virtual std::vector<Result<Traces>> evidence(std::span<const FenceOf> asked, std::chrono::milliseconds patience) = 0;
  [[nodiscard]] virtual std::vector<Result<void>> write_files(std::span<const FileOf> files) = 0;
  [[nodiscard]] virtual std::vector<Result<void>> create_files(std::span<const FileOf> files) = 0;
  [[nodiscard]] virtual std::vector<Result<void>> delete_paths(std::span<const PathOf> asked) = 0;
  [[nodiscard]] virtual Result<std::string> version() = 0;
  [[nodiscard]] virtual Result<double> stress() = 0;
  [[nodiscard]] virtual Result<std::string> who_am_i(std::string_view user) = 0;
  [[nodiscard]] virtual Result<std::string> check_token(std::string_view user) = 0;
  [[nodiscard]] virtual Result<Token> renewed_token(std::string_view user) = 0;
};

class Requests;

/// The dialect of the cluster that these requests reach; they outlive it.
[[nodiscard]] std::unique_ptr<Dialect> dialect_of(Requests& requests);
/// The limits that the dialect sets to the requests of all clients: how many may be under way at once.
[[nodiscard]] Limits limits_for(Api api, Limits limits);

}  // namespace gleaner::oar
