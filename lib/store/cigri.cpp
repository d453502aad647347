#include "lib/store/cigri.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "lib/store/cursor.hpp"
#include "lib/store/detail.hpp"

namespace gleaner::store::cigri {
namespace {

using detail::exec;

template <class Query>
std::vector<std::int64_t> ids_of(Transaction& transaction, const Query& query) {
  std::vector<std::int64_t> ids;
  for (const auto& row : exec(transaction, query)) ids.push_back(row.id.template as<std::int64_t>());
  return ids;
}

template <class Row>
ClusterOfUser cluster_of(const Row& row) {
  return {.name = row.cluster.value_or(""), .shared_url = row.shared_url};
}

}  // namespace

Database open(const std::string& conninfo) {
  constexpr std::chrono::milliseconds kNone{0};
  Database database{conninfo, {.dead_after = kNone, .statement = kNone, .lock = kNone, .idle_in_transaction = kNone}};
  auto transaction = database.begin();
  std::vector<std::string> unreadable;
  for (const auto& row : exec(transaction, sql::cigri_unreadable{})) unreadable.push_back(row.name.as<std::string>());
  if (!unreadable.empty())
    throw WrongSchema{
        fmt::format("this is no database of CiGri 3, or it is not for this role to read: without {}", fmt::join(unreadable, ", "))};
  exec(transaction, sql::cigri_only_read{});
  transaction.commit();
  return database;
}

Sessions other_sessions(Transaction& transaction) {
  const auto rows = exec(transaction, sql::cigri_sessions{});
  return {.others = *rows[0].others, .names = *rows[0].names};
}

std::vector<std::int64_t> cluster_ids(Transaction& transaction) { return ids_of(transaction, sql::cigri_clusters{}); }
std::vector<std::int64_t> login_ids(Transaction& transaction) { return ids_of(transaction, sql::cigri_logins{}); }
std::vector<std::int64_t> priority_ids(Transaction& transaction) { return ids_of(transaction, sql::cigri_priorities{}); }
std::vector<std::int64_t> campaign_ids(Transaction& transaction) { return ids_of(transaction, sql::cigri_campaigns{}); }

std::optional<Cluster> cluster(Transaction& transaction, std::int64_t id) {
  const auto rows = exec(transaction, sql::cigri_cluster{.id = id});
  if (rows.empty()) return std::nullopt;
  const auto row = rows[0];
  Cluster cluster;
  cluster.name = row.name.value_or("");
  cluster.url = row.api_url.value_or("");
  cluster.authentication = row.authentication.value_or("");
  cluster.login = row.login.value_or("");
  cluster.password = row.password.value_or("");
  cluster.header = row.header.value_or("");
  cluster.batch = row.batch.value_or("");
  cluster.properties = row.properties.value_or("");
  cluster.enabled = *row.enabled;
  return cluster;
}

std::optional<Login> login(Transaction& transaction, std::int64_t id) {
  const auto rows = exec(transaction, sql::cigri_login{.id = id});
  if (rows.empty()) return std::nullopt;
  const auto row = rows[0];
  return Login{.user = row.user_name.value_or(""), .cluster = cluster_of(row), .login = row.login.value_or(""), .is_token = *row.is_token};
}

std::optional<Priority> priority(Transaction& transaction, std::int64_t id) {
  const auto rows = exec(transaction, sql::cigri_priority{.id = id});
  if (rows.empty()) return std::nullopt;
  const auto row = rows[0];
  return Priority{.user = row.user_name.value_or(""), .cluster = cluster_of(row), .priority = *row.priority};
}

std::optional<Campaign> campaign(Transaction& transaction, std::int64_t id, std::chrono::seconds drained) {
  const auto rows = exec(transaction, sql::cigri_campaign{.drained_s = drained.count(), .id = id});
  if (rows.empty()) return std::nullopt;
  const auto row = rows[0];
  return Campaign{.user = row.user_name.value_or(""),
                  .name = row.name.value_or(""),
                  .is_paused_by_user = *row.is_paused_by_user,
                  .submitted_at = *row.submitted};
}

std::string jdl(Transaction& transaction, std::int64_t campaign) {
  return exec(transaction, sql::cigri_jdl{.id = campaign})[0].jdl.as<std::string>();
}

struct OpenTasks::Implementation {
  Implementation(Transaction& transaction, const sql::cigri_tasks& query) : cursor{transaction, query}, rows{cursor.next()} {
    if (rows.empty()) return;
    const auto first = rows[0];
    live = *first.live;
    failed = *first.failed;
    waiting = *first.waiting;
    constexpr std::size_t kNamed = 5;
    for (const auto& row : rows) {
      if (live_jobs.size() == kNamed || row.fate.as<std::string>() != "live") break;
      live_jobs.push_back(*row.job);
    }
    std::ranges::sort(live_jobs);
  }
  detail::Cursor<sql::cigri_tasks> cursor;
  detail::Rows<sql::cigri_tasks> rows;  ///< the next ones
  std::int64_t live = 0, failed = 0, waiting = 0;
  std::vector<std::int64_t> live_jobs{};
};

OpenTasks::OpenTasks(Transaction& transaction, std::int64_t campaign, std::size_t longest, LiveTasks live)
    : implementation_{std::make_unique<Implementation>(
          transaction, sql::cigri_tasks{.id = campaign, .with_live = live == LiveTasks::waiting, .longest = longest})} {}

OpenTasks::~OpenTasks() = default;
std::int64_t OpenTasks::live() const { return implementation_->live; }
std::int64_t OpenTasks::failed() const { return implementation_->failed; }
std::int64_t OpenTasks::waiting() const { return implementation_->waiting; }
const std::vector<std::int64_t>& OpenTasks::live_jobs() const { return implementation_->live_jobs; }

void OpenTasks::for_each_waiting(const std::function<void(std::int64_t, std::string_view)>& take) {
  for (auto& rows = implementation_->rows; !rows.empty(); rows = implementation_->cursor.next()) {
    for (const auto& row : rows) {
      if (row.fate.as<std::string>() == "waiting") take(*row.id, row.parameter.as<std::string>());
    }
  }
}

}  // namespace gleaner::store::cigri
