#include "lib/oar/client.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <type_traits>
#include <utility>

#include "lib/oar/answers.hpp"
#include "lib/oar/pages.hpp"
#include "lib/oar/parse.hpp"
#include "lib/oar/request_text.hpp"
#include "lib/oar/transport.hpp"

namespace gleaner::oar {
namespace {

/// Parses a GET's JSON.
template <class Parse>
auto value_of(std::string_view path, const Result<Answer>& answer, Parse parse)
    -> Result<typename std::invoke_result_t<Parse, std::string_view>::value_type> {
  if (!answer) {
    return tl::unexpected(answer.error());
  }
  if (answer->status != kOk) {
    return tl::unexpected(read_failure(answer->status, parse_message(answer->body)));
  }
  if (const auto wrong = wrong_type(*answer)) {
    return nonsense(path, *wrong);
  }
  auto parsed = parse(answer->body);
  if (!parsed) {
    return nonsense(path, parsed.error());
  }
  return std::move(*parsed);
}

Result<std::string> content_of(const Result<Answer>& answer) {
  if (!answer) {
    return tl::unexpected(answer.error());
  }
  if (answer->status != kOk) {
    return tl::unexpected(read_failure(answer->status, parse_message(answer->body)));
  }
  return answer->body;
}

/// A missing folder has a meaning for the callers, so only OAR itself may report it.
Result<std::vector<std::string>> names_of(const Result<Answer>& answer) {
  if (answer && answer->status != kOk) {
    if (const auto wrong = wrong_type(*answer)) {
      return nonsense("/media/ls", *wrong);
    }
  }
  return value_of("/media/ls", answer, parse_listing);
}

std::optional<std::string> wrong_file(std::string_view user, std::string_view path) {
  auto wrong = wrong_user(user);
  return wrong ? wrong : wrong_path(path);
}

/// Whether the web server failed, not OAR, whose errors are JSON. Apache does so when the process that it passed the request to was just
/// ending, which OAR's processes do after an error of their own.
bool worth_another_try(const Request& request, const Result<Answer>& answer) {
  constexpr int kServerErrors = 500;
  return request.method == Method::get && answer && answer->status >= kServerErrors && wrong_type(*answer);
}

std::string query_with(const std::string& path, std::size_t limit, std::size_t offset) {
  const char* const separator = path.find('?') == std::string::npos ? "?" : "&";
  return fmt::format("{}{}limit={}&offset={}", path, separator, limit, offset);
}

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

/// In bytes: some 100 000 names. A longer listing is cut there, and is then invalid JSON.
constexpr std::size_t kLongestListing = std::size_t{16} << 20;

std::int64_t number_of(const RemoteJob& job) { return job.id.value(); }
std::int64_t number_of(const ResourceLine& line) { return line.id; }

}  // namespace

class Client::Implementation {
 public:
  Implementation(Access access, Limits limits) : access_{std::move(access)}, limits_{limits}, transport_{access_, limits_} {}

  template <class T, class Parse>
  Result<std::vector<T>> list(const std::string& path, Parse parse) {
    std::map<std::int64_t, T> known;
    Paging paging{static_cast<std::size_t>(std::max(limits_.page, 1))};
    for (auto next = Paging::Next::more; next != Paging::Next::finished;) {
      auto page = value_of(path, get(query_with(path, paging.limit(), paging.offset()), access_.reader), parse);
      if (!page && is_too_long(page.error()) && paging.ask_for_less()) {
        continue;
      }
      if (!page) {
        return tl::unexpected(page.error());
      }
      next = take(paging, std::move(*page), known);
      if (next == Paging::Next::lost) {
        return nonsense(path, "the pages of this list make no sense together");
      }
    }
    return values(std::move(known));
  }

  Result<std::vector<RemoteJob>> job_list(const std::string& query) { return list<RemoteJob>("/jobs/table.json?" + query, parse_jobs); }

  /// As list(), for several lists at once, each within one page.
  Result<std::vector<RemoteJob>> chunked(const std::vector<std::string>& chunks) {
    std::vector<Request> requests;
    for (const auto& chunk : chunks) {
      const auto count = static_cast<std::size_t>(std::ranges::count(chunk, ':')) + 1;
      requests.push_back({Method::get, query_with("/jobs/table.json?ids=" + chunk, count, 0), access_.reader, {}});
    }
    std::map<std::int64_t, RemoteJob> known;
    const auto answers = send(requests);
    for (std::size_t place = 0; place < chunks.size(); ++place) {
      auto jobs = whole_chunk(chunks[place], value_of("/jobs/table.json?ids=", answers[place], parse_jobs));
      if (!jobs) {
        return jobs;
      }
      for (auto& job : *jobs) {
        known.insert_or_assign(job.id.value(), std::move(job));
      }
    }
    return values(std::move(known));
  }

  Result<Answer> get(std::string path, std::string user, std::optional<std::chrono::milliseconds> patience = {}) {
    const Request request{Method::get, std::move(path), std::move(user), {}, patience};
    return std::move(send({&request, 1}).front());
  }

  std::vector<Result<Answer>> send(std::span<const Request> requests) {
    auto answers = transport_.send(requests);
    for (std::size_t place = 0; place < answers.size(); ++place) {
      if (worth_another_try(requests[place], answers[place])) {
        answers[place] = std::move(transport_.send(requests.subspan(place, 1)).front());
      }
    }
    for (const auto& answer : answers) {
      if (answer && answer->clock_ahead) {
        clock_ahead_ = *answer->clock_ahead;
      }
    }
    return answers;
  }

  /// Sends the requests that are valid, and returns the answers in the order of all requests: one that was refused here has its failure at
  /// once.
  template <class T, class Read>
  std::vector<Result<T>> send_some(const std::vector<Result<Request>>& wanted, Read read) {
    std::vector<Request> requests;
    for (const auto& request : wanted) {
      if (request) {
        requests.push_back(*request);
      }
    }
    const auto answers = send(requests);
    std::vector<Result<T>> results;
    for (std::size_t place = 0, sent = 0; place < wanted.size(); ++place) {
      if (wanted[place]) {
        results.push_back(read(place, answers[sent++]));
      } else {
        results.push_back(tl::unexpected(wanted[place].error()));
      }
    }
    return results;
  }

  [[nodiscard]] const Access& access() const { return access_; }
  [[nodiscard]] const Transport& transport() const { return transport_; }
  [[nodiscard]] const Limits& limits() const { return limits_; }
  [[nodiscard]] std::chrono::seconds clock_ahead() const { return clock_ahead_; }

 private:
  /// If a server returns fewer items than requested, or jobs have very long commands, the list is read page by page.
  Result<std::vector<RemoteJob>> whole_chunk(const std::string& ids, Result<Page<RemoteJob>> page) {
    const bool is_part = page ? page->total.value_or(0) > page->items.size() : is_too_long(page.error());
    if (is_part) {
      return job_list("ids=" + ids);
    }
    if (!page) {
      return tl::unexpected(page.error());
    }
    return std::move(page->items);
  }

  template <class T>
  static Paging::Next take(Paging& paging, Page<T> page, std::map<std::int64_t, T>& known) {
    std::vector<std::int64_t> ids;
    for (auto& item : page.items) {
      ids.push_back(number_of(item));
      known.insert_or_assign(ids.back(), std::move(item));
    }
    return paging.take(ids, page.total);
  }

  template <class T>
  static std::vector<T> values(std::map<std::int64_t, T> known) {
    std::vector<T> all;
    all.reserve(known.size());
    for (auto& [id, item] : known) {
      all.push_back(std::move(item));
    }
    return all;
  }

  Access access_;
  Limits limits_;
  Transport transport_;
  std::chrono::seconds clock_ahead_{0};
};

Client::Client(Access access, Limits limits) : implementation_{std::make_unique<Implementation>(std::move(access), limits)} {}
Client::~Client() = default;
Client::Client(Client&&) noexcept = default;
Client& Client::operator=(Client&&) noexcept = default;

Result<Resources> Client::resources() {
  auto lines = implementation_->list<ResourceLine>("/resources.json", parse_resources);
  if (!lines) {
    return tl::unexpected(lines.error());
  }
  return count_resources(*lines,
                         std::chrono::floor<grid::Instant::duration>(std::chrono::system_clock::now()) + implementation_->clock_ahead());
}

Result<int> Client::matching(std::string_view user, std::string_view properties, Effort effort) {
  if (auto wrong = wrong_user(user)) {
    return refused_here(std::move(*wrong));
  }
  if (auto wrong = wrong_properties(properties)) {
    return refused_here(std::move(*wrong));
  }
  const auto now = std::chrono::floor<grid::Instant::duration>(std::chrono::system_clock::now()) + implementation_->clock_ahead();
  const auto path = matching_path(properties, effort, now);
  if (path.size() > implementation_->limits().url_bytes) {
    return refused_here(fmt::format("the properties are too long to be asked for: {} bytes", properties.size()));
  }
  const auto total = value_of("/select_all", implementation_->get(path, std::string{user}), parse_total);
  if (!total) {
    return tl::unexpected(total.error());
  }
  // Minus the one that `matching_path` adds.
  return static_cast<int>(std::clamp<std::int64_t>(*total - 1, 0, std::numeric_limits<int>::max()));
}

Result<std::vector<RemoteJob>> Client::occupying() { return implementation_->job_list("state=" + states_query(holds_resources)); }

Result<Occupation> Client::occupation() {
  auto jobs = occupying();
  if (!jobs) {
    return tl::unexpected(jobs.error());
  }
  Occupation occupation{std::move(*jobs), {}, {}};
  // After the list, not in parallel: Apache's FastCGI may let the second of two requests wait a second for a process.
  const auto answer = implementation_->get("/stress_factor.json", implementation_->access().reader, kStressPatience);
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

Result<std::vector<RemoteJob>> Client::jobs(std::span<const grid::RemoteJobId> ids) {
  return implementation_->chunked(id_chunks(ids, implementation_->limits().url_bytes));
}

/// OAR's `from=` alone is not enough: among jobs that have started and not ended, it lists only running and suspended ones, so that one in
/// launch or finishing may be missing. Therefore the unfinished jobs are read first, without `from`, then those that have ended since. In
/// this order, a job that ends between the two requests is in both; in the other order, it would be in none.
Result<std::vector<RemoteJob>> Client::jobs_since(std::string_view user, grid::Instant since) {
  if (auto wrong = wrong_user(user)) {
    return refused_here(std::move(*wrong));
  }
  constexpr grid::Seconds kMargin{60};
  auto unfinished =
      implementation_->job_list(fmt::format("user={}&state={}", user, states_query([](RemoteState state) { return !is_over(state); })));
  if (!unfinished) {
    return unfinished;
  }
  const auto from = std::max<std::int64_t>(grid::to_unix(since + implementation_->clock_ahead() - kMargin), 1);
  auto all = implementation_->job_list(fmt::format("user={}&from={}", user, from));
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

std::vector<Result<JobDetails>> Client::details(std::span<const JobOf> asked) {
  std::vector<Result<Request>> wanted;
  for (const auto& [user, id] : asked) {
    if (auto wrong = wrong_user(user)) {
      wanted.push_back(refused_here(std::move(*wrong)));
    } else {
      wanted.push_back(Request{Method::get, fmt::format("/jobs/{}.json", id.value()), user, {}});
    }
  }
  return implementation_->send_some<JobDetails>(wanted, [&](std::size_t place, const Result<Answer>& answer) -> Result<JobDetails> {
    auto details = value_of("/jobs/ID.json", answer, parse_job);
    if (details && details->job.id != asked[place].id) {
      return nonsense("/jobs/ID.json",
                      fmt::format("job {} was asked for, and {} answered", asked[place].id.value(), details->job.id.value()));
    }
    return details;
  });
}

std::vector<Result<Submitted>> Client::submit(std::span<const SubmitRequest> requests) {
  std::vector<Result<Request>> wanted;
  for (const auto& request : requests) {
    if (auto wrong = wrong_request(request)) {
      wanted.push_back(refused_here(std::move(*wrong)));
    } else {
      wanted.push_back(Request{Method::post, "/jobs.json", request.user, submission_body(request)});
    }
  }
  return implementation_->send_some<Submitted>(
      wanted, [&](std::size_t place, const Result<Answer>& answer) { return submitted_of(answer, jobs_of(requests[place])); });
}

std::vector<Result<Removal>> Client::remove(std::span<const JobOf> asked) {
  std::vector<Result<Request>> wanted;
  for (const auto& [user, id] : asked) {
    if (auto wrong = wrong_user(user)) {
      wanted.push_back(refused_here(std::move(*wrong)));
    } else {
      wanted.push_back(Request{Method::remove, fmt::format("/jobs/{}.json", id.value()), user, {}});
    }
  }
  return implementation_->send_some<Removal>(wanted,
                                             [](std::size_t /*place*/, const Result<Answer>& answer) { return removal_of(answer); });
}

Result<Removal> Client::remove_array(std::string_view user, grid::RemoteJobId array) {
  if (auto wrong = wrong_user(user)) {
    return refused_here(std::move(*wrong));
  }
  const Request request{Method::post, fmt::format("/jobs/array/{}/deletions/new.json", array.value()), std::string{user}, "{}"};
  return removal_of(implementation_->send({&request, 1}).front());
}

Result<std::string> Client::read_file(std::string_view user, std::string_view path, const FilePart& part) {
  const PathOf file{std::string{user}, std::string{path}};
  return std::move(read_files({&file, 1}, part).front());
}

std::vector<Result<std::string>> Client::read_files(std::span<const PathOf> asked, const FilePart& part) {
  std::vector<Result<Request>> wanted;
  for (const auto& [user, path] : asked) {
    if (auto wrong = wrong_file(user, path)) {
      wanted.push_back(refused_here(std::move(*wrong)));
    } else {
      const auto target = media_path(path) + (part.last_lines ? fmt::format("?tail={}", *part.last_lines) : "");
      wanted.push_back(Request{Method::get, target, user, {}, part.patience, part.most_bytes});
    }
  }
  return implementation_->send_some<std::string>(wanted,
                                                 [](std::size_t /*place*/, const Result<Answer>& answer) { return content_of(answer); });
}

Result<std::vector<std::string>> Client::list_folder(std::string_view user, std::string_view path) {
  const PathOf folder{std::string{user}, std::string{path}};
  return std::move(list_folders({&folder, 1}).front());
}

std::vector<Result<std::vector<std::string>>> Client::list_folders(std::span<const PathOf> asked) {
  std::vector<Result<Request>> wanted;
  for (const auto& [user, path] : asked) {
    if (auto wrong = wrong_file(user, path)) {
      wanted.push_back(refused_here(std::move(*wrong)));
    } else {
      wanted.push_back(Request{Method::get, listing_path(path), user, {}, {}, kLongestListing});
    }
  }
  return implementation_->send_some<std::vector<std::string>>(
      wanted, [](std::size_t /*place*/, const Result<Answer>& answer) { return names_of(answer); });
}

Result<void> Client::delete_path(std::string_view user, std::string_view path) {
  const PathOf one{std::string{user}, std::string{path}};
  return std::move(delete_paths({&one, 1}).front());
}

std::vector<Result<void>> Client::delete_paths(std::span<const PathOf> asked) {
  std::vector<Result<Request>> wanted;
  for (const auto& [user, path] : asked) {
    if (auto wrong = wrong_file(user, path)) {
      wanted.push_back(refused_here(std::move(*wrong)));
    } else {
      wanted.push_back(Request{Method::remove, media_path(path), user, {}});
    }
  }
  return implementation_->send_some<void>(wanted, [](std::size_t /*place*/, const Result<Answer>& answer) -> Result<void> {
    if (!answer) return tl::unexpected(answer.error());
    if (!is_success(answer->status)) return tl::unexpected(read_failure(answer->status, parse_message(answer->body)));
    return {};
  });
}

Result<std::string> Client::version() {
  return value_of("/version.json", implementation_->get("/version.json", implementation_->access().reader), parse_version);
}

Result<double> Client::stress() {
  return value_of("/stress_factor.json", implementation_->get("/stress_factor.json", implementation_->access().reader), parse_stress);
}

Result<std::string> Client::who_am_i(std::string_view user) {
  return value_of("/whoami.json", implementation_->get("/whoami.json", std::string{user}), parse_identity);
}

std::chrono::milliseconds Client::last_latency() const { return implementation_->transport().last_latency(); }
std::chrono::milliseconds Client::slowest_latency() const { return implementation_->transport().slowest_latency(); }
std::size_t Client::requests() const { return implementation_->transport().requests(); }
const Access& Client::access() const { return implementation_->access(); }

}  // namespace gleaner::oar
