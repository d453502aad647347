#include <algorithm>
#include <sstream>

#include <fmt/format.h>

#include "lib/text/numbers.hpp"
#include "sim/minioar/api.hpp"
#include "sim/minioar/job_json.hpp"
#include "sim/minioar/pages.hpp"

namespace gleaner::minioar {

namespace {

std::vector<std::string> split(const std::string& text, char mark) {
  std::vector<std::string> parts;
  std::istringstream stream{text};
  for (std::string part; std::getline(stream, part, mark);) parts.push_back(part);
  return parts;
}

/// The jobs that a list requests, as OAR interprets the query.
class JobFilter {
 public:
  explicit JobFilter(const Call& call) : user_{call.parameter("user").value_or("")}, from_{call.number("from")}, to_{call.number("to")} {
    if (const auto states = call.parameter("state")) states_ = split(*states, ',');
    if (const auto array = call.parameter("array"); array && !array->empty()) array_ = call.number("array").value_or(0);
    if (const auto ids = call.parameter("ids")) read_ids(*ids);
    unfinished_only_ =
        !call.parameter("from") && !call.parameter("to") && !call.parameter("state") && !call.parameter("array") && !call.parameter("ids");
  }

  /// The jobs, by id.
  [[nodiscard]] std::vector<const Job*> select(Ledger& ledger) const {
    std::vector<const Job*> found;
    const auto consider = [&](const Job* job) {
      if (job != nullptr && matches(*job)) found.push_back(job);
    };
    if (array_) {
      for (const auto id : ledger.array(*array_)) consider(ledger.find(id));
    } else if (ids_) {
      for (const auto id : *ids_) consider(ledger.find(id));
    } else if (unfinished_only_ || only_unfinished_states()) {
      for (const auto id : ledger.unfinished()) consider(ledger.find(id));
    } else {
      for (const auto& job : ledger.jobs()) consider(&job);
    }
    std::sort(found.begin(), found.end(), [](const Job* a, const Job* b) { return a->id < b->id; });
    return found;
  }

 private:
  void read_ids(const std::string& text) {
    std::vector<JobNumber> ids;
    for (const auto& part : split(text, ':')) {
      std::string_view number{part};
      ids.push_back(text::take_whole_number<JobNumber>(number).value_or(0));
    }
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    if (!ids.empty()) ids_ = std::move(ids);
  }
  [[nodiscard]] bool only_unfinished_states() const {
    return !states_.empty() &&
           std::none_of(states_.begin(), states_.end(), [](const auto& name) { return name == "Terminated" || name == "Error"; });
  }
  [[nodiscard]] bool matches(const Job& job) const {
    if (!user_.empty() && job.submission->user != user_) return false;
    if (array_ && job.array_id != *array_) return false;
    if (ids_ && !std::binary_search(ids_->begin(), ids_->end(), job.id)) return false;
    if (!states_.empty() && std::find(states_.begin(), states_.end(), name_of(job.state)) == states_.end()) return false;
    return existed(job);
  }
  /// OAR's three ways to be in an interval: with resources, planned, or never started.
  [[nodiscard]] bool existed(const Job& job) const {
    const auto from = from_.value_or(0);
    const auto to = to_.value_or(0);
    if (job.moldable) {
      const bool goes_on = job.stop_time == 0 && (job.state == JobState::suspended || job.start_time + job.walltime().value_or(0) >= from);
      if ((from == 0 || job.stop_time >= from || goes_on) && (to == 0 || job.start_time < to)) return true;
    }
    if (const auto start = job.planned_start(); start && !over(job.state) && !job.submission->moldables.empty()) {
      const auto walltime = job.submission->moldables.front().walltime;
      if ((from == 0 || *start + walltime >= from) && (to == 0 || *start < to)) return true;
    }
    return job.shown_start() == 0 && (from == 0 || from <= job.submission->submission_time) &&
           (to == 0 || job.submission->submission_time <= to);
  }

  std::string user_;
  std::optional<std::int64_t> from_;
  std::optional<std::int64_t> to_;
  std::vector<std::string> states_;
  std::optional<JobNumber> array_;
  std::optional<std::vector<JobNumber>> ids_;
  bool unfinished_only_ = false;
};

}  // namespace

http::Response Api::list_jobs(const Call& call, std::string_view kind) {
  const JobFilter filter{call};
  Page page;
  page.limit = call.parameter("limit") ? std::max<std::int64_t>(call.number("limit").value_or(0), 0) : kPageLimit;
  page.offset = std::max<std::int64_t>(call.number("offset").value_or(0), 0);
  const bool by_id = call.parameter("structure") == "oar";
  page.items = engine_.read([&](Ledger& ledger) {
    const auto jobs = filter.select(ledger);
    page.total = static_cast<std::int64_t>(jobs.size());
    const auto begin = std::min(page.offset, page.total);
    const auto end = page.limit == 0 ? page.total : std::min(begin + page.limit, page.total);
    text::JsonWriter json;
    by_id ? json.begin_object() : json.begin_array();
    for (auto i = begin; i < end; ++i) {
      const auto& job = *jobs[static_cast<std::size_t>(i)];
      if (by_id) json.key(std::to_string(job.id));
      if (kind == "table") {
        write_table_job(json, call, job);
      } else if (kind == "details") {
        write_full_job(json, call, ledger, job, Detail::in_list);
      } else {
        write_listed_job(json, call, job);
      }
    }
    by_id ? json.end_object() : json.end_array();
    return json.text();
  });
  return json_answer(200, page_json(call, page), kind.empty() ? "GET, POST" : "GET");
}

http::Response Api::show_job(const Call& call, JobNumber id, Detail detail) {
  if (call.user.empty()) return no_identity("looking at jobs");
  const auto json = engine_.read([&](Ledger& ledger) -> std::optional<std::string> {
    const auto* job = ledger.find(id);
    if (job == nullptr) return std::nullopt;
    text::JsonWriter text;
    write_full_job(text, call, ledger, *job, detail);
    return text.text();
  });
  if (!json) return error_answer({404, "Job not found", "Job not found"});
  return json_answer(200, *json, "GET, POST, PUT, DELETE");
}

http::Response Api::show_job_items(const Call& call, JobNumber id, std::string_view kind) {
  Page page;
  engine_.read([&](Ledger& ledger) {
    const auto* job = ledger.find(id);
    if (job == nullptr) return;
    auto items = kind == "nodes" ? job_nodes(call, ledger, *job) : job_resources(call, ledger, *job);
    page.total = items.count;
    page.items = std::move(items.json);
  });
  return json_answer(200, page_json(call, page), "GET");
}

}  // namespace gleaner::minioar
