// Grid'5000's API, as its reference (https://api.grid5000.fr/doc/stable) and its public source (github.com/grid5000/g5k-api) describe it.
#include "lib/oar/dialects/g5k.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "lib/grid/clock.hpp"
#include "lib/text/clean.hpp"

namespace gleaner::oar {
namespace {

constexpr int kNotFound = 404, kAccepted = 202;

Failure lacking(std::string_view what) {
  constexpr int kNotImplemented = 501;
  return ServerError{kNotImplemented, fmt::format("Grid'5000's API has no {}", what)};
}

/// Its errors are plain texts. Another type is that of a proxy.
bool is_of_api(const Answer& answer) {
  return answer.content_type.starts_with("application/json") || answer.content_type.starts_with("application/vnd.grid5000.") ||
         answer.content_type.starts_with("text/plain");
}

std::string message_of(const Answer& answer) {
  constexpr std::size_t kMostBytes = 500;
  return text::clean_text(answer.body, {.most_bytes = kMostBytes});
}

template <class Parse>
auto value(std::string_view path, const Result<Answer>& answer, Parse parse)
    -> Result<typename std::invoke_result_t<Parse, std::string_view>::value_type> {
  if (!answer) return tl::unexpected(answer.error());
  if (answer->status != kOk && answer->status != kCreated) {
    // A missing job has a meaning for the callers, so only the API itself may report it.
    if (answer->status == kNotFound && !is_of_api(*answer)) return nonsense(path, "an answer 404 that is not of the API");
    return tl::unexpected(read_failure(answer->status, message_of(*answer)));
  }
  if (!is_of_api(*answer)) return nonsense(path, fmt::format("the answer is '{}', not JSON", answer->content_type));
  auto parsed = parse(answer->body);
  if (!parsed) return nonsense(path, parsed.error());
  return std::move(*parsed);
}

template <class T, class Failed>
std::vector<Result<T>> all_failed(std::size_t count, const Failed& failed) {
  return std::vector<Result<T>>(count, failed);
}

tl::unexpected<Failure> no_files() { return refused_here(std::string{g5k::kNoFiles}); }

}  // namespace

std::optional<std::string> Grid5000::wrong_identity(std::string_view user) const {
  if (user.empty()) return "no user is named";
  const auto& access = requests_.access();
  if (user == access.login) return std::nullopt;
  return fmt::format(
      "{} logs in at Grid'5000 as {}, and its API does nothing in the name of '{}': give that user this login there "
      "(gridctl user map)",
      access.name, access.login, text::clean_text(user));
}

Result<std::vector<g5k::NodeStatus>> Grid5000::nodes() {
  const auto* const path = "/status?job_details=no&waiting=no&disks=no&vlans=no&subnets=no";
  return value("/status", requests_.get(path, {}), g5k::parse_status);
}

Result<std::string> Grid5000::check_token(std::string_view /*user*/) { return tl::unexpected(lacking("tokens")); }
Result<Token> Grid5000::renewed_token(std::string_view /*user*/) { return tl::unexpected(lacking("tokens")); }

Result<Resources> Grid5000::resources(const std::string& /*load_property*/, const std::string& /*memory_property*/) {
  return brief_resources();
}

Result<Resources> Grid5000::brief_resources() {
  const auto status = nodes();
  if (!status) return tl::unexpected(status.error());
  const auto now = grid::now() + requests_.clock_ahead();
  std::vector<ResourceLine> lines;
  for (const auto& node : *status) {
    ResourceLine line{.id = 0, .node = node.name, .state = "Dead", .available_until = {}};
    if (node.hard == "alive") line.state = "Alive";
    else if (node.hard == "suspected") line.state = "Suspected";
    else if (node.hard == "absent" || node.hard == "standby") line.state = "Absent";
    if (node.hard == "standby") line.available_until = now + grid::Seconds{3600};
    // A dead node has no slots, and counts as one resource.
    for (int slot = 0; slot < std::max(node.slots, 1); ++slot) {
      line.id = static_cast<std::int64_t>(lines.size()) + 1;
      lines.push_back(line);
    }
  }
  return count_resources(lines, now);
}

Result<std::map<std::string, int>> Grid5000::held_by_node(std::string_view /*user*/) {
  const auto status = nodes();
  if (!status) return tl::unexpected(status.error());
  std::map<std::string, int> held;
  for (const auto& node : *status) {
    if (node.held > 0) held[node.name] = node.held;
  }
  return held;
}

Result<std::vector<NodeHold>> Grid5000::free_by_node(std::string_view /*user*/) {
  const auto status = nodes();
  if (!status) return tl::unexpected(status.error());
  std::vector<NodeHold> holds;
  for (const auto& node : *status) {
    if (node.hard == "alive" || node.hard == "standby") {
      const int asleep = node.hard == "standby" ? node.slots : 0;
      holds.push_back({.usable = node.slots, .held = node.held, .best_effort = true, .node = node.name, .asleep = asleep});
    }
  }
  return holds;
}

Result<int> Grid5000::matching(std::string_view /*user*/, std::string_view /*properties*/, Effort /*effort*/) {
  return tl::unexpected(lacking("query of the resources with some properties"));
}

/// Jobs are listed by falling ids, so one that comes meanwhile moves others to later pages, and none is passed over.
Result<std::vector<g5k::Job>> Grid5000::job_list(const std::string& query) {
  constexpr std::size_t kMostPages = 2000;
  const auto limit = static_cast<std::size_t>(std::max(requests_.limits().page, 1));
  std::map<grid::RemoteJobId, g5k::Job> known;
  for (std::size_t page = 0; page < kMostPages; ++page) {
    auto answer = value("/jobs", requests_.get(query_with("/jobs?" + query, limit, page * limit), {}), g5k::parse_jobs);
    if (!answer) return tl::unexpected(answer.error());
    for (auto& job : answer->items) {
      const auto id = job.details.job.id;
      known.insert_or_assign(id, std::move(job));
    }
    if (answer->items.size() < limit) {
      std::vector<g5k::Job> all;
      for (auto& [id, job] : known) all.push_back(std::move(job));
      return all;
    }
  }
  return nonsense("/jobs", "the list has no end");
}

Result<std::vector<RemoteJob>> Grid5000::occupying() {
  auto listed = job_list("state=running,launching,suspended,resuming,finishing");
  if (!listed) return tl::unexpected(listed.error());
  std::vector<RemoteJob> jobs;
  for (auto& job : *listed) jobs.push_back(std::move(job.details.job));
  return jobs;
}

Result<Occupation> Grid5000::occupation() {
  auto jobs = occupying();
  if (!jobs) return tl::unexpected(jobs.error());
  return Occupation{std::move(*jobs), {}, {}};
}

/// Its list has no number of resources.
Result<std::vector<grid::AdvanceReservation>> Grid5000::reservations() { return std::vector<grid::AdvanceReservation>{}; }

std::vector<Result<g5k::Job>> Grid5000::each_job(std::span<const grid::RemoteJobId> ids) {
  std::vector<Request> requests;
  for (const auto id : ids) requests.push_back({Method::get, fmt::format("/jobs/{}", id.value()), {}, {}});
  const auto answers = requests_.send(requests);
  std::vector<Result<g5k::Job>> jobs;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    auto job = value(requests[i].path, answers[i], g5k::parse_job);
    if (job && job->details.job.id != ids[i])
      jobs.emplace_back(nonsense(requests[i].path, fmt::format("the answer is job {}", job->details.job.id.value())));
    else jobs.push_back(std::move(job));
  }
  return jobs;
}

/// The account's live jobs are one list. Each other one is asked for by itself, because no filter of ids is documented.
Result<std::vector<RemoteJob>> Grid5000::jobs(std::span<const grid::RemoteJobId> ids) {
  std::set<grid::RemoteJobId> wanted{ids.begin(), ids.end()};
  std::map<grid::RemoteJobId, RemoteJob> found;
  constexpr std::size_t kFew = 4;
  if (wanted.size() > kFew) {
    auto live =
        job_list(fmt::format("user={}&state=waiting,hold,launching,running,suspended,resuming,finishing", requests_.access().login));
    if (!live) return tl::unexpected(live.error());
    for (auto& job : *live) {
      const auto id = job.details.job.id;
      if (wanted.erase(id) > 0) found.insert_or_assign(id, std::move(job.details.job));
    }
  }
  const std::vector<grid::RemoteJobId> others{wanted.begin(), wanted.end()};
  for (auto& job : each_job(others)) {
    if (job) {
      const auto id = job->details.job.id;
      found.insert_or_assign(id, std::move(job->details.job));
      continue;
    }
    const auto* const refused = std::get_if<Refused>(&job.error());
    if (refused == nullptr || refused->status != kNotFound) return tl::unexpected(job.error());
  }
  std::vector<RemoteJob> jobs;
  for (auto& [id, job] : found) jobs.push_back(std::move(job));
  return jobs;
}

Result<std::vector<RemoteJob>> Grid5000::jobs_since(std::string_view user, grid::Instant since) {
  if (auto wrong = wrong_identity(user)) return refused_here(std::move(*wrong));
  constexpr grid::Seconds kMargin{60};
  const auto from = since + requests_.clock_ahead() - kMargin;
  const auto limit = static_cast<std::size_t>(std::max(requests_.limits().page, 1));
  std::map<grid::RemoteJobId, RemoteJob> found;
  for (std::size_t offset = 0;; offset += limit) {
    auto page = value("/jobs", requests_.get(query_with(fmt::format("/jobs?user={}", user), limit, offset), {}), g5k::parse_jobs);
    if (!page) return tl::unexpected(page.error());
    bool are_all_older = true;
    for (auto& job : page->items) {
      auto& listed = job.details.job;
      are_all_older = are_all_older && listed.submitted < from;
      const auto id = listed.id;
      if (listed.submitted >= from) found.insert_or_assign(id, std::move(listed));
    }
    if (page->items.size() < limit || are_all_older) break;
  }
  std::vector<RemoteJob> jobs;
  for (auto& [id, job] : found) jobs.push_back(std::move(job));
  return jobs;
}

std::vector<Result<JobDetails>> Grid5000::details(std::span<const JobOf> asked, Nodes nodes) {
  std::vector<grid::RemoteJobId> ids;
  for (const auto& job : asked) ids.push_back(job.id);
  std::vector<Result<JobDetails>> results;
  for (auto& job : each_job(ids)) {
    if (job && nodes == Nodes::left_out) job->details.hosts.clear();
    results.push_back(std::move(job).map([](g5k::Job&& one) { return std::move(one.details); }));
  }
  return results;
}

std::vector<Result<Submitted>> Grid5000::submit(std::span<const SubmitRequest> requests) {
  std::vector<Result<Submitted>> results;
  for (const auto& request : requests) results.push_back(submit_one(request));
  return results;
}

Result<Submitted> Grid5000::submit_one(const SubmitRequest& request) {
  if (auto wrong = g5k::wrong_request(request)) return refused_here(std::move(*wrong));
  if (auto wrong = wrong_identity(request.user)) return refused_here(std::move(*wrong));
  Submitted submitted;
  const auto failed = [&](Failure failure) -> Result<Submitted> {
    if (submitted.ids.empty()) return tl::unexpected(std::move(failure));
    return tl::unexpected(
        Failure{NoAnswer{fmt::format("{} of {} jobs were submitted: {}", submitted.ids.size(), jobs_of(request), describe(failure))}});
  };
  for (const auto& line : request.lines.empty() ? std::vector<std::string>{{}} : request.lines) {
    const Request post{Method::post, "/jobs", request.user, g5k::submission_body(request, line)};
    const auto answer = std::move(requests_.send({&post, 1}).front());
    if (!answer) return failed(answer.error());
    if (!is_success(answer->status)) {
      // An answer that is not the API's may be a proxy's, after the job was made.
      if (!is_of_api(*answer) && !is_before_oar(answer->status))
        return failed(NoAnswer{fmt::format("POST /jobs: {}: the answer is '{}'", answer->status, answer->content_type)});
      return failed(read_failure(answer->status, message_of(*answer)));
    }
    const auto job = value("POST /jobs", answer, g5k::parse_job);
    if (!job) return failed(job.error());
    submitted.ids.push_back(job->details.job.id);
  }
  submitted.array = submitted.ids.front();
  return submitted;
}

/// The API deletes jobs of the account alone, and says no more than that OAR was asked.
std::vector<Result<Removal>> Grid5000::remove(std::span<const JobOf> asked) {
  std::vector<Result<Removal>> results;
  for (const auto& [user, id] : asked) {
    if (auto wrong = wrong_identity(user)) {
      results.emplace_back(refused_here(std::move(*wrong)));
      continue;
    }
    const Request request{Method::remove, fmt::format("/jobs/{}", id.value()), user, {}};
    const auto answer = std::move(requests_.send({&request, 1}).front());
    if (!answer) results.emplace_back(tl::unexpected(answer.error()));
    else if (answer->status == kAccepted) results.emplace_back(Removal::accepted);
    else if (is_success(answer->status) || !is_of_api(*answer))
      results.emplace_back(nonsense("deletion", fmt::format("an answer {} of '{}'", answer->status, answer->content_type)));
    else results.emplace_back(tl::unexpected(read_failure(answer->status, message_of(*answer))));
  }
  return results;
}

/// A request makes one job, so an array is its first job.
Result<Removal> Grid5000::remove_array(std::string_view user, grid::RemoteJobId array) {
  const JobOf job{std::string{user}, array};
  return std::move(remove({&job, 1}).front());
}

std::vector<Result<void>> Grid5000::signal(std::span<const SignalOf> asked) {
  return all_failed<void>(asked.size(), refused_here("Grid'5000's API sends no signals to jobs"));
}

std::vector<Result<std::string>> Grid5000::read_files(std::span<const PathOf> asked, const FilePart& /*part*/) {
  return all_failed<std::string>(asked.size(), no_files());
}

std::vector<Result<std::vector<std::string>>> Grid5000::list_folders(std::span<const PathOf> asked) {
  return all_failed<std::vector<std::string>>(asked.size(), no_files());
}

Result<void> Grid5000::find_folder(std::string_view /*user*/, std::string_view /*path*/) { return no_files(); }

/// The claims are on the cluster, as ever, and nobody sees them from here: a job's end shows what came of its attempt.
std::vector<Result<Traces>> Grid5000::evidence(std::span<const FenceOf> asked, std::chrono::milliseconds patience) {
  const auto end = grid::SteadyClock::now() + patience;
  std::vector<Result<Traces>> found;
  for (const auto& fence : asked) {
    Traces traces;
    std::optional<Failure> failed;
    bool is_first = true;
    for (const auto& run : fence.runs) {
      if (!std::exchange(is_first, false) && grid::SteadyClock::now() >= end) {
        traces.unread.push_back(run.job);
        continue;
      }
      const auto job = std::move(each_job({&run.remote, 1}).front());
      if (!job) {
        const auto* const refused = std::get_if<Refused>(&job.error());
        if (refused == nullptr || refused->status != kNotFound) {
          failed = job.error();
          break;
        }
        traces.unreadable.push_back(run.job);
      } else if (!is_over(job->details.job.state)) {
        traces.unread.push_back(run.job);
      } else if (auto name = g5k::evidence_of(run, *job)) {
        traces.names.push_back(std::move(*name));
      } else {
        traces.unreadable.push_back(run.job);
      }
    }
    if (failed) found.emplace_back(tl::unexpected(*failed));
    else found.emplace_back(std::move(traces));
  }
  return found;
}

std::vector<Result<void>> Grid5000::write_files(std::span<const FileOf> files) { return all_failed<void>(files.size(), no_files()); }

std::vector<Result<void>> Grid5000::create_files(std::span<const FileOf> files) { return all_failed<void>(files.size(), no_files()); }

std::vector<Result<void>> Grid5000::delete_paths(std::span<const PathOf> asked) { return all_failed<void>(asked.size(), no_files()); }

/// It does not state OAR's version.
Result<std::string> Grid5000::version() {
  const auto page = value("/jobs", requests_.get("/jobs?limit=1", {}), g5k::parse_jobs);
  if (!page) return tl::unexpected(page.error());
  return std::string{"of Grid'5000"};
}

Result<double> Grid5000::stress() { return tl::unexpected(lacking("stress factor")); }

Result<std::string> Grid5000::who_am_i(std::string_view user) {
  if (!user.empty()) {
    if (auto wrong = wrong_identity(user)) return refused_here(std::move(*wrong));
  }
  const auto page = value("/jobs", requests_.get("/jobs?limit=1", {}), g5k::parse_jobs);
  if (!page) return tl::unexpected(page.error());
  return requests_.access().login;
}

}  // namespace gleaner::oar
