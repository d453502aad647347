#include <fmt/format.h>
#include <gmock/gmock.h>

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "lib/http/server.hpp"
#include "lib/store/prune.hpp"
#include "nikita/nikita.hpp"
#include "tests/db/ends_fixture.hpp"

/// OAR submits some jobs again although their first runs ended as they should. The second ones have nothing to do.
namespace gleaner::tests {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// An API that knows single jobs, and notes which of them it is asked to delete.
class KnownJobs {
 public:
  KnownJobs() {
    http::ServerOptions options;
    options.tcp = http::TcpEndpoint{};
    server_ = http::Server::start(options, [this](const http::Request& request) { return answer(request); }).value();
  }
  void add(const store::LiveJob& job, grid::RemoteJobId id, std::string_view state, std::string_view events) {
    const std::lock_guard lock{mutex_};
    jobs_[fmt::format("/jobs/{}.json", id.value())] = fmt::format(
        R"({{"id":{},"array_id":{},"name":"{}","command":"wrapper gleaner.{} {} {} {} {} -","owner":"{}","state":"{}","events":[{}]}})",
        id.value(), id.value(), job.tag, job.campaign.value(), job.task.value(), job.attempt, job.id.value(), job.fence.value(), job.login,
        state, events);
  }
  void fail(bool fails) {
    const std::lock_guard lock{mutex_};
    fails_ = fails;
  }
  [[nodiscard]] std::vector<std::string> deleted() {
    const std::lock_guard lock{mutex_};
    return deleted_;
  }
  [[nodiscard]] std::string url() const { return server_->url(); }

 private:
  http::Response answer(const http::Request& request) {
    const std::lock_guard lock{mutex_};
    http::Response response;
    response.headers.add("Content-Type", "application/json");
    const auto found = jobs_.find(request.path);
    response.status = fails_ ? 500 : request.path == "/jobs/table.json" || found != jobs_.end() ? 200 : 404;
    if (response.status != 200) response.body = R"({"title":"no","message":"no","code":404})";
    else if (request.method == "DELETE") deleted_.push_back(request.path);
    else response.body = found != jobs_.end() ? found->second : list();
    if (request.method == "DELETE") response.body = R"({"status":"deletion registered"})";
    return response;
  }
  [[nodiscard]] std::string list() const {
    std::string items;
    for (const auto& [path, job] : jobs_) items += (items.empty() ? "" : ",") + job;
    return fmt::format(R"({{"api_timestamp":1800000000,"items":[{}],"links":[],"offset":0,"total":{}}})", items, jobs_.size());
  }

  std::mutex mutex_;
  std::map<std::string, std::string> jobs_;
  std::vector<std::string> deleted_;
  bool fails_ = false;
  std::unique_ptr<http::Server> server_;  // the last: its threads use the rest
};

class ResentJobs : public Ends {
 protected:
  ResentJobs() {
    transact([&](store::Transaction& transaction) {
      auto cluster = store::find_cluster(transaction, "alpha").value();
      cluster.url = api.url();
      store::edit_cluster(transaction, cluster);
      store::record_reached(transaction, alpha, now);
    });
  }
  /// OAR says so of the job, whose wrapper noted that its task is done.
  void is_done(const store::LiveJob& job, oar::RemoteState state, std::optional<int> status = {}) {
    shows(job, state, status).started = now;
    files(job, {file(job, "s"), file(job, "e0")});
    apply(live());
    ASSERT_EQ(ended("done"), "1");
  }
  nikita::Counts turn() { return nikita::run_once(nikita_config, database, term); }
  std::string requests() { return value("SELECT coalesce(string_agg(concat_ws(' ', reason, sends), ', '), '') FROM kill_requests"); }
  static std::string again(std::int64_t id) {
    return fmt::format(R"--({{"type":"RESUBMIT_JOB_AUTOMATICALLY","description":"Resubmiting job 1000 => {})"}})--", id);
  }

  KnownJobs api;
  process::Config nikita_config = process::default_config();
};

TEST_F(ResentJobs, AfterAFailedLaunchThatBeganAllTheSame_AreDeleted_AtTheEndOfTheirChain) {
  const auto job = launched(a_campaign(1), alpha, 1).at(0);
  is_done(job, oar::RemoteState::error);
  api.add(job, job.remote, "Error", again(2000));
  api.add(job, grid::RemoteJobId{2000}, "Error", again(2001));
  api.add(job, grid::RemoteJobId{2001}, "Running", "");
  EXPECT_EQ(turn().sent, 1);
  EXPECT_THAT(api.deleted(), ElementsAre("/jobs/2001.json"));
  EXPECT_EQ(requests(), "resent 1") << "until OAR shows that it is over";
  api.add(job, grid::RemoteJobId{2001}, "Error", "");
  execute("UPDATE kill_requests SET sent_at = sent_at - interval '1 hour'");
  EXPECT_EQ(turn().sent, 0);
  EXPECT_EQ(requests(), "");
}

TEST_F(ResentJobs, AfterStatus99_AreDeletedToo_AndOtherEndsAreNotLookedAt) {
  const auto jobs = launched(a_campaign(2), alpha, 2);
  shows(jobs[0], oar::RemoteState::terminated, 99).started = now;
  shows(jobs[1], oar::RemoteState::terminated, 1).started = now;
  files(jobs[0], {file(jobs[0], "s"), file(jobs[0], "e99"), file(jobs[1], "s"), file(jobs[1], "e1")});
  apply(live());
  EXPECT_EQ(value("SELECT string_agg(job_id::text, ' ') FROM kill_requests"), std::to_string(jobs[0].id.value()));
  api.add(jobs[0], jobs[0].remote, "Terminated", again(2000));
  api.add(jobs[0], grid::RemoteJobId{2000}, "Waiting", "");
  EXPECT_EQ(turn().sent, 1);
  EXPECT_THAT(api.deleted(), ElementsAre("/jobs/2000.json"));
}

TEST_F(ResentJobs, ThatDoNotExist_OrThatNobodyKnows_AreForgotten) {
  const auto job = launched(a_campaign(1), alpha, 1).at(0);
  is_done(job, oar::RemoteState::error);
  EXPECT_EQ(requests(), "resent 0");
  api.fail(true);
  turn();
  EXPECT_EQ(requests(), "resent 0") << "no answer is none";
  api.fail(false);
  api.add(job, job.remote, "Error", "");
  turn();
  EXPECT_EQ(requests(), "");
  EXPECT_THAT(api.deleted(), IsEmpty());
}

TEST_F(ResentJobs, OfAPurgedCampaign_KeepItsRowsUntilTheyAreDeleted) {
  is_done(launched(a_campaign(1), alpha, 1).at(0), oar::RemoteState::error);
  execute("UPDATE campaigns SET sealed = true, purged_at = now()");
  execute("UPDATE campaign_clusters SET cleaned_at = now()");
  const auto purged = [&] {
    std::size_t campaigns = 0;
    transact([&](store::Transaction& transaction) { campaigns = store::purged_campaigns(transaction, 10).size(); });
    return campaigns;
  };
  EXPECT_EQ(purged(), 0U);
  execute("UPDATE kill_requests SET sends = 3");
  EXPECT_EQ(purged(), 1U);
}

TEST_F(ResentJobs, WhoseIdIsAnotherUsersJob_AreLeftAlone) {
  auto job = launched(a_campaign(1), alpha, 1).at(0);
  is_done(job, oar::RemoteState::error);
  api.add(job, job.remote, "Error", again(2000));
  job.login = "somebody";
  api.add(job, grid::RemoteJobId{2000}, "Running", "");
  EXPECT_EQ(turn().foreign, 1);
  EXPECT_THAT(api.deleted(), IsEmpty());
}

}  // namespace
}  // namespace gleaner::tests
