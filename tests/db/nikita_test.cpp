#include "nikita/nikita.hpp"

#include <fmt/format.h>

#include <array>
#include <condition_variable>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "lib/http/server.hpp"
#include "lib/process/options.hpp"
#include "lib/store/events.hpp"
#include "lib/store/kills.hpp"
#include "tests/db/grid_fixture.hpp"

/// However many deletions are due, and however slow the cluster, a turn ends in time.
namespace gleaner::tests {
namespace {

using namespace std::chrono_literals;

/// An API that notes whom it is asked to delete, and takes its time for that. It lists at once.
class SlowApi {
 public:
  SlowApi() {
    http::ServerOptions options;
    options.tcp = http::TcpEndpoint{};
    server_ = http::Server::start(options, [this](const http::Request& request) { return answer(request); }).value();
  }
  ~SlowApi() { take(0ms); }

  /// How long each answer to a deletion or a signal takes from now on; nothing: for ever.
  void take(std::optional<std::chrono::milliseconds> latency) {
    const std::lock_guard lock{mutex_};
    latency_ = latency;
    changed_.notify_all();
  }
  [[nodiscard]] std::multiset<std::string> asked() {
    const std::lock_guard lock{mutex_};
    return asked_;
  }
  /// Whether it answers requests to change something with an error from now on.
  void refuse(bool refuse) {
    const std::lock_guard lock{mutex_};
    refuses_ = refuse;
  }
  void forget() {
    const std::lock_guard lock{mutex_};
    items_.clear();
  }
  /// A job that the lists show.
  void show(grid::RemoteJobId id, std::string_view name, std::string_view command, std::string_view owner) {
    const std::lock_guard lock{mutex_};
    items_.push_back(fmt::format(R"({{"id":{},"array_id":{},"name":"{}","command":"{}","owner":"{}","state":"Running"}})", id.value(),
                                 id.value(), name, command, owner));
  }
  [[nodiscard]] std::string url() const { return server_->url(); }

 private:
  http::Response answer(const http::Request& request) {
    std::unique_lock lock{mutex_};
    const bool changes = request.method != "GET";
    if (changes) asked_.insert(request.method + " " + request.target);
    if (latency_ && changes) changed_.wait_for(lock, *latency_, [] { return false; });
    else if (changes) changed_.wait(lock, [&] { return latency_.has_value(); });
    http::Response response;
    response.status = refuses_ && changes ? 500 : 200;
    response.headers.add("Content-Type", "application/json");
    response.body = request.method == "DELETE" ? R"({"status":"deletion registered"})" : listing();
    return response;
  }
  /// All the jobs, whatever was asked for.
  [[nodiscard]] std::string listing() const {
    std::string items;
    for (const auto& item : items_) items += (items.empty() ? "" : ",") + item;
    return fmt::format(R"({{"api_timestamp":1800000000,"items":[{}],"links":[],"offset":0,"total":{}}})", items, items_.size());
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<std::chrono::milliseconds> latency_ = 0ms;
  std::multiset<std::string> asked_;
  bool refuses_ = false;
  std::vector<std::string> items_;
  std::unique_ptr<http::Server> server_;  // the last: its threads use the rest
};

class Nikita : public GridFixture {
 protected:
  Nikita() {
    config.module_time_limit = config.request_timeout = config.submit_timeout = config.connect_timeout = 600s;
    transact([&](store::Transaction& transaction) {
      auto cluster = store::find_cluster(transaction, "alpha").value();
      cluster.url = api.url();
      store::edit_cluster(transaction, cluster);
      store::record_reached(transaction, alpha, now);
    });
    std::vector<grid::JobId> ids;
    for (const auto& job : launched(a_campaign(kJobs), alpha, kJobs)) {
      ids.push_back(job.id);
      jobs.push_back(job);
      show(job);
    }
    transact([&](store::Transaction& transaction) { store::request_kills(transaction, ids, store::KillReason::preempted, now); });
  }
  void show(const store::LiveJob& job) { show(job, job.login); }
  void show(const store::LiveJob& job, std::string_view owner) {
    api.show(job.remote, job.tag,
             fmt::format("wrapper gleaner.{} {} {} {} {} -", job.campaign.value(), job.task.value(), job.attempt, job.id.value(),
                         job.fence.value()),
             owner);
  }
  nikita::Counts turn() { return nikita::run_once(config, database, term); }

  static constexpr int kJobs = 200;
  SlowApi api;
  std::vector<store::LiveJob> jobs;
  process::Config config = process::default_config();
};

TEST_F(Nikita, WithMoreDeletionsThanATurnHasTimeFor_WritesWhatItAskedFor_AndGoesOnInTheNext) {
  config.module_time_limit = 600ms;
  api.take(25ms);  // 200 of them, four at once: more than a second
  const auto first = turn();
  EXPECT_GT(first.left, 0);
  EXPECT_EQ(first.sent + first.left, kJobs);
  EXPECT_EQ(value("SELECT count(*) FROM kill_requests WHERE sent_at IS NOT NULL"), std::to_string(first.sent));
  EXPECT_EQ(api.asked().size(), static_cast<std::size_t>(first.sent));
  api.take(0ms);
  config.module_time_limit = 600s;
  EXPECT_EQ(turn().left, 0);
  const auto asked = api.asked();
  EXPECT_EQ(asked.size(), static_cast<std::size_t>(kJobs));
  EXPECT_EQ(std::set<std::string>(asked.begin(), asked.end()).size(), asked.size()) << "some were asked for twice";
}

TEST_F(Nikita, OfAClusterThatHangs_WaitsForAFewRequestsOnly) {
  api.take(std::nullopt);
  config.submit_timeout = 200ms;
  const auto counts = turn();
  EXPECT_GT(counts.sent, 0);
  EXPECT_LE(counts.sent, 8);
  EXPECT_EQ(counts.sent + counts.left, kJobs);
  EXPECT_EQ(counts.not_sent, counts.sent);
}

TEST_F(Nikita, DeletesNoJobThatHasAnIdOfOurs_ButNotOurOwnerNameAndCommand) {
  api.forget();
  show(jobs[0]);
  api.show(jobs[1].remote, jobs[1].tag, "sleep 1000", jobs[1].login);
  api.show(jobs[2].remote, "cigri.1.9999-other",
           fmt::format("wrapper gleaner.{} {} 0 {} 1 -", jobs[2].campaign.value(), jobs[2].task.value(), jobs[2].id.value()),
           jobs[2].login);
  show(jobs[3], "mal");
  const auto counts = turn();
  EXPECT_EQ(counts.sent, 1);
  EXPECT_EQ(counts.foreign, kJobs - 1) << "also those that it does not list";
  EXPECT_EQ(api.asked().size(), 1U);
  EXPECT_EQ(value("SELECT count(*) FROM kill_requests WHERE sent_at IS NOT NULL"), "1");
}

TEST_F(Nikita, HasJobsSignalledWhoseCheckpointIsDue_OncePerPeriod_IfTheyAreOurs) {
  execute("DELETE FROM kill_requests");
  execute(R"(UPDATE campaigns SET jdl = jdl || '{"checkpoint": {"signal": "USR1", "period": 1800, "cost": 60}}')");
  // Three of them have run for an hour; one of these is to be killed, and one is not ours any more.
  execute(fmt::format(
      "UPDATE jobs SET state = 'running', started_at = now() - CASE WHEN id <= {} THEN interval '1 hour' ELSE interval '5 min' END",
      jobs[2].id.value()));
  execute(fmt::format("INSERT INTO kill_requests (job_id, reason, requested_at, sent_at) VALUES ({}, 'excess', now(), now())",
                      jobs[1].id.value()));
  api.forget();
  show(jobs[0]);
  api.show(jobs[2].remote, "cigri.1.9999-other", "sleep 1000", jobs[2].login);
  EXPECT_EQ(turn().signalled, 1);
  EXPECT_EQ(api.asked(), (std::multiset<std::string>{fmt::format("POST /jobs/{}/signals/10.json", jobs[0].remote.value())}));
  EXPECT_EQ(value("SELECT string_agg(id::text, ' ') FROM jobs WHERE checkpointed_at IS NOT NULL"), std::to_string(jobs[0].id.value()));
  EXPECT_EQ(turn().signalled, 0) << "the next one is due in half an hour";
  execute(
      "UPDATE jobs SET signalled_at = now() - interval '31 min', checkpointed_at = now() - interval '31 min' WHERE signalled_at IS NOT NULL");
  EXPECT_EQ(turn().signalled, 1);
}

TEST_F(Nikita, WhoseSignalGetsNoAnswer_DoesNotRepeatIt_BeforeAnotherPeriodIsOver) {
  execute("DELETE FROM kill_requests");
  execute(R"(UPDATE campaigns SET jdl = jdl || '{"checkpoint": {"signal": "USR1", "period": 1800, "cost": 60}}')");
  execute("UPDATE jobs SET state = 'running', started_at = now() - interval '1 hour'");
  api.refuse(true);
  EXPECT_EQ(turn().signalled, 0);
  const auto asked = api.asked().size();
  EXPECT_GT(asked, 0U);
  EXPECT_EQ(value("SELECT count(*) FROM jobs WHERE checkpointed_at IS NOT NULL"), "0");
  api.refuse(false);
  EXPECT_EQ(turn().signalled, kJobs - static_cast<int>(asked)) << "those that were not signalled yet";
  EXPECT_EQ(turn().signalled, 0);
}

/// They would be the most overdue in each turn, and keep others from their signals.
TEST_F(Nikita, CountsWhatOarDoesNotListAsRunning_AsSignalled) {
  execute("DELETE FROM kill_requests");
  execute(R"(UPDATE campaigns SET jdl = jdl || '{"checkpoint": {"signal": "USR1", "period": 1800, "cost": 60}}')");
  execute("UPDATE jobs SET state = 'running', started_at = now() - interval '1 hour'");
  api.forget();
  EXPECT_EQ(turn().signalled, 0);
  EXPECT_EQ(value("SELECT count(*) FROM jobs WHERE signalled_at IS NULL"), "0");
  EXPECT_EQ(value("SELECT count(*) FROM jobs WHERE checkpointed_at IS NOT NULL"), "0") << "nothing was passed on";
}

TEST_F(Nikita, AsksFirstForWhatItAskedForLeast) {
  transact([&](store::Transaction& transaction) {
    const auto kills = store::pending_kills(transaction, alpha, now);
    const std::array asked{kills.front().job};
    store::note_kills_sent(transaction, asked, now - 1h);
    EXPECT_EQ(store::pending_kills(transaction, alpha, now).back().job, kills.front().job);
  });
}

TEST_F(Nikita, LetsUsersTakeTurns_HoweverManyDeletionsOneOfThemWants) {
  const auto other = a_campaign(1);
  execute(fmt::format("UPDATE campaigns SET user_name = 'bob' WHERE id = {}", other.value()));
  const auto job = launched(other, alpha, 1).at(0).id;
  transact([&](store::Transaction& transaction) {
    const std::array one{job};
    store::request_kills(transaction, one, store::KillReason::preempted, now);
    EXPECT_EQ(store::pending_kills(transaction, alpha, now).at(1).job, job) << "the newest of all, and its user's first";
  });
}

}  // namespace
}  // namespace gleaner::tests
