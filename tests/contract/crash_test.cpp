#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "tests/contract/raw_http.hpp"
#include "tests/contract/world.hpp"

/// OAR's server dies, and starts again.
namespace gleaner::contract {
namespace {

using oar::RemoteState;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::Not;

auto event(const std::string& type) { return Field(&oar::RemoteEvent::type, type); }

class ServerDeath : public Contract {
 protected:
  using Reports = Backend::Reports;
  using Moment = Backend::Moment;

  void SetUp() override {
    if (is_real() && std::getenv("GLEANER_TEST_LONG") == nullptr) GTEST_SKIP() << "minutes on the real OAR: with GLEANER_TEST_LONG";
  }
  static Backend& backend() { return world().backend(); }
  static bool is_real() { return backend().is_real(); }
  static bool is_running(const oar::RemoteJob& job) { return job.state == RemoteState::running; }
  static oar::SubmitRequest best_effort(const std::string& command, const std::string& walltime = "0:5:0") {
    auto request = world().request(command);
    request.types = {"besteffort"};
    request.walltime = walltime;
    return request;
  }
  /// A job that has started, and ends when the test lets it.
  struct Gated {
    grid::RemoteJobId id;
    std::string gate;
  };
  static Gated start_gated(oar::SubmitRequest request, int status) {
    static int number = 0;
    const auto gate = fmt::format("{}/gate.{}", world().token(), ++number);
    request.command = fmt::format("until [ -e {} ]; do sleep 0.1; done; exit {}", gate, status);
    return {world().submit(request).ids.front(), gate};
  }
  static void await_running(const std::vector<grid::RemoteJobId>& ids) { world().await(ids, is_running); }
  /// Writes the file that jobs wait for, by the API.
  static void open_gate(const std::string& gate) {
    const auto answer = raw(world().access(), "POST", "/media/~/" + gate,
                            {identity(world().access(), world().user()), kAcceptJson, "Content-Type: application/octet-stream"}, "x");
    EXPECT_EQ(answer.status, 201) << answer.body;
  }
  static void end(const std::vector<Gated>& jobs) {
    for (const auto& job : jobs) open_gate(job.gate);
    std::this_thread::sleep_for(std::chrono::seconds{2});  // no answer of OAR shows when they are over
  }
  static void expect_ended_without_its_command(const oar::JobDetails& details) {
    EXPECT_EQ(details.job.state, RemoteState::error);
    EXPECT_FALSE(details.job.exit_status);
    EXPECT_TRUE(details.job.started);
    EXPECT_THAT(details.job.message, HasSubstr("exterminated"));
    EXPECT_THAT(details.events, AllOf(Contains(event("SEND_KILL_JOB")), Contains(event("EXTERMINATE_JOB"))));
    EXPECT_FALSE(details.resubmitted_as);
  }
};
GLEANER_ON_EACH_BACKEND(ServerDeath);

TEST_P(ServerDeath, ASubmissionIsAnswered500_ButItsJobsAreThere_AndRunLater) {
  const auto request = world().request("exit", {"3", "3"});
  backend().kill_server(Reports::heard);
  constexpr int kTries = 5;
  auto answer = client().submit({&request, 1}).front();
  auto found = world().find(request);
  for (int tries = 1; !found && tries < kTries; ++tries) {  // Apache's own 500: no process of the API read it
    answer = client().submit({&request, 1}).front();
    found = world().find(request);
  }
  backend().start_server();
  ASSERT_FALSE(answer);
  EXPECT_TRUE(oar::outcome_unknown(answer.error())) << oar::describe(answer.error());
  ASSERT_TRUE(found);
  ASSERT_EQ(found->ids.size(), 2U);
  for (const auto& job : world().await_end(found->ids)) EXPECT_EQ(job.exit_status, 3 << 8);
}

TEST_P(ServerDeath, ADeletionIsAnswered400_ButNoted_AndCarriedOutWhenItIsAskedAgain) {
  const auto id = world().submit(world().request("sleep 200")).ids.front();
  await_running({id});
  backend().kill_server(Reports::heard);
  const auto answer =
      raw(world().access(), "DELETE", fmt::format("/jobs/{}.json", id.value()), {identity(world().access(), world().user()), kAcceptJson});
  const auto meanwhile = world().details(id);
  backend().start_server();
  EXPECT_EQ(answer.status, 400);
  EXPECT_THAT(answer.body, AllOf(HasSubstr("REGISTERED"), HasSubstr("Could not connect to the socket")));
  EXPECT_EQ(meanwhile.job.state, RemoteState::running);
  EXPECT_THAT(meanwhile.events, Contains(event("FRAG_JOB_REQUEST")));
  // By itself OAR may never do it; this is answered 400 again.
  const oar::JobOf asked{world().user(), id};
  EXPECT_EQ(until_answered([&] { return client().remove({&asked, 1}).front(); }), oar::Removal::already_over_or_asked);
  EXPECT_EQ(world().await_end({id}).front().state, RemoteState::error);
}

TEST_P(ServerDeath, AnEndMeanwhile_IsReportedAgainLater_EvenByAJobThatIsToBeKilled) {
  const auto failing = start_gated(best_effort("", "0:10:0"), 3);
  const auto late = start_gated(best_effort("", is_real() ? "0:0:20" : "0:0:4"), 0);
  await_running({failing.id, late.id});
  backend().kill_server(Reports::heard);
  end({failing, late});
  EXPECT_THAT(world().await({failing.id, late.id}, [](const auto&) { return true; }), Each(::testing::ResultOf(is_running, true)));
  backend().start_server();
  const auto jobs = world().await_end({failing.id, late.id});
  EXPECT_EQ(jobs[0].state, RemoteState::terminated);
  EXPECT_EQ(jobs[0].exit_status, 3 << 8);
  EXPECT_EQ(jobs[1].state, RemoteState::terminated) << "its walltime was over, and its own report came first";
  EXPECT_EQ(jobs[1].exit_status, 0);
}

/// Their commands have succeeded, all of them.
TEST_P(ServerDeath, AnEndThatIsNotReported_IsReplacedByAWalltime_APreemptionOrADeletion) {
  auto idempotent = best_effort("", "0:10:0");
  idempotent.types.emplace_back("idempotent");
  idempotent.properties = "resource_id = 16";
  auto others = best_effort("", is_real() ? "0:0:40" : "0:0:5");
  others.properties = "resource_id < 16";
  const auto over_time = start_gated(others, 0);
  others.walltime = "0:10:0";
  const auto deleted = start_gated(others, 0);
  const auto preempted = start_gated(idempotent, 0);
  await_running({over_time.id, deleted.id, preempted.id});
  backend().kill_server(Reports::missed);
  end({over_time, deleted, preempted});
  backend().start_server();
  const oar::JobOf asked{world().user(), deleted.id};
  ASSERT_TRUE(until_answered([&] { return client().remove({&asked, 1}).front(); }));
  auto local = world().request("true");
  local.properties = idempotent.properties;
  world().submit(local);
  world().await_end({over_time.id, deleted.id, preempted.id});
  const auto killed = world().details(over_time.id);
  expect_ended_without_its_command(killed);
  EXPECT_THAT(killed.events, AllOf(Contains(event("WALLTIME")), Contains(event("FRAG_JOB_REQUEST"))));
  const auto given_way = world().details(preempted.id);
  expect_ended_without_its_command(given_way);
  EXPECT_THAT(given_way.events, AllOf(Contains(event("BESTEFFORT_KILL")), Contains(event("FRAG_JOB_REQUEST"))));
  const auto removed = world().details(deleted.id);
  expect_ended_without_its_command(removed);
  EXPECT_THAT(removed.events, AllOf(Contains(event("FRAG_JOB_REQUEST")), Not(Contains(event("WALLTIME")))));
}

constexpr int kTries = 8;  ///< of deaths that are to come at the right moment

TEST_P(ServerDeath, AJobThatIsLaunchedMeanwhile_StaysLaunching_PastItsWalltime_UntilItIsDeleted) {
  std::optional<grid::RemoteJobId> left;
  for (int tries = 0; tries < kTries && !left; ++tries) {
    const bool sure = backend().arrange(Moment::launching);
    const auto jobs = world().submit(best_effort("true", "0:0:3"));
    const auto launching = [](const auto& job) {
      return job.state == RemoteState::launching || is_running(job) || oar::is_over(job.state);
    };
    world().await(jobs.ids, launching);
    if (!sure) {
      backend().kill_server(Reports::heard);
      backend().start_server();
    }
    // Longer than its walltime, and than OAR takes to check it.
    for (const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{sure ? 4 : 30};;) {
      const auto job = world().await(jobs.ids, [](const auto&) { return true; }).front();
      if (oar::is_over(job.state)) break;
      if (job.state == RemoteState::launching) left = job.id;
      if (std::chrono::steady_clock::now() > end) break;
      std::this_thread::sleep_for(std::chrono::milliseconds{200});
    }
    if (left && oar::is_over(world().details(*left).job.state)) left.reset();
  }
  ASSERT_TRUE(left) << "no death of the server came at the right moment";
  EXPECT_EQ(world().details(*left).job.state, RemoteState::launching);
  const oar::JobOf asked{world().user(), *left};
  ASSERT_TRUE(until_answered([&] { return client().remove({&asked, 1}).front(); }));
  world().await_end({*left});
  expect_ended_without_its_command(world().details(*left));
}

TEST_P(ServerDeath, AJobThatOarIsAboutToEnd_StaysFinishing_WithItsExitCode_WhateverIsAsked) {
  std::optional<oar::JobDetails> left;
  const auto is_at_its_end = [](const oar::RemoteJob& job) { return job.state == RemoteState::finishing || oar::is_over(job.state); };
  for (int tries = 0; tries < kTries && !left; ++tries) {
    const bool sure = backend().arrange(Moment::finishing);
    const auto gate = fmt::format("{}/finish.{}", world().token(), tries);
    auto request = best_effort(fmt::format("until [ -e {} ]; do sleep 0.1; done; exit", gate));
    request.lines = {"3", "3", "3", "3", "3", "3"};
    const auto ids = world().submit(request).ids;
    await_running(ids);
    if (sure) backend().kill_server(Reports::heard);
    open_gate(gate);
    while (std::ranges::none_of(*client().jobs(ids), is_at_its_end)) std::this_thread::sleep_for(std::chrono::milliseconds{20});
    if (!sure) backend().kill_server(Reports::heard);
    backend().start_server();
    std::this_thread::sleep_for(std::chrono::seconds{sure ? 1 : 10});  // it would be over in one
    for (const auto id : ids) {
      if (auto details = world().details(id); details.job.state == RemoteState::finishing) left = std::move(details);
    }
  }
  ASSERT_TRUE(left) << "no death of the server came at the right moment";
  EXPECT_EQ(left->job.exit_status, 3 << 8);
  EXPECT_TRUE(left->job.stopped);
  const oar::JobOf asked{world().user(), left->job.id};
  EXPECT_TRUE(until_answered([&] { return client().remove({&asked, 1}).front(); }));
  EXPECT_EQ(world().details(left->job.id).job.state, RemoteState::finishing);
  backend().mend();
}

}  // namespace
}  // namespace gleaner::contract
