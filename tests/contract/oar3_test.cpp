#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "lib/grid/clock.hpp"
#include "lib/oar/client.hpp"
#include "runner/command/command.hpp"
#include "tests/contract/oar3_backend.hpp"
#include "tests/contract/patience.hpp"
#include "tests/contract/raw_http.hpp"
#include "tests/contract/requests_of_widths.hpp"

/// OAR 3 as the client relies on it, on minioar and, where GLEANER_TEST_OAR3 names one, on a real one.
namespace gleaner::contract {
namespace {

using oar::RemoteState;
using oar::Removal;
using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

class Oar3 : public ::testing::TestWithParam<std::string> {
 protected:
  static Oar3Backend& backend() {
    static std::map<std::string, std::unique_ptr<Oar3Backend>> all;
    auto& one = all[GetParam()];
    if (!one) one = make_oar3_backend(GetParam());
    return *one;
  }
  Oar3() : client_{backend().access()}, start_{grid::now()} {}

  [[nodiscard]] oar::SubmitRequest request(const std::string& command, std::vector<std::string> lines = {}) {
    static int number = 0;
    oar::SubmitRequest request;
    request.user = backend().user();
    request.name = fmt::format("contract.{}.{}", ::getpid(), ++number);
    request.resources = "/core=1";
    request.walltime = "0:5:0";
    request.command = command;
    request.lines = std::move(lines);
    return request;
  }
  oar::Submitted submit(const oar::SubmitRequest& request) {
    auto submitted = std::move(client_.submit({&request, 1}).front());
    if (!submitted) throw std::runtime_error(oar::describe(submitted.error()));
    return *submitted;
  }
  /// OAR 3 does not notify its scheduler: a job may wait a minute for the next pass.
  std::vector<oar::RemoteJob> await(const std::vector<grid::RemoteJobId>& ids, bool (*holds)(const oar::RemoteJob&)) {
    for (Patience patience;;) {
      const auto jobs = client_.jobs(ids);
      if (jobs && jobs->size() == ids.size() && std::ranges::all_of(*jobs, holds)) return *jobs;
      patience.look_at(jobs.value_or(std::vector<oar::RemoteJob>{}));
      std::this_thread::sleep_for(300ms);
    }
  }
  std::vector<oar::RemoteJob> await_end(const std::vector<grid::RemoteJobId>& ids) {
    return await(ids, [](const oar::RemoteJob& job) { return oar::is_over(job.state); });
  }

  oar::Client client_;
  grid::Instant start_;
};
INSTANTIATE_TEST_SUITE_P(On, Oar3, ::testing::ValuesIn(asked_oar3_backends()), [](const auto& each) {
  auto name = each.param;
  std::ranges::replace(name, '-', '_');
  return name;
});

TEST_P(Oar3, ItsVersionAndResourcesAreKnown_AndItKnowsUsByTheirTokens) {
  EXPECT_THAT(client_.version().value_or("failed"), HasSubstr("3."));
  EXPECT_EQ(client_.who_am_i(backend().user()).value_or("failed"), backend().user());
  const auto resources = client_.resources("mem", "mem");
  ASSERT_TRUE(resources) << oar::describe(resources.error());
  EXPECT_GT(resources->usable(), 0);
  EXPECT_EQ(resources->nodes.size(), 2U);
  EXPECT_TRUE(resources->nodes.front().memory);
  EXPECT_TRUE(client_.stress());
}

TEST_P(Oar3, AJobHoldsWhatItsRequestCountsAs_BeforeAnyOfItRan) {
  const auto resources = client_.resources();
  ASSERT_TRUE(resources) << oar::describe(resources.error());
  std::vector<grid::RemoteJobId> ids;
  const auto texts = requests_of_widths(*resources);
  for (const auto& text : texts) {
    auto asked = request("true");
    asked.resources = text;
    ids.push_back(submit(asked).ids.front());
  }
  const auto jobs = await_end(ids);
  // A resource may serve two parts of a request there, by chance.
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const bool has_parts = texts[i].find('+') != std::string::npos;
    const auto most = counted_as(texts[i], *resources);
    EXPECT_TRUE(jobs[i].resources == most || (has_parts && jobs[i].resources > 0 && jobs[i].resources < most))
        << texts[i] << ": " << jobs[i].resources.value_or(0) << ", " << jobs[i].message;
  }
}

TEST_P(Oar3, TheIdsOfAnArrayAreInTheOrderOfItsLines_AndItsEndsAreWaitStatuses) {
  const auto asked = request("eval", {"exit 0", "exit 3", "kill -9 $$"});
  const auto submitted = submit(asked);
  ASSERT_EQ(submitted.ids.size(), 3U);
  const auto jobs = await_end(submitted.ids);
  EXPECT_EQ(jobs[0].exit_status, 0);
  EXPECT_EQ(jobs[1].exit_status, 3 << 8);
  EXPECT_EQ(jobs[2].exit_status, 9);
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    EXPECT_EQ(jobs[i].command, "eval " + asked.lines[i]);
    EXPECT_EQ(jobs[i].name, asked.name);
    EXPECT_EQ(jobs[i].owner, backend().user());
    EXPECT_EQ(jobs[i].array, submitted.array);
    EXPECT_TRUE(jobs[i].started);
    EXPECT_TRUE(jobs[i].stopped);
  }
}

TEST_P(Oar3, ALaunchWhoseAnswerWasLost_IsFoundByItsName_AlsoAfterItsEnd) {
  const auto asked = request("true");
  const auto submitted = submit(asked);
  const auto named = [&] {
    const auto jobs = client_.jobs_since(backend().user(), start_);
    if (!jobs) throw std::runtime_error(oar::describe(jobs.error()));
    return std::ranges::count(*jobs, asked.name, &oar::RemoteJob::name);
  };
  EXPECT_EQ(named(), 1);
  await_end(submitted.ids);
  EXPECT_EQ(named(), 1);
}

TEST_P(Oar3, ACommandIsWhatAShellWouldHaveLeft_AndItsFilesCanBeRead) {
  auto asked = request("echo $LOGNAME:\\$LOGNAME; echo no >&2; printf x > contract.file");
  const auto jobs = await_end(submit(asked).ids);
  ASSERT_EQ(jobs[0].exit_status, 0);
  EXPECT_EQ(client_.read_file(backend().user(), jobs[0].stderr_path, {.last_lines = 5}).value_or("failed"), "no\n");
  EXPECT_EQ(client_.read_file(backend().user(), "~/contract.file").value_or("failed"), "x");
  EXPECT_TRUE(client_.delete_path(backend().user(), "~/contract.file"));
  const auto gone = client_.read_file(backend().user(), "~/contract.file");
  ASSERT_FALSE(gone);
  EXPECT_TRUE(std::holds_alternative<oar::Refused>(gone.error())) << oar::describe(gone.error());
  EXPECT_TRUE(client_.find_folder(backend().user(), "~/."));
  EXPECT_FALSE(client_.find_folder(backend().user(), "~/no/such"));
}

TEST_P(Oar3, ADeletionIsNotedOnce_AndOnlyOfOnesOwn) {
  // The API only notes a deletion. Behind its other commands, OAR carried one out after four minutes on a busy machine, and the job had
  // begun meanwhile.
  auto long_job = request("sleep 3000");
  long_job.walltime = "1:0:0";
  const auto submitted = submit(long_job);
  const auto remove = [&](const std::string& user, grid::RemoteJobId id) {
    const oar::JobOf job{user, id};
    return std::move(client_.remove({&job, 1}).front());
  };
  const auto foreign = remove(backend().other_user(), submitted.ids[0]);
  ASSERT_FALSE(foreign);
  EXPECT_TRUE(std::holds_alternative<oar::Refused>(foreign.error()));
  const auto unknown = remove(backend().user(), grid::RemoteJobId{999'999});
  ASSERT_FALSE(unknown);
  EXPECT_TRUE(std::holds_alternative<oar::Refused>(unknown.error())) << oar::describe(unknown.error());
  EXPECT_EQ(remove(backend().user(), submitted.ids[0]).value(), Removal::accepted);
  EXPECT_EQ(remove(backend().user(), submitted.ids[0]).value(), Removal::already_over_or_asked);
  const auto jobs = await_end(submitted.ids);
  EXPECT_EQ(jobs[0].state, RemoteState::error);
  const oar::JobOf job{backend().user(), submitted.ids[0]};
  const auto details = std::move(client_.details({&job, 1}).front());
  ASSERT_TRUE(details);
  EXPECT_THAT(details->events, Contains(Field(&oar::RemoteEvent::type, "FRAG_JOB_REQUEST")));
}

TEST_P(Oar3, TheWrapperNotesTheEndInTheClaim_AndASecondJobOfTheAttemptRunsNothing) {
  const auto folder = fmt::format("~/.gleaner/contract{}", ::getpid());
  runner::LaunchFacts facts{.grid = "g",
                            .campaign = grid::CampaignId{1},
                            .exec_file = "echo ran >> contract.ran; echo no mesh >&2; exit",
                            .cluster = "c",
                            .user = backend().user(),
                            .workdir = "$HOME",
                            .resources = "/core=1",
                            .walltime = "0:5:0"};
  facts.noted = true;
  facts.grid = fmt::format("contract{}", ::getpid());
  const auto command = runner::JobCommand::create(facts);
  ASSERT_TRUE(command) << command.error();
  const auto run = [&](int job) {
    const auto line =
        runner::parameter_line({.task = grid::TaskNumber{5}, .attempt = 0, .job = grid::JobId{job}, .fence = "7", .arguments = {"4"}});
    return await_end(submit(request(command->text(), {line.value()})).ids).front();
  };
  const auto first = run(41);
  const auto second = run(42);
  EXPECT_EQ(oar::shell_status(first.exit_status.value_or(-1)), 4);
  EXPECT_EQ(oar::shell_status(second.exit_status.value_or(-1)), 113);
  const std::vector<oar::FenceOf> fences{{{backend().user(), folder + "/1/7"},
                                          {{grid::TaskNumber{5}, 0, grid::JobId{41}, first.id},
                                           {grid::TaskNumber{5}, 0, grid::JobId{42}, second.id},
                                           {grid::TaskNumber{6}, 0, grid::JobId{43}, grid::RemoteJobId{1}}}}};
  const auto traces = client_.evidence(fences, 10s);
  ASSERT_TRUE(traces[0]) << oar::describe(traces[0].error());
  EXPECT_THAT(traces[0]->names, ::testing::Each(fmt::format("5.0.41.{}.e4.xno,mesh", first.id.value())));
  EXPECT_EQ(client_.read_file(backend().user(), "~/contract.ran").value_or("failed"), "ran\n");
  EXPECT_TRUE(client_.delete_path(backend().user(), "~/contract.ran"));
  EXPECT_TRUE(client_.delete_path(backend().user(), folder));
}

TEST_P(Oar3, WhatIsRefused_MakesNoJob_AndBreaksNothing) {
  const auto refused = [&](auto change) {
    auto asked = request("true");
    change(asked);
    const auto answer = std::move(client_.submit({&asked, 1}).front());
    ASSERT_FALSE(answer) << asked.resources << asked.properties;
    EXPECT_TRUE(std::holds_alternative<oar::Refused>(answer.error())) << oar::describe(answer.error());
  };
  refused([](auto& asked) { asked.resources = "/core=100000"; });
  refused([](auto& asked) { asked.resources = "/nosuch=1"; });
  refused([](auto& asked) { asked.types = {"nosuchtype"}; });
  refused([](auto& asked) { asked.properties = "nosuch = 'x'"; });
  refused([](auto& asked) { asked.properties = "mem = 'much'"; });
  refused([](auto& asked) { asked.project = std::string(300, 'x'); });
  EXPECT_TRUE(client_.occupying()) << "its session is whole";
  auto asked = request("true");
  asked.properties = "mem >= 1 AND host LIKE '%-1'";
  const auto submitted = submit(asked);
  EXPECT_EQ(submitted.ids.size(), 1U);
}

TEST_P(Oar3, ABrokenSession_IsAnOutageWithItsOwnWords_AndEndsWithTheRestartOfTheApi) {
  const auto held = submit(request("sleep 100"));
  EXPECT_EQ(raw(backend().access(), "GET", "/jobs?states=Frob", {}, "").status, 500);
  const auto jobs = client_.occupying();
  ASSERT_FALSE(jobs);
  EXPECT_THAT(oar::describe(jobs.error()), HasSubstr("until the API is restarted"));
  const oar::JobOf job{backend().user(), held.ids[0]};
  const auto removal = std::move(client_.remove({&job, 1}).front());
  ASSERT_FALSE(removal);
  EXPECT_TRUE(oar::outcome_unknown(removal.error())) << "it says that there is no such job: " << oar::describe(removal.error());
  const auto asked = request("true");
  const auto answer = std::move(client_.submit({&asked, 1}).front());
  ASSERT_FALSE(answer);
  EXPECT_TRUE(oar::outcome_unknown(answer.error())) << oar::describe(answer.error());
  backend().restart_api();
  const auto found = client_.jobs_since(backend().user(), start_);
  ASSERT_TRUE(found) << oar::describe(found.error());
  EXPECT_EQ(std::ranges::count(*found, asked.name, &oar::RemoteJob::name), 0);
  EXPECT_EQ(client_.remove({&job, 1}).front().value(), Removal::accepted);
}

/// Some of two requests that meet are answered 500, and some of those were carried out.
TEST_P(Oar3, ClientsThatMeet_SubmitEachJobOnce_IfTheyLookBeforeTheyTryAgain) {
  constexpr int kEach = 8;
  std::vector<oar::SubmitRequest> asked;
  for (int i = 0; i < 2 * kEach; ++i) asked.push_back(request("true"));
  const auto work = [&](int begin) {
    oar::Client client{backend().access()};
    for (int i = begin; i < begin + kEach; ++i) {
      const auto& one = asked[static_cast<std::size_t>(i)];
      for (int tries = 0; tries < 20; ++tries) {
        if (client.submit({&one, 1}).front()) break;
        auto jobs = client.jobs_since(one.user, start_);
        while (!jobs) jobs = client.jobs_since(one.user, start_);
        if (std::ranges::count(*jobs, one.name, &oar::RemoteJob::name) > 0) break;
      }
    }
  };
  { const std::jthread first{work, 0}, second{work, kEach}; }
  const auto jobs = client_.jobs_since(backend().user(), start_);
  ASSERT_TRUE(jobs) << oar::describe(jobs.error());
  for (const auto& one : asked) EXPECT_EQ(std::ranges::count(*jobs, one.name, &oar::RemoteJob::name), 1) << one.name;
}

}  // namespace
}  // namespace gleaner::contract
