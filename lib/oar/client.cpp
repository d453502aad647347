#include "lib/oar/client.hpp"

#include <algorithm>
#include <utility>

#include "lib/oar/dialect.hpp"
#include "lib/oar/dialects/g5k.hpp"
#include "lib/oar/dialects/oar2.hpp"
#include "lib/oar/dialects/oar3.hpp"
#include "lib/oar/requests.hpp"

namespace gleaner::oar {

std::unique_ptr<Dialect> dialect_of(Requests& requests) {
  if (requests.access().api == Api::g5k) return std::make_unique<Grid5000>(requests);
  if (requests.access().api == Api::oar3) return std::make_unique<Oar3>(requests);
  return std::make_unique<Oar2>(requests);
}

Limits limits_for(Api api, Limits limits) {
  // Its API has one database session for all requests, and answers 500 to some of two that come together.
  if (api == Api::oar3) limits.parallel = 1;
  // A page of its lists has at most so many jobs.
  if (api == Api::g5k) limits.page = std::min(limits.page, g5k::kMostOfPage);
  return limits;
}

Client::Client(Access access, Limits limits)
    : requests_{std::make_unique<Requests>(std::move(access), limits)}, dialect_{dialect_of(*requests_)} {}
Client::~Client() = default;
Client::Client(Client&&) noexcept = default;
Client& Client::operator=(Client&&) noexcept = default;

Result<Resources> Client::resources(const std::string& load_property, const std::string& memory_property) {
  return dialect_->resources(load_property, memory_property);
}
Result<Resources> Client::brief_resources() { return dialect_->brief_resources(); }
Result<std::map<std::string, int>> Client::held_by_node(std::string_view user) { return dialect_->held_by_node(user); }
Result<std::vector<NodeHold>> Client::free_by_node(std::string_view user) { return dialect_->free_by_node(user); }
Result<int> Client::matching(std::string_view user, std::string_view properties, Effort effort) {
  return dialect_->matching(user, properties, effort);
}
Result<std::vector<RemoteJob>> Client::occupying() { return dialect_->occupying(); }
Result<Occupation> Client::occupation() { return dialect_->occupation(); }
Result<std::vector<grid::AdvanceReservation>> Client::reservations() { return dialect_->reservations(); }
Result<std::vector<RemoteJob>> Client::jobs(std::span<const grid::RemoteJobId> ids) { return dialect_->jobs(ids); }
Result<std::vector<RemoteJob>> Client::jobs_since(std::string_view user, grid::Instant since) { return dialect_->jobs_since(user, since); }
std::vector<Result<JobDetails>> Client::details(std::span<const JobOf> asked, Nodes nodes) { return dialect_->details(asked, nodes); }
std::vector<Result<Submitted>> Client::submit(std::span<const SubmitRequest> requests) { return dialect_->submit(requests); }
std::vector<Result<Removal>> Client::remove(std::span<const JobOf> asked) { return dialect_->remove(asked); }
Result<Removal> Client::remove_array(std::string_view user, grid::RemoteJobId array) { return dialect_->remove_array(user, array); }
std::vector<Result<void>> Client::signal(std::span<const SignalOf> asked) { return dialect_->signal(asked); }
std::vector<Result<std::string>> Client::read_files(std::span<const PathOf> asked, const FilePart& part) {
  return dialect_->read_files(asked, part);
}
std::vector<Result<std::vector<std::string>>> Client::list_folders(std::span<const PathOf> asked) { return dialect_->list_folders(asked); }
Result<void> Client::find_folder(std::string_view user, std::string_view path) { return dialect_->find_folder(user, path); }
std::vector<Result<Traces>> Client::evidence(std::span<const FenceOf> asked, std::chrono::milliseconds patience) {
  return dialect_->evidence(asked, patience);
}
std::vector<Result<void>> Client::write_files(std::span<const FileOf> files) { return dialect_->write_files(files); }
std::vector<Result<void>> Client::create_files(std::span<const FileOf> files) { return dialect_->create_files(files); }
std::vector<Result<void>> Client::delete_paths(std::span<const PathOf> asked) { return dialect_->delete_paths(asked); }
Result<std::string> Client::version() { return dialect_->version(); }
Result<double> Client::stress() { return dialect_->stress(); }
Result<std::string> Client::check_token(std::string_view user) { return dialect_->check_token(user); }
Result<Token> Client::renewed_token(std::string_view user) { return dialect_->renewed_token(user); }
Result<std::string> Client::who_am_i(std::string_view user) { return dialect_->who_am_i(user); }

Result<std::string> Client::read_file(std::string_view user, std::string_view path, const FilePart& part) {
  const PathOf file{std::string{user}, std::string{path}};
  return std::move(read_files({&file, 1}, part).front());
}

Result<std::vector<std::string>> Client::list_folder(std::string_view user, std::string_view path) {
  const PathOf folder{std::string{user}, std::string{path}};
  return std::move(list_folders({&folder, 1}).front());
}

Result<void> Client::delete_path(std::string_view user, std::string_view path) {
  const PathOf one{std::string{user}, std::string{path}};
  return std::move(delete_paths({&one, 1}).front());
}

std::chrono::milliseconds Client::last_latency() const { return requests_->transport().last_latency(); }
std::chrono::milliseconds Client::slowest_latency() const { return requests_->transport().slowest_latency(); }
std::size_t Client::requests() const { return requests_->transport().requests(); }
const Access& Client::access() const { return requests_->access(); }

}  // namespace gleaner::oar
