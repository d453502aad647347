#pragma once
#include <fmt/format.h>

#include "tests/db/grid_fixture.hpp"
#include "updator/write.hpp"

namespace gleaner::tests {

/// The updator's judgement of alpha's reports on jobs.
class Ends : public GridFixture {
 protected:
  Ends() {
    config.max_attempts = config.max_charged_attempts = 5;
    config.failures_before_brake = 3;
    config.brake_time = config.brake_time_max = std::chrono::minutes{1};
    config.launch_patience = std::chrono::minutes{5};
    config.evidence_patience = std::chrono::minutes{2};
  }

  oar::RemoteJob& shows(const store::LiveJob& job, oar::RemoteState state, std::optional<int> shell_status = {}) {
    oar::RemoteJob remote;
    remote.id = job.remote;
    remote.state = state;
    if (shell_status) remote.exit_status = *shell_status << 8;
    return poll.ours[job.remote] = remote;
  }
  void all_ended(const std::vector<store::LiveJob>& jobs, int shell_status) {
    for (const auto& job : jobs) shows(job, oar::RemoteState::terminated, shell_status);
    began(jobs);
  }
  /// Their wrappers left their marks.
  void began(const std::vector<store::LiveJob>& jobs) {
    for (const auto& job : jobs) marks_[job.fence].push_back(file(job, "s"));
    for (const auto& job : jobs) files(job, marks_[job.fence]);
  }
  void in_error(const store::LiveJob& job, const char* event, std::optional<grid::RemoteJobId> resubmitted_as = {}) {
    auto& remote = shows(job, oar::RemoteState::error);
    remote.started = now;
    poll.details.insert_or_assign(job.remote, oar::JobDetails{.job = remote,
                                                              .events = {{.type = event, .description = {}}},
                                                              .resubmitted_as = resubmitted_as,
                                                              .resubmit_of = {},
                                                              .types = {},
                                                              .directory = {},
                                                              .stdout_file = {},
                                                              .stderr_file = {},
                                                              .hosts = {}});
  }
  /// The names in the folder where the job's attempt is claimed.
  void files(const store::LiveJob& job, const std::vector<std::string>& names) {
    poll.evidence.insert_or_assign(job.fence, updator::Reading{grid::EvidenceIndex{names}});
  }
  static std::string file(const store::LiveJob& job, const std::string& ending) {
    return fmt::format("{}.{}.{}.{}.{}", job.task.value(), job.attempt, job.id.value(), job.remote.value(), ending);
  }
  std::vector<store::LiveJob> live() {
    std::vector<store::LiveJob> jobs;
    transact([&](store::Transaction& t) { jobs = store::live_jobs(t, alpha); });
    return jobs;
  }
  updator::Changes apply(const std::vector<store::LiveJob>& jobs) {
    std::optional<store::Cluster> cluster;
    transact([&](store::Transaction& transaction) { cluster = store::find_cluster(transaction, "alpha"); });
    fleet::SharedDatabase shared{database, term};
    oar::Client client{oar::Access{}};
    fleet::Visit visit{*cluster, config, shared, client};
    poll.began = now;
    updator::Changes changes;
    transact([&](store::Transaction& transaction) {
      changes = updator::write(transaction, visit, poll, updator::judge(jobs, poll, updator::Patience::of(config)), now);
    });
    return changes;
  }
  /// A launch whose answer was lost, and that was given up: its job may still be there.
  store::LaunchLine given_up(grid::CampaignId campaign) {
    const auto launch = begun(campaign, alpha, 1);
    std::vector<store::LaunchLine> lines;
    transact([&](store::Transaction& t) {
      lines = store::launch_lines(t, launch);
      store::mark_unknown(t, std::array{launch}, "lost", now);
      store::give_back(t, {.launch = launch, .from = grid::LaunchState::unknown, .error = "lost"}, many_attempts, now);
    });
    return lines.at(0);
  }
  /// A job that OAR could not launch, and that left no mark: it is said never to have begun.
  store::LiveJob never_began(grid::CampaignId campaign) {
    const auto job = launched(campaign, alpha, 1).at(0);
    in_error(job, "CPUSET_ERROR");
    files(job, {});
    apply(live());
    now += std::chrono::minutes{1};
    apply(live());
    EXPECT_EQ(stored.job(job.id).ending, "never_began");
    return job;
  }
  [[nodiscard]] std::string ended(const std::string& ending) const { return std::to_string(stored.ended(ending)); }
  [[nodiscard]] std::string task() const {
    const auto task = stored.task();
    return fmt::format("{} {} {}", task.state, task.attempt, task.charged);
  }

  process::Config config;
  updator::Poll poll;

 private:
  std::map<grid::LaunchId, std::vector<std::string>> marks_;
};

}  // namespace gleaner::tests
