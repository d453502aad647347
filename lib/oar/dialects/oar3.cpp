// OAR 3: jobs, resources, who asks. Its files are in oar3_media.cpp.
#include "lib/oar/dialects/oar3.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <thread>
#include <utility>

#include "lib/grid/clock.hpp"
#include "lib/oar/dialects/oar3_requests.hpp"

namespace gleaner::oar {
namespace {

using oar3::is_server_error;

constexpr int kNotFound = 404;
/// The exit status of the command that deletes is in the answer.
constexpr std::int64_t kDone = 0, kServerIsSilent = 2, kAlready = 6, kUnknownJob = 7;

std::string states_query(bool (*wanted)(RemoteState)) {
  std::string states;
  for (int number = 0; number < static_cast<int>(RemoteState::unknown); ++number) {
    const auto state = static_cast<RemoteState>(number);
    if (wanted(state)) states += fmt::format("{}states={}", states.empty() ? "" : "&", name_of(state));
  }
  return states;
}

bool by_token(const Access& access) {
  return access.authentication == Authentication::token || access.authentication == Authentication::signed_token;
}

Failure lacking(std::string_view what) {
  constexpr int kNotImplemented = 501;
  return ServerError{kNotImplemented, fmt::format("OAR 3's API has no {}", what)};
}

}  // namespace

std::optional<std::string> Oar3::wrong_identity(std::string_view user) const {
  const auto& access = requests_.access();
  if (!by_token(access)) return user.empty() ? std::optional<std::string>{"no user is named"} : std::nullopt;
  const auto bearer = bearer_of(access, user);
  return bearer ? std::nullopt : std::optional{bearer.error()};
}

/// Only OAR itself says so of a token: a page of a web server says nothing of it.
void Oar3::note_identity(const std::string& user, const Result<Answer>& answer) const {
  constexpr int kUnauthorized = 401;
  const auto& access = requests_.access();
  if (access.token_use == nullptr || !answer || user.empty() || !by_token(access)) return;
  if (answer->status == kUnauthorized && !wrong_type(*answer)) access.token_use->note(user, TokenUse::Verdict::refused);
  else if (is_success(answer->status)) access.token_use->note(user, TokenUse::Verdict::taken);
}

std::string Oar3::deleting_as(const std::string& user, grid::RemoteJobId job) {
  const std::string admin{"oar"};
  const auto& access = requests_.access();
  if (access.authentication != Authentication::token || !wrong_identity(user) || wrong_identity(admin)) return user;
  const auto listed = jobs({&job, 1});
  return listed && listed->size() == 1 && listed->front().owner == user ? admin : user;
}

Result<Answer> Oar3::read(std::string path, const std::string& user, std::optional<std::chrono::milliseconds> patience,
                          std::optional<std::size_t> enough) {
  constexpr int kTries = 3;
  constexpr std::chrono::milliseconds kPause{100};
  const Request request{Method::get, std::move(path), user, {}, patience, enough};
  Result<Answer> answer = tl::unexpected(Failure{NotSent{"not tried"}});
  for (int attempt = 0; attempt < kTries; ++attempt) {
    if (attempt > 0) std::this_thread::sleep_for(kPause * attempt);
    answer = std::move(requests_.send({&request, 1}).front());
    if (!answer || !is_server_error(*answer)) break;
  }
  note_identity(user, answer);
  return answer;
}

Result<Answer> Oar3::write(Request request) {
  if (auto wrong = wrong_identity(request.user)) return tl::unexpected(no_identity(std::move(*wrong)));
  auto answer = std::move(requests_.send({&request, 1}).front());
  note_identity(request.user, answer);
  return answer;
}

Failure Oar3::diagnosed(const Answer& answer) {
  // It answers this one without its database.
  const auto alive = requests_.get("/version", {});
  if (!alive || alive->status != kOk) return oar3::failure_of(answer);
  return ServerError{
      answer.status,
      "its API answers 500 to all that needs its database, while its process runs: its only session is broken (an error of the database, or "
      "its restart), and stays so until the API is restarted. On its front end: 'systemctl restart oar3-api', or what starts its uvicorn "
      "there. Nothing is lost meanwhile, and no other cluster is concerned"};
}

Result<std::vector<RemoteJob>> Oar3::job_list(const std::string& query) { return list<RemoteJob>("/jobs?details=1&" + query, parse_jobs); }

Result<Resources> Oar3::resources(const std::string& load_property, const std::string& memory_property) {
  const auto lines = list<ResourceLine>("/resources?detailed=true", [&](std::string_view body) {
    if (auto columns = oar3::parse_columns(body)) {
      if (!columns_) columns_.emplace();
      columns_->merge(*columns);
    }
    return parse_resources(body, load_property, memory_property);
  });
  if (!lines) return tl::unexpected(lines.error());
  return count_resources(*lines, grid::now() + requests_.clock_ahead());
}

Result<Resources> Oar3::brief_resources() {
  const auto lines = list<ResourceLine>("/resources", [](std::string_view body) { return parse_resources(body, {}, {}); });
  if (!lines) return tl::unexpected(lines.error());
  return count_resources(*lines, grid::now() + requests_.clock_ahead());
}

Result<std::map<std::string, int>> Oar3::held_by_node(std::string_view /*user*/) {
  return tl::unexpected(lacking("query of what jobs hold on each node"));
}

Result<std::vector<NodeHold>> Oar3::free_by_node(std::string_view /*user*/) {
  return tl::unexpected(lacking("query of what is free on each node"));
}

Result<int> Oar3::matching(std::string_view /*user*/, std::string_view /*properties*/, Effort /*effort*/) {
  return tl::unexpected(lacking("query of the resources with some properties"));
}

Result<std::vector<RemoteJob>> Oar3::occupying() { return job_list(states_query(holds_resources)); }

/// As Oar2 has it.
Result<std::vector<grid::AdvanceReservation>> Oar3::reservations() {
  const auto now = grid::now() + requests_.clock_ahead();
  const auto jobs = job_list(fmt::format("states={}&start_time={}", name_of(RemoteState::waiting), grid::to_unix(now)));
  if (!jobs) return tl::unexpected(jobs.error());
  return reservations_of(*jobs, requests_.clock_ahead());
}

Result<Occupation> Oar3::occupation() {
  auto jobs = occupying();
  if (!jobs) return tl::unexpected(jobs.error());
  Occupation occupation{std::move(*jobs), {}, {}};
  const auto answer = requests_.get("/stress_factor", {}, kStressPatience);
  if (answer) {
    occupation.response = answer->latency;
  } else if (std::holds_alternative<NoAnswer>(answer.error())) {
    occupation.response = kStressPatience;
  }
  if (const auto stress = value_of("/stress_factor", answer, parse_stress); stress && std::isfinite(*stress)) occupation.stress = *stress;
  return occupation;
}

Result<std::vector<RemoteJob>> Oar3::jobs(std::span<const grid::RemoteJobId> ids) {
  std::map<std::int64_t, RemoteJob> known;
  for (const auto& chunk : oar3::id_chunks(ids, requests_.limits().url_bytes)) {
    auto page = value("/jobs?job_ids=", read(query_with("/jobs?details=1&" + chunk.query, chunk.count, 0), {}), parse_jobs);
    const bool is_part = page ? page->total.value_or(0) > page->items.size() : is_too_long(page.error());
    if (is_part) {
      auto jobs = job_list(chunk.query);
      if (!jobs) return jobs;
      for (auto& job : *jobs) known.insert_or_assign(job.id.value(), std::move(job));
      continue;
    }
    if (!page) return tl::unexpected(page.error());
    for (auto& job : page->items) known.insert_or_assign(job.id.value(), std::move(job));
  }
  return Requests::values(std::move(known));
}

/// The date of a job's submission may be hours too old, as it is that of the API's open transaction. So those that are not over are listed
/// without a date, those in toError too, which the default list leaves out; and those that are over by the date of their end, which OAR's
/// server writes. In this order, a job that ends between two requests is in both lists.
Result<std::vector<RemoteJob>> Oar3::jobs_since(std::string_view user, grid::Instant since) {
  if (auto wrong = wrong_user(user)) return refused_here(std::move(*wrong));
  constexpr grid::Seconds kMargin{60};
  const auto from = std::max<std::int64_t>(grid::to_unix(since + requests_.clock_ahead() - kMargin), 1);
  std::map<grid::RemoteJobId, RemoteJob> known;
  for (const auto& query :
       {fmt::format("user={}", user), fmt::format("user={}&states=toError", user), fmt::format("user={}&start_time={}", user, from)}) {
    auto jobs = job_list(query);
    if (!jobs) return jobs;
    for (auto& job : *jobs) known.insert_or_assign(job.id, std::move(job));
  }
  std::vector<RemoteJob> found;
  for (auto& [id, job] : known) found.push_back(std::move(job));
  return found;
}

/// One list has the details of many jobs; to ask for one that does not exist by its own address is answered 500.
std::vector<Result<JobDetails>> Oar3::details(std::span<const JobOf> asked, Nodes /*nodes*/) {
  std::vector<grid::RemoteJobId> ids;
  for (const auto& job : asked) ids.push_back(job.id);
  std::map<grid::RemoteJobId, JobDetails> found;
  std::optional<Failure> failed;
  for (const auto& chunk : oar3::id_chunks(ids, requests_.limits().url_bytes)) {
    auto page = value("/jobs?job_ids=", read(query_with("/jobs?details=1&" + chunk.query, chunk.count, 0), {}), parse_job_list);
    if (!page) {
      failed = page.error();
      break;
    }
    for (auto& one : page->items) {
      const auto id = one.job.id;
      found.insert_or_assign(id, std::move(one));
    }
  }
  std::vector<Result<JobDetails>> results;
  for (const auto& [user, id] : asked) {
    if (auto wrong = wrong_user(user)) {
      results.emplace_back(refused_here(std::move(*wrong)));
    } else if (const auto one = found.find(id); one != found.end()) {
      results.emplace_back(one->second);
    } else if (failed) {
      results.emplace_back(tl::unexpected(*failed));
    } else {
      results.emplace_back(tl::unexpected(Failure{Refused{kNotFound, fmt::format("there is no job {}", id.value())}}));
    }
  }
  return results;
}

std::vector<Result<Submitted>> Oar3::submit(std::span<const SubmitRequest> requests) {
  std::vector<Result<Submitted>> results;
  for (const auto& request : requests) results.push_back(submit_one(request));
  return results;
}

Result<Submitted> Oar3::submit_one(const SubmitRequest& request) {
  if (auto wrong = oar3::wrong_request(request)) return refused_here(std::move(*wrong));
  if (!request.properties.empty()) {
    const auto wrong = wrong_properties_here(request.properties);
    // Nothing was sent yet: a failure of the read must not look like one of the submission.
    if (!wrong) return tl::unexpected(Failure{NotSent{fmt::format("the properties of its resources: {}", describe(wrong.error()))}});
    if (*wrong) return refused_here(**wrong);
  }
  return submitted(write({Method::post, "/jobs", request.user, oar3::submission_body(request)}), jobs_of(request));
}

Result<std::optional<std::string>> Oar3::wrong_properties_here(std::string_view properties) {
  if (!columns_) {
    if (const auto read = resources({}, {}); !read) return tl::unexpected(read.error());
  }
  if (!columns_) columns_.emplace();
  return oar3::wrong_properties(properties, *columns_);
}

Result<Submitted> Oar3::submitted(const Result<Answer>& answer, std::size_t expected) {
  if (!answer) return tl::unexpected(answer.error());
  if (!is_success(answer->status)) {
    constexpr int kNotImplemented = 501;
    // 501 is its answer to a name that it does not take. A refusal that is not JSON may be that of a web application firewall, after the
    // jobs were made.
    if (is_server_error(*answer) && (answer->status != kNotImplemented || wrong_type(*answer)))
      return tl::unexpected(oar3::failure_of(*answer));
    const auto message = oar3::message_of(answer->body);
    if (const auto wrong = is_before_oar(answer->status) ? std::nullopt : wrong_type(*answer))
      return tl::unexpected(Failure{NoAnswer{.what = fmt::format("POST /jobs: {}: {}", answer->status, *wrong)}});
    if (answer->status == kNotImplemented) return tl::unexpected(Failure{Refused{answer->status, message}});
    return tl::unexpected(read_failure(answer->status, message));
  }
  if (answer->status != kOk && answer->status != kCreated)
    return nonsense("POST /jobs", fmt::format("an answer {} where none belongs", answer->status));
  if (const auto wrong = wrong_type(*answer)) return nonsense("POST /jobs", *wrong);
  const auto first = oar3::parse_first(answer->body);
  if (!first) return nonsense("POST /jobs", first.error());
  if (expected == 1) return Submitted{{*first}, *first};
  // The answer has the first id alone, and other clients' jobs may be among the others.
  const auto list = read(query_with(fmt::format("/jobs?array={}", first->value()), expected + 1, 0), {});
  auto ids = value("/jobs?array=", list, [&](std::string_view body) { return oar3::parse_ids(body, expected); });
  if (!ids) return tl::unexpected(Failure{NoAnswer{fmt::format("the jobs of array {}: {}", first->value(), describe(ids.error()))}});
  return Submitted{std::move(*ids), *first};
}

Result<Removal> Oar3::removed(const Result<Answer>& answer) const {
  if (!answer) return tl::unexpected(answer.error());
  if (!is_success(answer->status)) return tl::unexpected(oar3::failure_of(*answer));
  if (const auto wrong = wrong_type(*answer)) return nonsense("deletion", *wrong);
  const auto action = oar3::parse_action(answer->body);
  if (!action) return nonsense("deletion", action.error());
  switch (action->status) {
    case kDone: return Removal::accepted;
    case kAlready: return Removal::already_over_or_asked;
    case kServerIsSilent:
      return tl::unexpected(
          Failure{ServerError{answer->status, fmt::format("the deletion is noted, and OAR's server does not answer: {}", action->output)}});
    default: return tl::unexpected(Failure{Refused{answer->status, fmt::format("{} (status {})", action->output, action->status)}});
  }
}

/// While its session is broken, the API knows no job, and says so with 200: only a list that is answered shows that it is true.
Result<Removal> Oar3::remove_one(const std::string& user, grid::RemoteJobId id) {
  const auto answer = write({Method::remove, fmt::format("/jobs/{}", id.value()), deleting_as(user, id), {}});
  if (answer && is_success(answer->status)) {
    if (const auto action = oar3::parse_action(answer->body); action && action->status == kUnknownJob) {
      const auto listed = jobs({&id, 1});
      if (!listed) return tl::unexpected(listed.error());
      if (!listed->empty()) return tl::unexpected(Failure{ServerError{answer->status, "its API does not find a job that it lists"}});
    }
  }
  return removed(answer);
}

std::vector<Result<Removal>> Oar3::remove(std::span<const JobOf> asked) {
  std::vector<Result<Removal>> results;
  for (const auto& [user, id] : asked) {
    if (id.value() <= 0 || id.value() > oar3::kLastJob) results.emplace_back(refused_here(fmt::format("OAR 3 has no job {}", id.value())));
    else results.push_back(remove_one(user, id));
  }
  return results;
}

Result<Removal> Oar3::remove_array(std::string_view user, grid::RemoteJobId array) {
  constexpr std::int64_t kMixed = 15;
  if (array.value() <= 0 || array.value() > oar3::kLastJob) return refused_here(fmt::format("OAR 3 has no array {}", array.value()));
  const auto answer = write({Method::remove, fmt::format("/jobs/{}?array=true", array.value()), deleting_as(std::string{user}, array), {}});
  // Some of its jobs were deleted before: the others are now.
  if (answer && is_success(answer->status)) {
    if (const auto action = oar3::parse_action(answer->body); action && action->status == kMixed) return Removal::accepted;
  }
  return removed(answer);
}

/// `signal` is answered 500 and sends nothing. OAR's checkpoint is the signal that the job was submitted with.
std::vector<Result<void>> Oar3::signal(std::span<const SignalOf> asked) {
  std::vector<Result<void>> results;
  for (const auto& [job, number] : asked) {
    const auto answer = write({Method::post, fmt::format("/jobs/{}/checkpoints/new", job.id.value()), job.user, "{}"});
    if (!answer) {
      results.emplace_back(tl::unexpected(answer.error()));
    } else if (!is_success(answer->status)) {
      results.emplace_back(tl::unexpected(oar3::failure_of(*answer)));
    } else if (const auto action = oar3::parse_action(answer->body); !action) {
      results.emplace_back(nonsense("checkpoint", action.error()));
    } else if (action->status != kDone) {
      results.emplace_back(tl::unexpected(Failure{Refused{answer->status, fmt::format("{} (status {})", action->output, action->status)}}));
    } else {
      results.emplace_back();
    }
  }
  return results;
}

Result<std::string> Oar3::version() { return value_of("/version", requests_.get("/version", {}), parse_version); }

Result<double> Oar3::stress() { return value_of("/stress_factor", requests_.get("/stress_factor", {}), parse_stress); }

Result<std::string> Oar3::who_am_i(std::string_view user) {
  if (!user.empty()) {
    if (auto wrong = wrong_identity(user)) return tl::unexpected(no_identity(std::move(*wrong)));
  }
  return value("/whoami", read("/whoami", std::string{user}), parse_identity);
}

Result<std::string> Oar3::check_token(std::string_view user) {
  constexpr std::chrono::milliseconds kPatience{5000};
  if (auto wrong = wrong_identity(user)) return tl::unexpected(no_identity(std::move(*wrong)));
  return value("/check_token", read("/check_token", std::string{user}, kPatience), oar3::parse_checked);
}

Result<Token> Oar3::renewed_token(std::string_view user) {
  if (auto wrong = wrong_identity(user)) return tl::unexpected(no_identity(std::move(*wrong)));
  return value("/get_new_token", read("/get_new_token", std::string{user}), oar3::parse_new_token);
}

}  // namespace gleaner::oar
