#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "lib/grid/clock.hpp"
#include "lib/grid/evidence.hpp"
#include "lib/grid/job_identity.hpp"
#include "lib/oar/client.hpp"
#include "tests/contract/minioar_process.hpp"
#include "tests/contract/patience.hpp"
#include "tests/contract/raw_http.hpp"

/// Grid'5000's API as the client relies on it, on a stand-in that was written after its public reference: `minioar --api g5k`.
namespace gleaner::contract {
namespace {

using oar::RemoteState;
using oar::Removal;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using namespace std::chrono_literals;

constexpr int kRefusedHere = 0;

class Grid5000 : public ::testing::Test {
 protected:
  static MiniOarProcess& process() {
    const char* const folder = std::getenv("GLEANER_BIN_DIR");
    static MiniOarProcess one{
        (folder == nullptr ? std::string{"build/bin"} : folder) + "/minioar", "2.5", {"ada", "bob"}, {"--api", "g5k"}};
    return one;
  }
  static oar::Access access_of(const std::string& user) {
    oar::Access access;
    access.name = "grenoble";
    access.url = process().url();
    access.api = oar::Api::g5k;
    access.authentication = oar::Authentication::basic;
    access.login = user;
    access.secret = process().secret();
    return access;
  }
  /// A request of the grid: one job, whose command has its identity.
  oar::SubmitRequest request(const std::string& command) {
    static std::int64_t number = 100;
    ++number;
    oar::SubmitRequest request;
    request.user = "ada";
    request.name = grid::launch_tag(fmt::format("t{}", ::getpid()), grid::CampaignId{3}, grid::LaunchId{number});
    request.resources = "/core=1";
    request.walltime = "0:5:0";
    request.command = fmt::format("{} #{} 7 2", command, " " + grid::command_mark(fmt::format("t{}", ::getpid()), grid::CampaignId{3}));
    request.lines = {};
    request.command += fmt::format(" {} {} -", number, number);
    return request;
  }
  oar::Submitted submit(const oar::SubmitRequest& request) {
    auto submitted = std::move(client_.submit({&request, 1}).front());
    if (!submitted) throw std::runtime_error(oar::describe(submitted.error()));
    return *submitted;
  }
  oar::RemoteJob await(grid::RemoteJobId id, bool (*holds)(const oar::RemoteJob&)) {
    for (Patience patience;;) {
      const auto jobs = client_.jobs({&id, 1});
      if (jobs && jobs->size() == 1 && holds(jobs->front())) return jobs->front();
      patience.look_at(jobs.value_or(std::vector<oar::RemoteJob>{}));
      std::this_thread::sleep_for(100ms);
    }
  }
  oar::RemoteJob await_end(grid::RemoteJobId id) {
    return await(id, [](const oar::RemoteJob& job) { return oar::is_over(job.state); });
  }
  /// The evidence of a request's job.
  oar::Traces evidence(const oar::SubmitRequest& request, grid::RemoteJobId id) {
    const auto job = grid::read_command(request.command).value();
    const oar::FenceOf fence{{"ada", "~/.gleaner/t/3/1"}, {{job.task, job.attempt, job.job, id}}};
    auto traces = std::move(client_.evidence({&fence, 1}, 5s).front());
    if (!traces) throw std::runtime_error(oar::describe(traces.error()));
    return *traces;
  }

  oar::Client client_{access_of("ada")};
  grid::Instant start_ = grid::now();
};

TEST_F(Grid5000, ItsNodesAreTheResources_AndItKnowsUsByTheLoginAlone) {
  const auto resources = client_.resources("load", "mem");
  ASSERT_TRUE(resources) << oar::describe(resources.error());
  EXPECT_EQ(resources->usable(), 16);
  ASSERT_EQ(resources->nodes.size(), 2U);
  EXPECT_EQ(resources->nodes[0].resources, 8);
  EXPECT_EQ(client_.who_am_i("ada").value_or("failed"), "ada");
  const auto other = client_.who_am_i("bob");
  ASSERT_FALSE(other);
  EXPECT_THAT(oar::describe(other.error()), HasSubstr("does nothing in the name of 'bob'"));
  EXPECT_THAT(client_.version().value_or("failed"), HasSubstr("Grid'5000"));
  auto access = access_of("ada");
  access.secret = "wrong";
  const auto refused = oar::Client{access}.version();
  ASSERT_FALSE(refused);
  EXPECT_EQ(std::get<oar::Refused>(refused.error()).status, 401);
}

TEST_F(Grid5000, AJobIsKnownByItsName_BecauseItsCommandIsAFileThere_AndTheFileGoesWithItsEnd) {
  const auto asked = request("true");
  const auto id = submit(asked).ids.front();
  const auto listed = client_.jobs_since("ada", start_);
  ASSERT_TRUE(listed) << oar::describe(listed.error());
  const auto found = std::ranges::find(*listed, asked.name, &oar::RemoteJob::name);
  ASSERT_NE(found, listed->end());
  EXPECT_EQ(grid::identity_in(found->as(), {asked.name, "ada"}), grid::read_command(asked.command));
  const auto shown = raw(client_.access(), "GET", fmt::format("/jobs/{}", id.value()), {kAcceptJson}).body;
  EXPECT_THAT(shown, HasSubstr("\"command\":\"./oarapi.subscript."));
  const auto over = await_end(id);
  EXPECT_EQ(over.exit_status, 0);
  EXPECT_EQ(over.resources, 1);
  EXPECT_EQ(grid::identity_in(over.as(), {asked.name, "ada"}), grid::read_command(asked.command)) << "after its end, too";
  const auto second = submit(request("ls oarapi.subscript.* | wc -l | grep -qx 1")).ids.front();
  EXPECT_EQ(await_end(second).exit_status, 0) << "its own file alone is there";
}

TEST_F(Grid5000, TheEndOfAJobStandsForItsEvidence_AndAnExitOfAShellBeforeItProvesNothing) {
  struct Case {
    const char* command;
    std::optional<std::string> end;
    int status;
  };
  for (const auto& [command, end, status] : {Case{"true", "e0", 0}, Case{"(exit 3)", "e3", 3}, Case{"(exit 115)", "e1", 1},
                                             Case{"(exit 113)", {}, 113}, Case{"exit 0", {}, 0}}) {
    const auto asked = request(command);
    const auto id = submit(asked).ids.front();
    EXPECT_EQ(oar::shell_status(await_end(id).exit_status.value_or(-1)), status) << command;
    const auto traces = evidence(asked, id);
    const auto job = grid::read_command(asked.command).value();
    if (end) EXPECT_THAT(traces.names, ElementsAre(fmt::format("7.2.{}.{}.{}", job.job.value(), id.value(), *end))) << command;
    else {
      EXPECT_THAT(traces.names, IsEmpty()) << command;
      EXPECT_THAT(traces.unreadable, ElementsAre(job.job)) << command;
    }
  }
}

TEST_F(Grid5000, AJobThatRuns_HasNoEvidenceYet_AndOneThatWasKilledHasBegun) {
  const auto asked = request("sleep 100");
  const auto id = submit(asked).ids.front();
  await(id, [](const oar::RemoteJob& job) { return job.state == RemoteState::running; });
  EXPECT_EQ(evidence(asked, id).unread.size(), 1U);
  const auto occupying = client_.occupying();
  ASSERT_TRUE(occupying);
  EXPECT_NE(std::ranges::find(*occupying, id, &oar::RemoteJob::id), occupying->end());
  EXPECT_EQ(client_.held_by_node("ada").value_or(std::map<std::string, int>{}).size(), 1U);
  const oar::JobOf foreign{"bob", id}, own{"ada", id};
  oar::Client bob{access_of("bob")};
  const auto refused = std::move(bob.remove({&foreign, 1}).front());
  ASSERT_FALSE(refused);
  EXPECT_EQ(std::get<oar::Refused>(refused.error()).status, 403);
  EXPECT_EQ(client_.remove({&own, 1}).front().value(), Removal::accepted);
  await_end(id);
  const auto traces = evidence(asked, id);
  ASSERT_EQ(traces.names.size(), 1U);
  EXPECT_TRUE(traces.names[0].ends_with(".s")) << traces.names[0];
  const auto details = std::move(client_.details({&own, 1}).front());
  ASSERT_TRUE(details) << oar::describe(details.error());
  EXPECT_NE(std::ranges::find(details->events, std::string{"FRAG_JOB_REQUEST"}, &oar::RemoteEvent::type), details->events.end());
}

TEST_F(Grid5000, WhatIsNotThere_IsSaidAs404_AndLeftOutOfLists) {
  const std::vector<grid::RemoteJobId> ids{grid::RemoteJobId{900'000}};
  EXPECT_THAT(client_.jobs(ids).value_or(std::vector<oar::RemoteJob>(1)), IsEmpty());
  const oar::JobOf job{"ada", ids[0]};
  const auto details = std::move(client_.details({&job, 1}).front());
  ASSERT_FALSE(details);
  EXPECT_EQ(std::get<oar::Refused>(details.error()).status, 404);
  EXPECT_EQ(std::get<oar::Refused>(client_.remove({&job, 1}).front().error()).status, 404);
}

TEST_F(Grid5000, ARefusedRequestMakesNoJob_AndAnotherUsersIsNotSent) {
  auto asked = request("true");
  asked.resources = "/nosuch=1";
  const auto refused = std::move(client_.submit({&asked, 1}).front());
  ASSERT_FALSE(refused);
  EXPECT_FALSE(oar::outcome_unknown(refused.error())) << oar::describe(refused.error());
  asked = request("true");
  asked.user = "bob";
  const auto other = std::move(client_.submit({&asked, 1}).front());
  ASSERT_FALSE(other);
  EXPECT_EQ(std::get<oar::Refused>(other.error()).status, kRefusedHere);
}

TEST_F(Grid5000, EachLineOfARequestIsAJobOfItsOwn_AndFilesAreRefused) {
  auto asked = request("");
  const auto mark = asked.command.find("gleaner.");
  asked.command = "(exit 0) # " + asked.command.substr(mark, asked.command.find(' ', mark) - mark);
  asked.lines = {"1 0 5 7 -", "2 0 6 7 -"};
  const auto submitted = submit(asked);
  ASSERT_EQ(submitted.ids.size(), 2U);
  const auto jobs = client_.jobs(submitted.ids);
  ASSERT_TRUE(jobs);
  EXPECT_EQ(grid::read_command(jobs->at(0).command)->task, grid::TaskNumber{1});
  EXPECT_EQ(grid::read_command(jobs->at(1).command)->task, grid::TaskNumber{2});
  EXPECT_FALSE(client_.read_file("ada", "~/x"));
  EXPECT_FALSE(client_.list_folder("ada", "~/"));
  const oar::FileOf file{{"ada", "~/x"}, "x"};
  EXPECT_FALSE(client_.write_files({&file, 1}).front());
  const oar::SignalOf signal{{"ada", submitted.ids[0]}, 12};
  EXPECT_FALSE(client_.signal({&signal, 1}).front());
}

TEST_F(Grid5000, AListOfManyPages_IsReadWhole) {
  auto access = access_of("ada");
  oar::Limits limits;
  limits.page = 3;
  oar::Client small{access, limits};
  std::vector<std::string> names;
  for (int i = 0; i < 8; ++i) {
    const auto asked = request("true");
    submit(asked);
    names.push_back(asked.name);
  }
  const auto jobs = small.jobs_since("ada", start_);
  ASSERT_TRUE(jobs) << oar::describe(jobs.error());
  for (const auto& name : names) EXPECT_EQ(std::ranges::count(*jobs, name, &oar::RemoteJob::name), 1) << name;
}

}  // namespace
}  // namespace gleaner::contract
