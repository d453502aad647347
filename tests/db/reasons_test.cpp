#include <gtest/gtest.h>

#include <type_traits>

#include "tests/db/claims.hpp"
#include "tests/db/reasons_fixture.hpp"

/// Each sentence of `gridstat --why` against the database, and against what then happens.
namespace gleaner::tests {
namespace {

namespace reason = planner::reason;

/// Drives the grid into a reason. One without a way there does not compile.
struct Situation {
  ReasonsFixture& grid;

  void operator()(const reason::Launched&) const {}
  void operator()(const reason::Paused&) const { grid.of_campaign("state = 'paused'"); }
  void operator()(const reason::CampaignBraked&) const { grid.brake("it fails", id(), 0); }
  void operator()(const reason::Awaits&) const { grid.watch_one_after(grid::DependencyKind::after); }
  void operator()(const reason::AwaitsTasks&) const { grid.watch_one_after(grid::DependencyKind::after_each); }
  void operator()(const reason::TasksHeld&) const {
    grid.watch_new(3);
    grid.hold_tasks({0, 2});
  }
  void operator()(const reason::BagEmpty&) const {
    grid.watch_new(20);
    grid.of_campaign(R"(jdl = '{"temporal_grouping": true}')");
    grid.pools(2, 18);
  }
  void operator()(const reason::NoCluster&) const { grid.watch_new(5, {}); }
  void operator()(const reason::Frozen&) const {
    grid.watch_new(2);
    grid.lose_answer(grid.alpha, 2);
  }
  void operator()(const reason::ClusterDisabled&) const { grid.of_cluster("enabled = false"); }
  void operator()(const reason::ClusterRetired&) const { grid.of_cluster("retired_at = now()"); }
  void operator()(const reason::Unreachable&) const { grid.of_cluster("reachable = false"); }
  void operator()(const reason::StaleStatus&) const { grid.now += std::chrono::minutes{2}; }
  void operator()(const reason::NoResources&) const {
    grid.status(grid.alpha, 0, 0);
    grid.of_cluster("absent_resources = 16");
  }
  void operator()(const reason::ClusterBraked&) const { grid.brake("it answers nonsense", 0, grid.at.value()); }
  void operator()(const reason::PairBraked&) const { grid.brake("3 jobs failed", id(), grid.at.value()); }
  void operator()(const reason::NotMapped&) const { grid.of_campaign("user_name = 'al.ice'"); }
  void operator()(const reason::NoToken&) const { grid.of_cluster("authentication = 'token', api = 'oar3'"); }
  void operator()(const reason::TooBig&) const { grid.of_pair("resources_per_job = 32"); }
  void operator()(const reason::ScriptFirst&) const { grid.of_pair("prologue = 'echo p', prologue_walltime_s = 60"); }
  void operator()(const reason::InputsFirst&) const { grid.of_campaign("input_files = 'a', input_bytes = 5000000"); }
  void operator()(const reason::EpiloguesLeft&) const {
    grid.watch_new(1);
    grid.of_pair("epilogue = 'echo e', epilogue_walltime_s = 60");
    grid.live = grid.running(grid.campaign, 1);
    grid.end_all();
  }
  void operator()(const reason::NoTaskFits&) const {
    grid.watch_one_that_fits_alpha_alone();
    grid.status(grid.alpha, 0);
  }
  void operator()(const reason::TestAlreadyGiven&) const {
    grid.of_campaign("type = 'test'");
    some_live(1);
  }
  void operator()(const reason::MaxJobsReached&) const {
    grid.of_pair("max_jobs = 2");
    some_live(2);
  }
  void operator()(const reason::LimitReached&) const {
    grid.limit("running_jobs", 2);
    some_live(2);
  }
  void operator()(const reason::UnderStress&) const {
    some_live(1);
    grid.execute(fmt::format("INSERT INTO cluster_stress (cluster_id, job_limit, reason) VALUES ({}, 1, 'it is slow')", grid.at.value()));
  }
  void operator()(const reason::FileServerFull&) const {
    some_live(2);
    grid.of_cluster("file_server_mb_s = 10");
    grid.of_pair("io_jobs = 1, io_mb = 50, io_wall_s = 10");
  }
  void operator()(const reason::Probing&) const {
    grid.watch_new(100, {"alpha", "beta"});
    some_live(3);
  }
  void operator()(const reason::Unjudged&) const {
    grid.watch_new(100, {"alpha", "beta"});
    some_live(3);
    grid.end_at_once();
  }
  void operator()(const reason::OnTrial&) const {
    some_live(1);
    grid.of_pair("failures_in_a_row = 5");
  }
  void operator()(const reason::FewMatch&) const {
    grid.of_pair("properties = 'gpu', matching_resources = 2");
    some_live(2);
  }
  void operator()(const reason::WidthUnknown&) const {
    grid.of_pair("resources = '/nodes=1', resources_per_job = NULL");
    grid.limit("resources", 64);
    some_live(1);
  }
  void operator()(const reason::NoFreeResources&) const { grid.status(grid.alpha, 0); }
  void operator()(const reason::KeptForLocal&) const {
    grid.of_cluster("headroom = '4'");
    grid.status(grid.alpha, 4);
  }
  void operator()(const reason::KeptForOthers&) const {
    grid.execute(
        fmt::format("INSERT INTO keeps (name, cluster_id, resources, user_name) VALUES ('class', {}, 16, 'zoe')", grid.at.value()));
  }
  void operator()(const reason::ReservedInOar&) const {
    grid.of_cluster("advance_reservations = (extract(epoch FROM now())::bigint + 60)::text || '-9000000000x16'");
  }
  void operator()(const reason::NodesAsleep&) const {
    grid.of_cluster("wake_minutes = 1000");
    grid.execute(
        fmt::format("INSERT INTO named_nodes (cluster_id, nodes, open_sizes, empty_sizes, asleep_sizes, longest_name) "
                    "VALUES ({}, 'z 16 n1', '', '', '16x1', 2)",
                    grid.at.value()));
  }
  void operator()(const reason::BusyWithoutJob&) const { grid.of_cluster("availability = 'combined', loaded_resources = 16"); }
  void operator()(const reason::NotEnoughResources&) const {
    grid.config.reservations = false;
    wide(8);
  }
  void operator()(const reason::NoNodeFree&) const {
    grid.config.reservations = false;
    wide(4);
    grid.of_pair("nodes_per_job = 1");
    grid.of_cluster("free_nodes = '2x2'");
  }
  void operator()(const reason::Reserved&) const {
    others_run(12);
    wide(8);
  }
  void operator()(const reason::HeldForReservation&) const {
    others_run(12);
    wide(16);
    grid.campaign = grid.a_campaign(10, {"alpha"});
    grid.of_pair("walltime_s = 100000");
  }
  void operator()(const reason::Preempting&) const {
    others_run(16);
    grid.of(grid.other, R"(jdl = '{"campaign_priority": 7}')");
    grid.status(grid.alpha, 0);
  }
  void operator()(const reason::PreemptingForFirst&) const {
    grid.config.head_start = grid.config.head_start_preempts = true;
    others_run(16);
    grid.of(grid.other, "user_name = 'zoe'");
    grid.status(grid.alpha, 0);
  }
  void operator()(const reason::EarlierCampaigns&) const {
    grid.other = grid.campaign;
    grid.campaign = grid.a_campaign(10, {"alpha"});
  }
  void operator()(const reason::TasksElsewhere&) const {
    grid.watch_new(2, {"alpha", "beta"});
    grid.of_pair("priority = 10");
    grid.at = grid.beta;
  }
  void operator()(const reason::TasksReserved&) const {
    grid.watch_new(1, {"alpha", "beta"});
    grid.lose_answer(grid.beta, 1);
    grid.give_up(grid.launch, grid::LaunchState::unknown);
    grid.status(grid.beta, 0);
  }
  void operator()(const reason::TasksKept&) const {
    (*this)(reason::TasksReserved{});
    grid.of_campaign(R"(jdl = '{"checkpoint": {"signal": "USR1", "period": "auto", "cost": 60}}')");
    grid.execute("UPDATE returned_tasks SET fence = NULL");
  }
  void operator()(const reason::TasksFollow&) const {
    (*this)(reason::TasksReserved{});
    grid.execute("UPDATE returned_tasks SET follows = true");
  }
  void operator()(const reason::EndsUnread&) const {
    grid.watch_new(20'005);
    grid.of_campaign(R"(jdl = '{"temporal_grouping": true}')");
    grid.pools(1, 20'001);
    grid.execute("UPDATE jobs SET state = 'error', ended_at = now() WHERE NOT pooled");
  }
  void operator()(const reason::PoolsUnderWay&) const {
    grid.watch_new(37);
    grid.of_campaign(R"(jdl = '{"temporal_grouping": true}')");
    grid.config.flood = 1;
    some_live(1);
    grid.end_all();
    grid.live = grid.running(grid.campaign, 16);
    grid.status(grid.alpha, 0);
  }

 private:
  [[nodiscard]] std::int64_t id() const { return grid.campaign.value(); }
  void some_live(int jobs) const { grid.live = grid.launched(grid.campaign, grid.alpha, jobs); }
  /// Jobs of another campaign, which came before, run on alpha.
  void others_run(int jobs) const {
    grid.other = grid.a_campaign(jobs, {"alpha"});
    grid.live = grid.running(grid.other, jobs);
    grid.status(grid.alpha, 16 - jobs);
  }
  void wide(int cores) const {
    grid.of_pair(fmt::format("resources = '/core={0}', resources_per_job = {0}", cores));
    grid.status(grid.alpha, 4);
  }
};

enum class Then { jobs_start, nothing_starts };

/// Does what the sentence says would change it.
struct Remedy {
  ReasonsFixture& grid;

  /// The resource that the launch lacked is there again.
  Then operator()(const reason::Launched&) const {
    grid.accept_planned();
    grid.end_all();
    return free();
  }
  Then operator()(const reason::Paused&) const {
    grid.of_campaign("state = 'in_treatment'");
    return Then::jobs_start;
  }
  Then operator()(const reason::CampaignBraked&) const {
    grid.later(std::chrono::seconds{61});
    return Then::jobs_start;
  }
  Then operator()(const reason::Awaits&) const {
    grid.end_all();
    grid.finish();
    return Then::jobs_start;
  }
  Then operator()(const reason::AwaitsTasks&) const {
    grid.end_all();
    return Then::jobs_start;
  }
  Then operator()(const reason::TasksHeld&) const {
    grid.release_tasks({0, 2});
    return Then::jobs_start;
  }
  /// A task that comes back is in the bag again.
  Then operator()(const reason::BagEmpty&) const {
    grid.end(grid.live.at(0), grid::JobEnd::preempted, grid.many_attempts);
    return Then::jobs_start;
  }
  /// A new cluster is none of the campaign's.
  Then operator()(const reason::NoCluster&) const {
    grid.execute("INSERT INTO clusters (name, url, reachable) VALUES ('gamma', 'http://127.0.0.1:1/gamma', true)");
    return Then::nothing_starts;
  }
  Then operator()(const reason::Frozen&) const {
    grid.give_up(grid.launch, grid::LaunchState::unknown);
    return Then::jobs_start;
  }
  Then operator()(const reason::ClusterDisabled&) const {
    grid.of_cluster("enabled = true");
    return Then::jobs_start;
  }
  Then operator()(const reason::ClusterRetired&) const {
    grid.of_cluster("retired_at = NULL");
    return Then::jobs_start;
  }
  Then operator()(const reason::Unreachable&) const {
    grid.of_cluster("reachable = true");
    return Then::jobs_start;
  }
  Then operator()(const reason::StaleStatus&) const { return free(); }
  Then operator()(const reason::NoResources&) const { return free(); }
  Then operator()(const reason::ClusterBraked&) const {
    grid.later(std::chrono::seconds{61});
    return Then::jobs_start;
  }
  Then operator()(const reason::PairBraked&) const {
    grid.execute("DELETE FROM brakes");
    return Then::jobs_start;
  }
  Then operator()(const reason::NotMapped&) const {
    grid.execute(fmt::format("INSERT INTO user_mappings VALUES ('al.ice', {}, 'alice')", grid.at.value()));
    return Then::jobs_start;
  }
  Then operator()(const reason::NoToken&) const {
    grid.execute(
        fmt::format("INSERT INTO cluster_tokens (user_name, cluster_id, login, sealed, key_name, fingerprint, given_at) "
                    "VALUES ('alice', {}, 'alice', '', '', '', now())",
                    grid.at.value()));
    return Then::jobs_start;
  }
  Then operator()(const reason::TooBig& why) const {
    grid.of_pair(fmt::format("resources_per_job = {}", why.max_resources - why.kept_resources));
    return Then::jobs_start;
  }
  Then operator()(const reason::ScriptFirst&) const {
    grid.accept_planned();
    grid.end_all();
    return free();
  }
  Then operator()(const reason::InputsFirst&) const {
    grid.of_pair("inputs_at = now(), inputs_login = 'alice'");
    return Then::jobs_start;
  }
  /// The campaign ends.
  Then operator()(const reason::EpiloguesLeft&) const {
    grid.accept_planned();
    grid.end_all();
    grid.finish();
    return Then::nothing_starts;
  }
  Then operator()(const reason::NoTaskFits&) const {
    grid.at = grid.alpha;
    return free();
  }
  Then operator()(const reason::TestAlreadyGiven&) const {
    grid.end_all();
    return Then::nothing_starts;
  }
  Then operator()(const reason::MaxJobsReached&) const { return one_ends(); }
  Then operator()(const reason::LimitReached&) const { return one_ends(); }
  Then operator()(const reason::UnderStress&) const {
    grid.execute("UPDATE cluster_stress SET job_limit = NULL");
    return Then::jobs_start;
  }
  Then operator()(const reason::FileServerFull&) const { return one_ends(); }
  Then operator()(const reason::Probing&) const {
    grid.end_all();
    return Then::jobs_start;
  }
  Then operator()(const reason::Unjudged&) const {
    grid.of_campaign(R"(jdl = '{"min_duration": 0}')");
    return Then::jobs_start;
  }
  Then operator()(const reason::OnTrial&) const {
    grid.end_all();
    return Then::jobs_start;
  }
  Then operator()(const reason::FewMatch&) const { return one_ends(); }
  Then operator()(const reason::WidthUnknown&) const {
    grid.end_all();
    return Then::jobs_start;
  }
  Then operator()(const reason::NoFreeResources&) const { return free(); }
  Then operator()(const reason::KeptForLocal&) const { return free(); }
  Then operator()(const reason::KeptForOthers&) const {
    grid.execute("DELETE FROM keeps");
    return Then::jobs_start;
  }
  Then operator()(const reason::ReservedInOar&) const {
    grid.of_cluster("advance_reservations = ''");
    return Then::jobs_start;
  }
  Then operator()(const reason::NodesAsleep&) const {
    grid.of_cluster("wake_minutes = 0");
    return Then::jobs_start;
  }
  Then operator()(const reason::BusyWithoutJob&) const {
    grid.of_cluster("loaded_resources = 0");
    return Then::jobs_start;
  }
  Then operator()(const reason::NotEnoughResources&) const { return free(); }
  Then operator()(const reason::NoNodeFree&) const {
    grid.of_cluster("free_nodes = '4x1'");
    return Then::jobs_start;
  }
  Then operator()(const reason::Reserved&) const {
    grid.end_all();
    return free();
  }
  /// A job whose walltime ends before the reservation begins.
  Then operator()(const reason::HeldForReservation&) const {
    grid.of_pair("walltime_s = 60");
    return Then::jobs_start;
  }
  Then operator()(const reason::Preempting&) const {
    grid.end_all(grid::JobEnd::preempted);
    return free();
  }
  Then operator()(const reason::PreemptingForFirst&) const { return (*this)(reason::Preempting{}); }
  Then operator()(const reason::EarlierCampaigns&) const {
    grid.of(grid.other, "state = 'paused'");
    grid.give_up_planned(grid.alpha);
    return Then::jobs_start;
  }
  Then operator()(const reason::TasksElsewhere&) const {
    grid.give_up_planned(grid.alpha);
    grid.of_pair("priority = 20");
    return Then::jobs_start;
  }
  Then operator()(const reason::TasksReserved&) const {
    grid.at = grid.beta;
    grid.status(grid.beta, 16);
    return Then::jobs_start;
  }
  Then operator()(const reason::TasksKept&) const { return (*this)(reason::TasksReserved{}); }
  Then operator()(const reason::TasksFollow&) const { return (*this)(reason::TasksReserved{}); }
  Then operator()(const reason::EndsUnread&) const {
    grid.execute("UPDATE jobs SET state = 'terminated', ending = 'done', ended_at = now() WHERE state = 'pooled'");
    return Then::jobs_start;
  }
  Then operator()(const reason::PoolsUnderWay&) const {
    grid.end_all();
    return free();
  }

 private:
  Then free() const {
    grid.status(grid.at, 16);
    return Then::jobs_start;
  }
  Then one_ends() const {
    grid.end(grid.live.at(0), grid::JobEnd::done, grid.many_attempts);
    return Then::jobs_start;
  }
};

template <class... All>
std::vector<std::variant<All...>> one_of_each(std::type_identity<std::variant<All...>>) {
  return {All{}...};
}
std::vector<planner::Reason> all_reasons() { return one_of_each(std::type_identity<planner::Reason>{}); }

class EachReason : public ReasonsFixture, public ::testing::WithParamInterface<std::size_t> {};

TEST_P(EachReason, IsTrueInTheDatabase_AndWhatItNamesChangesIt) {
  const auto wanted = all_reasons().at(GetParam());
  std::visit(Situation{*this}, wanted);
  const auto found = decide();
  const auto sentence = planner::explain(found, {{alpha, "alpha"}, {beta, "beta"}});
  ASSERT_EQ(planner::name_of(found.reason), planner::name_of(wanted)) << sentence;
  EXPECT_EQ(cycle(), found.jobs) << sentence;
  EXPECT_EQ(stored_reason(), planner::name_of(wanted));
  EXPECT_EQ(
      sentences(fmt::format("d.campaign_id = {} AND d.cluster_id IN (0, {}) AND d.reason <> 'standing'", campaign.value(), at.value())),
      sentence)
      << "what is stored and read is what was decided";
  const auto claim =
      std::visit(Claim{.campaign = campaign.value(), .cluster = found.cluster ? found.cluster->value() : 0, .now = now}, found.reason);
  EXPECT_EQ(value("SELECT " + claim), "t") << sentence << "\n" << claim;
  const auto then = std::visit(Remedy{*this}, found.reason);
  later(std::chrono::seconds{1});
  const int jobs = cycle();
  if (then == Then::jobs_start) EXPECT_GT(jobs, 0) << sentence << "\nand now: " << sentences();
  else EXPECT_EQ(jobs, 0) << sentence;
}

INSTANTIATE_TEST_SUITE_P(Why, EachReason, ::testing::Range(std::size_t{0}, std::variant_size_v<planner::Reason>),
                         [](const auto& tested) { return std::string{planner::name_of(all_reasons().at(tested.param))}; });

}  // namespace
}  // namespace gleaner::tests
