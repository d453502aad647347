// OAR 2.5 and 2.6.
#include "lib/oar/dialects/oar2.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "lib/grid/clock.hpp"

namespace gleaner::oar {
namespace {

constexpr int kNotImplemented = 501;

std::string states_query(bool (*wanted)(RemoteState)) {
  std::string states;
  for (int number = 0; number < static_cast<int>(RemoteState::unknown); ++number) {
    const auto state = static_cast<RemoteState>(number);
    if (wanted(state)) {
      states += (states.empty() ? "" : ",") + std::string{name_of(state)};
    }
  }
  return states;
}

/// Whether the cluster answered, but gave no such list.
bool has_none(const Failure& failure) {
  const auto* none = std::get_if<NoAnswer>(&failure);
  return none == nullptr ? !std::holds_alternative<NotSent>(failure) : none->invalid;
}

}  // namespace

Result<std::vector<RemoteJob>> Oar2::job_list(const std::string& query) {
  return requests_.list<RemoteJob>("/jobs/table.json?" + query, parse_jobs);
}

/// As list(), for several lists at once, each within one page.
Result<std::vector<RemoteJob>> Oar2::chunked(const std::vector<std::string>& chunks) {
  std::vector<Request> requests;
  for (const auto& chunk : chunks) {
    const auto count = static_cast<std::size_t>(std::ranges::count(chunk, ':')) + 1;
    requests.push_back({Method::get, query_with("/jobs/table.json?ids=" + chunk, count, 0), requests_.access().reader, {}});
  }
  std::map<std::int64_t, RemoteJob> known;
  const auto answers = requests_.send(requests);
  for (std::size_t place = 0; place < chunks.size(); ++place) {
    auto jobs = whole_chunk(chunks[place], value_of("/jobs/table.json?ids=", answers[place], parse_jobs));
    if (!jobs) {
      return jobs;
    }
    for (auto& job : *jobs) {
      known.insert_or_assign(job.id.value(), std::move(job));
    }
  }
  return Requests::values(std::move(known));
}

/// If a server returns fewer items than requested, or jobs have very long commands, the list is read page by page.
Result<std::vector<RemoteJob>> Oar2::whole_chunk(const std::string& ids, Result<Page<RemoteJob>> page) {
  const bool is_part = page ? page->total.value_or(0) > page->items.size() : is_too_long(page.error());
  if (is_part) {
    return job_list("ids=" + ids);
  }
  if (!page) {
    return tl::unexpected(page.error());
  }
  return std::move(page->items);
}

Result<Resources> Oar2::resources(const std::string& load_property, const std::string& memory_property) {
  // Only the longer list has the properties, and the resources' types.
  const auto read = [&](std::string_view body) { return parse_resources(body, load_property, memory_property); };
  auto lines = requests_.list<ResourceLine>("/resources/details.json", read);
  if (!lines && load_property.empty() && has_none(lines.error())) return brief_resources();
  if (!lines) {
    return tl::unexpected(lines.error());
  }
  return count_resources(*lines, grid::now() + requests_.clock_ahead());
}

Result<Resources> Oar2::brief_resources() {
  const auto lines = requests_.list<ResourceLine>("/resources.json", [](std::string_view body) { return parse_resources(body, {}, {}); });
  if (!lines) {
    return tl::unexpected(lines.error());
  }
  return count_resources(*lines, grid::now() + requests_.clock_ahead());
}

Result<std::map<std::string, int>> Oar2::held_by_node(std::string_view user) {
  if (auto wrong = wrong_user(user)) {
    return refused_here(std::move(*wrong));
  }
  return value_of("/select_all", requests_.get(held_path(), std::string{user}), parse_held);
}

Result<std::vector<NodeHold>> Oar2::free_by_node(std::string_view user) {
  if (auto wrong = wrong_user(user)) {
    return refused_here(std::move(*wrong));
  }
  const auto now = grid::now() + requests_.clock_ahead();
  return value_of("/select_all", requests_.get(free_path(now), std::string{user}), parse_free);
}

Result<int> Oar2::matching(std::string_view user, std::string_view properties, Effort effort) {
  if (auto wrong = wrong_user(user)) {
    return refused_here(std::move(*wrong));
  }
  if (auto wrong = wrong_properties(properties)) {
    return refused_here(std::move(*wrong));
  }
  const auto now = grid::now() + requests_.clock_ahead();
  const auto path = matching_path(properties, effort, now);
  if (path.size() > requests_.limits().url_bytes) {
    return refused_here(fmt::format("the properties are too long to be asked for: {} bytes", properties.size()));
  }
  const auto total = value_of("/select_all", requests_.get(path, std::string{user}), parse_total);
  if (!total) {
    return tl::unexpected(total.error());
  }
  // Minus the one that `matching_path` adds.
  return static_cast<int>(std::clamp<std::int64_t>(*total - 1, 0, std::numeric_limits<int>::max()));
}

Result<std::vector<RemoteJob>> Oar2::occupying() { return job_list("state=" + states_query(holds_resources)); }

Result<Occupation> Oar2::occupation() {
  auto jobs = occupying();
  if (!jobs) {
    return tl::unexpected(jobs.error());
  }
  Occupation occupation{std::move(*jobs), {}, {}};
  // After the list, not in parallel: Apache's FastCGI may let the second of two requests wait a second for a process.
  const auto answer = requests_.get("/stress_factor.json", requests_.access().reader, kStressPatience);
  if (answer) {
    occupation.response = answer->latency;
  } else if (std::holds_alternative<NoAnswer>(answer.error())) {
    occupation.response = kStressPatience;
  }
  if (const auto stress = value_of("/stress_factor.json", answer, parse_stress); stress && std::isfinite(*stress)) {
    occupation.stress = *stress;
  }
  return occupation;
}

/// With `from=`, OAR lists of the waiting jobs those that its schedule has: the reservations, and some that come soon.
Result<std::vector<grid::AdvanceReservation>> Oar2::reservations() {
  const auto now = grid::now() + requests_.clock_ahead();
  const auto jobs = job_list(fmt::format("state={}&from={}", name_of(RemoteState::waiting), grid::to_unix(now)));
  if (!jobs) {
    return tl::unexpected(jobs.error());
  }
  return reservations_of(*jobs, requests_.clock_ahead());
}

Result<std::vector<RemoteJob>> Oar2::jobs(std::span<const grid::RemoteJobId> ids) {
  return chunked(id_chunks(ids, requests_.limits().url_bytes));
}

/// OAR's `from=` alone is not enough: among jobs that have started and not ended, it lists only running and suspended ones, so that one in
/// launch or finishing may be missing. Therefore the unfinished jobs are read first, without `from`, then those that have ended since. In
/// this order, a job that ends between the two requests is in both; in the other order, it would be in none.
Result<std::vector<RemoteJob>> Oar2::jobs_since(std::string_view user, grid::Instant since) {
  if (auto wrong = wrong_user(user)) {
    return refused_here(std::move(*wrong));
  }
  constexpr grid::Seconds kMargin{60};
  auto unfinished = job_list(fmt::format("user={}&state={}", user, states_query([](RemoteState state) { return !is_over(state); })));
  if (!unfinished) {
    return unfinished;
  }
  const auto from = std::max<std::int64_t>(grid::to_unix(since + requests_.clock_ahead() - kMargin), 1);
  auto all = job_list(fmt::format("user={}&from={}", user, from));
  if (!all) {
    return all;
  }
  std::map<grid::RemoteJobId, RemoteJob> known;
  for (auto* list : {&*unfinished, &*all}) {
    for (auto& job : *list) {
      known.insert_or_assign(job.id, std::move(job));
    }
  }
  std::vector<RemoteJob> found;
  for (auto& [id, job] : known) {
    found.push_back(std::move(job));
  }
  return found;
}

std::vector<Result<JobDetails>> Oar2::details(std::span<const JobOf> asked, Nodes nodes) {
  const std::string_view more = nodes == Nodes::named ? "/details" : "";
  std::vector<Result<Request>> wanted;
  for (const auto& [user, id] : asked) {
    if (auto wrong = wrong_user(user)) {
      wanted.emplace_back(refused_here(std::move(*wrong)));
    } else {
      wanted.emplace_back(Request{Method::get, fmt::format("/jobs/{}{}.json", id.value(), more), user, {}});
    }
  }
  return requests_.send_some<JobDetails>(wanted, [&](std::size_t place, const Result<Answer>& answer) -> Result<JobDetails> {
    auto details = value_of("/jobs/ID.json", answer, parse_job);
    if (details && details->job.id != asked[place].id) {
      return nonsense("/jobs/ID.json",
                      fmt::format("job {} was asked for, and {} answered", asked[place].id.value(), details->job.id.value()));
    }
    return details;
  });
}

std::vector<Result<Submitted>> Oar2::submit(std::span<const SubmitRequest> requests) {
  std::vector<Result<Request>> wanted;
  for (const auto& request : requests) {
    if (auto wrong = wrong_request(request)) {
      wanted.emplace_back(refused_here(std::move(*wrong)));
    } else {
      wanted.emplace_back(Request{Method::post, "/jobs.json", request.user, submission_body(request)});
    }
  }
  return requests_.send_some<Submitted>(
      wanted, [&](std::size_t place, const Result<Answer>& answer) { return submitted_of(answer, jobs_of(requests[place])); });
}

std::vector<Result<Removal>> Oar2::remove(std::span<const JobOf> asked) {
  std::vector<Result<Request>> wanted;
  for (const auto& [user, id] : asked) {
    if (auto wrong = wrong_user(user)) {
      wanted.emplace_back(refused_here(std::move(*wrong)));
    } else {
      wanted.emplace_back(Request{Method::remove, fmt::format("/jobs/{}.json", id.value()), user, {}});
    }
  }
  return requests_.send_some<Removal>(wanted, [](std::size_t /*place*/, const Result<Answer>& answer) { return removal_of(answer); });
}

std::vector<Result<void>> Oar2::signal(std::span<const SignalOf> asked) {
  std::vector<Result<Request>> wanted;
  for (const auto& [job, number] : asked) {
    if (auto wrong = wrong_user(job.user)) {
      wanted.emplace_back(refused_here(std::move(*wrong)));
    } else {
      wanted.emplace_back(Request{Method::post, fmt::format("/jobs/{}/signals/{}.json", job.id.value(), number), job.user, "{}"});
    }
  }
  return requests_.send_some<void>(wanted, [](std::size_t /*place*/, const Result<Answer>& answer) { return signalled_of(answer); });
}

Result<Removal> Oar2::remove_array(std::string_view user, grid::RemoteJobId array) {
  if (auto wrong = wrong_user(user)) {
    return refused_here(std::move(*wrong));
  }
  const Request request{Method::post, fmt::format("/jobs/array/{}/deletions/new.json", array.value()), std::string{user}, "{}"};
  return removal_of(requests_.send({&request, 1}).front());
}

Result<std::string> Oar2::version() {
  return value_of("/version.json", requests_.get("/version.json", requests_.access().reader), parse_version);
}

Result<double> Oar2::stress() {
  return value_of("/stress_factor.json", requests_.get("/stress_factor.json", requests_.access().reader), parse_stress);
}

Result<std::string> Oar2::who_am_i(std::string_view user) {
  return value_of("/whoami.json", requests_.get("/whoami.json", std::string{user}), parse_identity);
}

Result<std::string> Oar2::check_token(std::string_view /*user*/) {
  return tl::unexpected(Failure{ServerError{kNotImplemented, "the API of OAR 2 knows no tokens"}});
}
Result<Token> Oar2::renewed_token(std::string_view /*user*/) {
  return tl::unexpected(Failure{ServerError{kNotImplemented, "the API of OAR 2 knows no tokens"}});
}

}  // namespace gleaner::oar
