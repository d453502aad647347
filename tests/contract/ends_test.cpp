#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "tests/contract/raw_http.hpp"
#include "tests/contract/world.hpp"

/// How jobs end, and how one knows.
namespace gleaner::contract {
namespace {

using oar::RemoteState;
using oar::Removal;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::Not;

auto event(const std::string& type) { return Field(&oar::RemoteEvent::type, type); }
auto event(const std::string& type, const std::string& words) {
  return AllOf(Field(&oar::RemoteEvent::type, type), Field(&oar::RemoteEvent::description, HasSubstr(words)));
}

class Ends : public Contract {
 protected:
  static oar::JobDetails ended(const oar::Submitted& submitted) {
    world().await_end(submitted.ids);
    return world().details(submitted.ids.front());
  }
};
GLEANER_ON_EACH_BACKEND(Ends);

TEST_P(Ends, TerminatedIsTheEndOfACommand_AndItsStatusIsAWaitStatus) {
  const auto jobs = world().await_end(world().shared().ends.ids);
  for (const auto& job : jobs) {
    EXPECT_EQ(job.state, RemoteState::terminated);
    EXPECT_TRUE(job.started);
    EXPECT_TRUE(job.stopped);
  }
  EXPECT_EQ(jobs[0].exit_status, 0);
  EXPECT_EQ(jobs[1].exit_status, 3 << 8);
  EXPECT_EQ(jobs[2].exit_status, 9);
  EXPECT_EQ(jobs[3].exit_status, 127 << 8);
  EXPECT_EQ(oar::shell_status(*jobs[1].exit_status), 3);
  EXPECT_EQ(oar::shell_status(*jobs[2].exit_status), 137);
}

/// OAR's shell reads ~/.bashrc. Nothing is run, and nothing in OAR's record shows it: a mark of the command's own is needed.
TEST_P(Ends, AStartFileThatExits_EndsTheJobBeforeItsCommand_AndOarRecordsTheShellsStatus) {
  const auto& user = world().other_user();  // whose jobs no other test reads meanwhile
  const auto submit = [&](const std::string& line) {
    const oar::FileOf start{user, "~/.bashrc", line + "\n"};
    EXPECT_TRUE(until_answered([&] { return client().write_files({&start, 1}).front(); }));
    auto request = world().request(fmt::format("touch ~/{}.ran", world().token()));
    request.user = user;
    request.stdout_file = request.stderr_file = "/dev/null";
    return world().await_end(world().submit(request).ids).front();
  };
  const auto silent = submit(R"([ -z "$PS1" ] && exit)");
  const auto failing = submit("exit 1");
  EXPECT_TRUE(until_answered([&] { return client().delete_path(user, "~/.bashrc"); }));
  EXPECT_EQ(silent.state, RemoteState::terminated);
  EXPECT_EQ(silent.exit_status, 0);
  EXPECT_EQ(failing.exit_status, 1 << 8);
  const auto ran = until_answered([&] { return client().read_file(user, fmt::format("~/{}.ran", world().token())); });
  ASSERT_FALSE(ran);
  EXPECT_TRUE(std::holds_alternative<oar::Refused>(ran.error())) << oar::describe(ran.error());
}

/// A folder that is not there at the submission is another matter: versions_test.cpp.
TEST_P(Ends, AWorkingDirectoryThatIsGoneAtTheStart_IsAnErrorWithoutAStatus) {
  const auto folder = world().token() + "/gone";
  ASSERT_EQ(world().await_end(world().submit(world().request("mkdir " + folder)).ids).front().exit_status, 0);
  const std::vector<std::string> headers{identity(world().access(), world().user()), kAcceptJson, "Content-Type: application/json"};
  const auto held = raw(world().access(), "POST", "/jobs.json", headers,
                        fmt::format(R"({{"command":"true","stdout":"/dev/null","stderr":"/dev/null","hold":"1","directory":"$HOME/{0}",)"
                                    R"("name":"{1}.gone"}})",
                                    folder, world().token()));
  ASSERT_EQ(held.status, 201) << held.body;
  rapidjson::Document document;
  document.Parse(held.body.c_str());
  const grid::RemoteJobId id{document["id"].GetInt64()};
  ASSERT_TRUE(until_answered([&] { return client().delete_path(world().user(), "~/" + folder); }));
  ASSERT_EQ(raw(world().access(), "POST", fmt::format("/jobs/{}/resumptions/new.json", id.value()), headers, "{}").status, 202);
  world().await_end({id});
  const auto details = world().details(id);
  EXPECT_EQ(details.job.state, RemoteState::error);
  EXPECT_FALSE(details.job.exit_status);
  EXPECT_THAT(details.events, Contains(event("WORKING_DIRECTORY")));
}

TEST_P(Ends, AnOutputThatCannotBeWritten_IsAnError) {
  const auto details = ended(world().shared().no_output);
  EXPECT_EQ(details.job.state, RemoteState::error);
  EXPECT_THAT(details.events, Contains(event("OUTPUT_FILES")));
}

TEST_P(Ends, AJobOverItsWalltimeIsKilled_AndTheEventStatesWhy) {
  const auto details = ended(world().shared().over_time);
  EXPECT_EQ(details.job.state, RemoteState::error);
  EXPECT_FALSE(details.job.exit_status);
  EXPECT_THAT(details.events, Contains(event("WALLTIME")));
  EXPECT_THAT(details.events, Not(Contains(event("BESTEFFORT_KILL"))));
}

TEST_P(Ends, APreemptedJobWasKilledForALocalOne_AndAnIdempotentOneIsRunAgainByOar) {
  const auto victim = world().shared().best_effort.ids.front();
  const auto start = world().await({victim}, [](const auto& job) { return job.state == RemoteState::running || oar::is_over(job.state); });
  if (!oar::is_over(start.front().state)) {  // any job of the other tests may have taken its place before
    auto local = world().request("true");
    local.properties = world().shared().best_effort_place;
    world().submit(local);
  }
  const auto details = ended(world().shared().best_effort);
  EXPECT_EQ(details.job.state, RemoteState::error);
  EXPECT_FALSE(details.job.exit_status);
  EXPECT_THAT(details.events, Contains(event("BESTEFFORT_KILL")));
  EXPECT_THAT(details.events, Contains(event("FRAG_JOB_REQUEST", "root")));
  ASSERT_TRUE(details.resubmitted_as);
  const auto second = world().details(*details.resubmitted_as);
  EXPECT_EQ(second.resubmit_of, victim);
  EXPECT_EQ(second.job.name, details.job.name);
  EXPECT_EQ(second.job.command, details.job.command);
}

/// Polling may skip any of the short states, but never goes back.
TEST_P(Ends, StatesOnlyGoForward) {
  static const std::vector<RemoteState> kOrder{RemoteState::waiting, RemoteState::to_launch, RemoteState::launching,
                                               RemoteState::running, RemoteState::finishing, RemoteState::to_error,
                                               RemoteState::error,   RemoteState::terminated};
  const auto place_of = [](RemoteState state) { return std::ranges::find(kOrder, state) - kOrder.begin(); };
  const auto submitted = world().submit(world().request("sleep 1"));
  std::vector<RemoteState> seen;
  const auto job = world()
                       .await(submitted.ids,
                              [&](const auto& now) {
                                seen.push_back(now.state);
                                return oar::is_over(now.state);
                              })
                       .front();
  EXPECT_TRUE(std::ranges::is_sorted(seen, {}, place_of));
  EXPECT_EQ(job.state, RemoteState::terminated);
}

class Deletion : public Contract {
 protected:
  struct Asked {
    oar::Result<Removal> removal;
    bool twice = false;
  };
  /// Asked again, a deletion may have been noted the first time.
  template <class Ask>
  static Asked answered(oar::Result<Removal> first, Ask&& ask) {
    const bool twice = broke_off(first);
    return {twice ? until_answered(ask) : std::move(first), twice};
  }
  static Asked remove(const std::string& user, grid::RemoteJobId id) {
    const auto ask = [&] {
      const oar::JobOf asked{user, id};
      return client().remove({&asked, 1}).front();
    };
    return answered(ask(), ask);
  }
  static Asked remove_array(grid::RemoteJobId array) {
    const auto ask = [&] { return client().remove_array(world().user(), array); };
    return answered(ask(), ask);
  }
  static void expect_accepted(const Asked& asked) {
    ASSERT_TRUE(asked.removal) << oar::describe(asked.removal.error());
    EXPECT_TRUE(*asked.removal == Removal::accepted || (asked.twice && *asked.removal == Removal::already_over_or_asked));
  }
  static void expect_asked_before(const Asked& asked) {
    ASSERT_TRUE(asked.removal) << oar::describe(asked.removal.error());
    EXPECT_EQ(*asked.removal, Removal::already_over_or_asked);
  }
  static void expect_refused(const Asked& asked) {
    ASSERT_FALSE(asked.removal);
    ASSERT_TRUE(std::holds_alternative<oar::Refused>(asked.removal.error())) << oar::describe(asked.removal.error());
    EXPECT_EQ(std::get<oar::Refused>(asked.removal.error()).status, 400);
  }
};
GLEANER_ON_EACH_BACKEND(Deletion);

TEST_P(Deletion, IsNotedOnce_AndSaidToBeNotedAfterwards) {
  const auto id = world().submit(world().request("sleep 100")).ids.front();
  world().await({id}, [](const auto& job) { return job.state == RemoteState::running; });
  expect_accepted(remove(world().user(), id));
  expect_asked_before(remove(world().user(), id));
  world().await_end({id});
  expect_asked_before(remove(world().user(), id));
  const auto details = world().details(id);
  EXPECT_EQ(details.job.state, RemoteState::error);
  EXPECT_FALSE(details.job.exit_status);
  EXPECT_THAT(details.events, Contains(event("FRAG_JOB_REQUEST", world().user())));
  EXPECT_THAT(details.events, Not(Contains(event("BESTEFFORT_KILL"))));
}

TEST_P(Deletion, OfAJobThatWaits_EndsItInErrorToo_WithoutAStart) {
  auto request = world().request("true");
  request.properties = "resource_id = 2";
  const auto id = world().submit(request).ids.front();
  expect_accepted(remove(world().user(), id));
  const auto job = world().await_end({id}).front();
  EXPECT_EQ(job.state, RemoteState::error);
  EXPECT_FALSE(job.started) << "so that its task need not pay an attempt for it";
}

/// Accepted or not, it changes nothing: only the state of a job says what became of it.
TEST_P(Deletion, OfAJobThatHasEndedByItself_LeavesItAsItWas) {
  const auto id = world().await_end(world().shared().echo.ids).front().id;
  const auto asked = remove(world().user(), id);
  ASSERT_TRUE(asked.removal) << oar::describe(asked.removal.error());
  expect_asked_before(remove(world().user(), id));
  const auto after = world().await_end({id}).front();
  EXPECT_EQ(after.state, RemoteState::terminated);
  EXPECT_EQ(after.exit_status, 0);
}

TEST_P(Deletion, OfAnUnknownOrForeignJob_IsRefused) {
  expect_refused(remove(world().user(), grid::RemoteJobId{999'999'998}));
  expect_refused(remove(world().other_user(), world().shared().long_one.ids.front()));
}

TEST_P(Deletion, OfAnArray_TakesAllThatIsLeft) {
  auto request = world().request("sleep", {"0", "100", "100", "100"});
  const auto submitted = world().submit(request);
  world().await_end({submitted.ids.front()});
  expect_accepted(remove_array(submitted.array));
  const auto jobs = world().await_end(submitted.ids);
  EXPECT_EQ(jobs.front().state, RemoteState::terminated);
  EXPECT_TRUE(std::all_of(jobs.begin() + 1, jobs.end(), [](const auto& job) { return job.state == RemoteState::error; }));
  expect_asked_before(remove_array(submitted.array));
}

TEST_P(Deletion, OfManyJobs_GoesTogether) {
  auto request = world().request("sleep", {"100", "100", "100"});
  request.types = {"besteffort"};
  const auto submitted = world().submit(request);
  std::vector<oar::JobOf> asked;
  for (const auto id : submitted.ids) {
    asked.push_back({world().user(), id});
  }
  const auto removals = client().remove(asked);
  ASSERT_EQ(removals.size(), asked.size());
  for (std::size_t i = 0; i < asked.size(); ++i)
    expect_accepted(answered(removals[i], [&] { return client().remove({&asked[i], 1}).front(); }));
  for (const auto& job : world().await_end(submitted.ids)) {
    EXPECT_EQ(job.state, RemoteState::error);
  }
}

}  // namespace
}  // namespace gleaner::contract
