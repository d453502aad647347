#include "tests/db/stored_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <pqxx/pqxx>
#include <stdexcept>
#include <utility>

namespace gleaner::tests {
namespace {

/// The columns of a row, one after the other.
class Columns {
 public:
  explicit Columns(const pqxx::row& row) : row_{row} {}
  std::string text() {
    const auto field = next();
    return field.is_null() ? "" : field.as<std::string>();
  }
  std::int64_t number() { return next().as<std::int64_t>(); }
  int count() { return next().as<int>(); }
  double seconds() { return next().as<double>(); }
  bool truth() { return next().as<bool>(); }
  std::optional<std::int64_t> any_number() { return optional<std::int64_t>(); }
  std::optional<int> any_count() { return optional<int>(); }

 private:
  pqxx::field next() { return row_[place_++]; }
  template <class T>
  std::optional<T> optional() {
    const auto field = next();
    return field.is_null() ? std::nullopt : std::optional{field.as<T>()};
  }
  const pqxx::row& row_;
  pqxx::row::size_type place_ = 0;
};

// For each kind of row, its columns in the order of its members.

struct Tasks {
  static constexpr const char* kSelect =
      "SELECT campaign_id, number, state, attempt, charged, uncounted, replica, replica_lives, cancelling FROM tasks "
      "ORDER BY campaign_id, number";
  static StoredTask row(Columns c) {
    return {.campaign = grid::CampaignId{c.number()},
            .number = c.number(),
            .state = c.text(),
            .attempt = c.count(),
            .charged = c.count(),
            .uncounted = c.count(),
            .replica = c.any_count(),
            .replica_lives = c.truth(),
            .cancelling = c.truth()};
  }
};

struct Jobs {
  static constexpr const char* kSelect =
      "SELECT id, launch_id, cluster_id, task, attempt, state, ending, message, remote_id, coalesce(fence, launch_id), resubmissions, "
      "exit_status, pooled, absent_since IS NOT NULL, over_since IS NOT NULL, sink IS NOT NULL FROM jobs ORDER BY id";
  static StoredJob row(Columns c) {
    return {.id = grid::JobId{c.number()},
            .launch = grid::LaunchId{c.number()},
            .cluster = grid::ClusterId{c.number()},
            .task = c.number(),
            .attempt = c.count(),
            .state = c.text(),
            .ending = c.text(),
            .message = c.text(),
            .remote = c.any_number(),
            .fence = c.number(),
            .resubmissions = c.count(),
            .exit_status = c.any_count(),
            .pooled = c.truth(),
            .absent = c.truth(),
            .over = c.truth(),
            .in_sink = c.truth()};
  }
};

struct Campaigns {
  static constexpr const char* kSelect = "SELECT id, name, user_name, state, total, next_task, skipped FROM campaigns ORDER BY id";
  static StoredCampaign row(Columns c) {
    return {.id = grid::CampaignId{c.number()},
            .name = c.text(),
            .user = c.text(),
            .state = c.text(),
            .total = c.number(),
            .next_task = c.number(),
            .skipped = c.number()};
  }
};

struct Pairs {
  static constexpr const char* kSelect =
      "SELECT campaign_id, cluster_id, active, suspected, failures_in_a_row, failed_since_done, done, concluded, duration_sum "
      "FROM campaign_clusters ORDER BY campaign_id, cluster_id";
  static StoredPair row(Columns c) {
    return {.campaign = grid::CampaignId{c.number()},
            .cluster = grid::ClusterId{c.number()},
            .active = c.truth(),
            .suspected = c.truth(),
            .failures_in_a_row = c.count(),
            .failed_since_done = c.count(),
            .done = c.number(),
            .concluded = c.number(),
            .duration_sum = c.seconds()};
  }
};

struct Launches {
  static constexpr const char* kSelect =
      "SELECT id, state, jobs, looks, tag, pool_s, files, released_at IS NOT NULL FROM launches ORDER BY id";
  static StoredLaunch row(Columns c) {
    return {.id = grid::LaunchId{c.number()},
            .state = c.text(),
            .jobs = c.count(),
            .looks = c.count(),
            .tag = c.text(),
            .pool_s = c.any_count(),
            .files = c.any_count(),
            .released = c.truth()};
  }
};

struct Returned {
  static constexpr const char* kSelect = "SELECT number, cluster_id, fence, request FROM returned_tasks ORDER BY campaign_id, number";
  static ReturnedTask row(Columns c) {
    return {.number = c.number(), .cluster = c.any_number(), .fence = c.any_number(), .request = c.any_number()};
  }
};

struct Events {
  static constexpr const char* kSelect =
      "SELECT id, code, state, message, output, occurrences, campaign_id, cluster_id FROM events ORDER BY id";
  static StoredEvent row(Columns c) {
    return {.id = c.number(),
            .code = c.text(),
            .state = c.text(),
            .message = c.text(),
            .output = c.text(),
            .occurrences = c.number(),
            .campaign = c.any_number(),
            .cluster = c.any_number()};
  }
};

struct Brakes {
  static constexpr const char* kSelect = "SELECT reason, set_by FROM brakes ORDER BY id";
  static StoredBrake row(Columns c) { return {.reason = c.text(), .set_by = c.text()}; }
};

struct Kills {
  static constexpr const char* kSelect = "SELECT job_id, reason FROM kill_requests ORDER BY job_id";
  static KillRequest row(Columns c) { return {.job = c.number(), .reason = c.text()}; }
};

template <class Row>
Row only(const std::vector<Row>& rows, std::string_view kind) {
  if (rows.size() != 1) throw std::logic_error{fmt::format("there are {} {}, and the test reads the only one", rows.size(), kind)};
  return rows.front();
}

template <class Row, class Keeps>
std::vector<Row> those(std::vector<Row> rows, Keeps keeps) {
  std::erase_if(rows, [&](const Row& row) { return !keeps(row); });
  return rows;
}

}  // namespace

struct StoredRows::Connection {
  pqxx::connection to;
};

StoredRows::StoredRows(const std::string& conninfo) : conninfo_{conninfo} {}
StoredRows::~StoredRows() = default;

template <class Kind>
auto StoredRows::read() const {
  if (!connection_) connection_.reset(new Connection{.to = pqxx::connection{conninfo_}});
  pqxx::nontransaction work{connection_->to};
  std::vector<decltype(Kind::row(std::declval<Columns>()))> rows;
  for (const auto& row : work.exec(Kind::kSelect)) rows.push_back(Kind::row(Columns{row}));
  return rows;
}

std::vector<StoredTask> StoredRows::tasks() const { return read<Tasks>(); }
StoredTask StoredRows::task() const { return only(tasks(), "tasks"); }
StoredTask StoredRows::task(std::int64_t number) const {
  return only(those(tasks(), [&](const auto& task) { return task.number == number; }), fmt::format("tasks with the number {}", number));
}
std::vector<Fate> StoredRows::fates() const {
  std::vector<Fate> fates;
  for (const auto& task : tasks()) fates.push_back(task.fate());
  return fates;
}
std::int64_t StoredRows::tasks_in(std::string_view state) const { return std::ranges::count(tasks(), state, &StoredTask::state); }
std::vector<StoredJob> StoredRows::jobs() const { return read<Jobs>(); }
StoredJob StoredRows::job() const { return only(jobs(), "jobs"); }
StoredJob StoredRows::job(grid::JobId id) const {
  return only(those(jobs(), [&](const auto& job) { return job.id == id; }), fmt::format("jobs with the id {}", id.value()));
}
StoredJob StoredRows::job_of(std::int64_t task) const {
  return only(those(jobs(), [&](const auto& job) { return job.task == task; }), fmt::format("jobs of task {}", task));
}
std::int64_t StoredRows::ended(std::string_view ending) const { return std::ranges::count(jobs(), ending, &StoredJob::ending); }
std::vector<StoredCampaign> StoredRows::campaigns() const { return read<Campaigns>(); }
StoredCampaign StoredRows::campaign() const { return only(campaigns(), "campaigns"); }
StoredCampaign StoredRows::campaign(grid::CampaignId id) const {
  return only(those(campaigns(), [&](const auto& one) { return one.id == id; }), fmt::format("campaigns with the id {}", id.value()));
}
std::vector<StoredPair> StoredRows::pairs() const { return read<Pairs>(); }
StoredPair StoredRows::pair(grid::CampaignId campaign, grid::ClusterId cluster) const {
  return only(those(pairs(), [&](const auto& pair) { return pair.campaign == campaign && pair.cluster == cluster; }),
              fmt::format("pairs of campaign {} and cluster {}", campaign.value(), cluster.value()));
}
std::vector<StoredLaunch> StoredRows::launches() const { return read<Launches>(); }
StoredLaunch StoredRows::launch() const { return only(launches(), "launches"); }
std::vector<ReturnedTask> StoredRows::returned_tasks() const { return read<Returned>(); }
ReturnedTask StoredRows::returned_task() const { return only(returned_tasks(), "returned tasks"); }
std::vector<std::int64_t> StoredRows::returned_numbers() const {
  std::vector<std::int64_t> numbers;
  for (const auto& task : returned_tasks()) numbers.push_back(task.number);
  return numbers;
}
std::vector<StoredEvent> StoredRows::events() const { return read<Events>(); }
std::vector<StoredEvent> StoredRows::events(std::string_view code) const {
  return those(events(), [&](const auto& event) { return event.code == code; });
}
std::vector<StoredEvent> StoredRows::open_events() const {
  return those(events(), [](const auto& event) { return event.state == "open"; });
}
StoredEvent StoredRows::event() const { return only(events(), "events"); }
StoredEvent StoredRows::event(std::string_view code) const { return only(events(code), fmt::format("events {}", code)); }
std::vector<StoredBrake> StoredRows::brakes() const { return read<Brakes>(); }
StoredBrake StoredRows::brake() const { return only(brakes(), "brakes"); }
std::vector<KillRequest> StoredRows::kills() const { return read<Kills>(); }
KillRequest StoredRows::kill() const { return only(kills(), "kill requests"); }

}  // namespace gleaner::tests
