#include <fmt/chrono.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <set>
#include <string>
#include <thread>

#include "lib/grid/clock.hpp"
#include "tests/contract/raw_http.hpp"
#include "tests/contract/world.hpp"

namespace gleaner::contract {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::vector<grid::RemoteJobId> ids_of(const std::vector<oar::RemoteJob>& jobs) {
  std::vector<grid::RemoteJobId> ids;
  std::ranges::transform(jobs, std::back_inserter(ids), &oar::RemoteJob::id);
  return ids;
}

template <class T>
T value(oar::Result<T> result) {
  if (!result) {
    throw std::runtime_error(oar::describe(result.error()));
  }
  return std::move(*result);
}

/// The parts of an answer that another request may repeat.
template <std::invocable Ask>
auto value(Ask&& ask) {
  return value(until_answered(ask));
}

class Lists : public Contract {
 protected:
  static rapidjson::Document list(const std::string& query) {
    const auto answer = raw(world().access(), "GET", "/jobs.json?" + query, {identity(world().access(), world().user()), kAcceptJson});
    EXPECT_EQ(answer.status, 200) << answer.body;
    rapidjson::Document document;
    document.Parse(answer.body.c_str());
    return document;
  }
  static std::set<std::int64_t> numbers(const rapidjson::Document& document) {
    std::set<std::int64_t> found;
    for (const auto& item : document["items"].GetArray()) {
      found.insert(item["id"].GetInt64());
    }
    return found;
  }
};
GLEANER_ON_EACH_BACKEND(Lists);

TEST_P(Lists, WithoutAFilter_OnlyJobsThatAreNotOver) {
  const auto over = world().await_end(world().shared().echo.ids).front().id;
  const auto running = world().shared().long_one.ids.front();
  const auto found = numbers(list("limit=10000"));
  EXPECT_THAT(found, Contains(running.value()));
  EXPECT_THAT(found, Not(Contains(over.value())));
}

TEST_P(Lists, ResourcesWithSomeProperties_AreCounted) {
  const auto matching = [](const std::string& properties, oar::Effort effort = oar::Effort::best) {
    return until_answered([&] { return client().matching(world().user(), properties, effort); });
  };
  const auto all = value([&] { return client().resources(); }).usable();
  EXPECT_EQ(value(matching("core <= 3")), 3);
  EXPECT_EQ(value(matching("core <= 3 OR core = 4", oar::Effort::normal)), 4);
  EXPECT_EQ(value(matching("core > 0")), all);
  EXPECT_EQ(value(matching("host LIKE '%-1' AND mem IN (16)")), value([&] { return client().resources(); }).nodes.front().usable);
  EXPECT_EQ(value(matching("core < 0")), 0) << "none, and no error";
  const auto unknown = matching("nonsense = 3");
  ASSERT_FALSE(unknown);
  EXPECT_TRUE(std::holds_alternative<oar::ServerError>(unknown.error())) << oar::describe(unknown.error());
  const auto answer =
      raw(world().access(), "GET", "/select_all?limit=1&query=FROM%20nothing", {identity(world().access(), world().user()), kAcceptJson});
  EXPECT_EQ(answer.status, 500);
  EXPECT_THAT(answer.body, HasSubstr("SQL error"));
  EXPECT_EQ(raw(world().access(), "GET", "/select_all?limit=1&query=FROM%20nothing", {kAcceptJson}).status, 401);
}

TEST_P(Lists, ResourcesThatJobsHold_AreCountedByNode) {
  world().await(world().shared().long_one.ids, [](const oar::RemoteJob& job) { return job.state == oar::RemoteState::running; });
  const auto nodes = value([&] { return client().resources("mem"); }).nodes;
  for (const auto& node : nodes) EXPECT_EQ(node.load, 16) << "any property that is a number will do";
  int total = 0;
  for (const auto& [node, resources] : value([&] { return client().held_by_node(world().user()); })) {
    const auto known = std::ranges::find(nodes, node, &oar::Node::name);
    ASSERT_NE(known, nodes.end()) << node;
    EXPECT_LE(resources, known->resources);
    total += resources;
  }
  EXPECT_GE(total, 1);
  int held = 0, usable = 0;
  for (const auto& node : value([&] { return client().free_by_node(world().user()); })) {
    EXPECT_LE(node.held, node.usable);
    EXPECT_TRUE(node.best_effort);
    held += node.held;
    usable += node.usable;
  }
  EXPECT_GE(held, 1);
  EXPECT_EQ(usable, value([&] { return client().resources(); }).usable());
}

TEST_P(Lists, AnArrayOrIdsReplaceThatFilter) {
  const auto& echo = world().shared().echo;
  world().await_end(echo.ids);
  EXPECT_EQ(list("array=" + std::to_string(echo.array.value()))["total"].GetUint64(), echo.ids.size());
  EXPECT_EQ(ids_of(value([&] { return client().jobs(echo.ids); })), echo.ids);
}

TEST_P(Lists, PagesHaveATotalAndALinkToTheNext) {
  const auto query = "array=" + std::to_string(world().shared().echo.array.value());
  const auto first = list(query + "&limit=2");
  EXPECT_EQ(first["items"].Size(), 2U);
  EXPECT_EQ(first["total"].GetInt(), 3);
  EXPECT_EQ(first["offset"].GetInt(), 0);
  bool has_next = false;
  for (const auto& link : first["links"].GetArray()) {
    has_next = has_next || std::string{link["rel"].GetString()} == "next";
  }
  EXPECT_TRUE(has_next);
  const auto second = list(query + "&limit=2&offset=2");
  EXPECT_EQ(second["items"].Size(), 1U);
  EXPECT_EQ(second["total"].GetInt(), 3);
}

TEST_P(Lists, BeyondTheLastPageThereIsNothing_AndTheTotalIsStillSaid) {
  const auto page = list("array=" + std::to_string(world().shared().echo.array.value()) + "&limit=2&offset=1000");
  EXPECT_EQ(page["items"].Size(), 0U);
  EXPECT_EQ(page["total"].GetInt(), 3);
}

TEST_P(Lists, TheClientReadsEveryPage) {
  oar::Limits limits;
  limits.page = 2;
  oar::Client patient{world().access(), limits};
  const auto& ends = world().shared().ends;
  EXPECT_EQ(ids_of(value([&] { return patient.jobs(ends.ids); })), ends.ids);
  EXPECT_EQ(value([&] { return patient.resources(); }).total, value([&] { return client().resources(); }).total);
}

TEST_P(Lists, IdsAreAskedForInPieces_AndUnknownOnesAreLeftOut) {
  oar::Limits limits;
  limits.url_bytes = 20;
  oar::Client brief{world().access(), limits};
  auto asked = world().shared().ends.ids;
  asked.insert(asked.end(), world().shared().echo.ids.begin(), world().shared().echo.ids.end());
  auto expected = asked;
  std::ranges::sort(expected);
  asked.emplace_back(999'999'998);
  asked.push_back(asked.front());
  EXPECT_EQ(ids_of(value([&] { return brief.jobs(asked); })), expected);
}

TEST_P(Lists, NoIdsAreNoJobs) {
  EXPECT_THAT(value([&] { return client().jobs({}); }), IsEmpty());
}

TEST_P(Lists, AnUnknownStateIsNoJob) { EXPECT_EQ(list("state=Nonsense")["items"].Size(), 0U); }

TEST_P(Lists, AJobThatWaitsHasNoDatesOfItsOwnYet) {
  const auto waiting = value([&] { return client().jobs(world().shared().held_back.ids); }).front();
  EXPECT_EQ(waiting.state, oar::RemoteState::waiting);
  EXPECT_EQ(waiting.owner, world().user());
  EXPECT_GT(waiting.submitted, grid::Instant{});
  EXPECT_FALSE(waiting.stopped);
  EXPECT_FALSE(waiting.exit_status);
}

TEST_P(Lists, AnAdvanceReservation_IsKnownBeforeItBegins_WithItsWalltimeAndItsResources) {
  constexpr grid::Seconds kBefore{3600}, kWalltime{660};
  const auto begin = grid::now() + kBefore;
  const auto answer = raw(
      world().access(), "POST", "/jobs.json", {identity(world().access(), world().user()), kAcceptJson, "Content-Type: application/json"},
      fmt::format(R"({{"resource":"/core=1,walltime=0:11:0","command":"true","name":"{}","reservation":"{:%Y-%m-%d %H:%M:%S}"}})",
                  world().token() + "_reserved", fmt::localtime(static_cast<std::time_t>(grid::to_unix(begin)))));
  ASSERT_EQ(answer.status, 201) << answer.body;
  rapidjson::Document document;
  document.Parse(answer.body.c_str());
  const grid::RemoteJobId id{document["id"].GetInt64()};
  const auto known = [&] {
    const auto all = value([&] { return client().reservations(); });
    return std::ranges::count_if(all, [&](const grid::AdvanceReservation& one) {
      constexpr grid::Seconds kClocks{30};
      return one.resources == 1 && one.until - one.from == kWalltime && one.from > begin - kClocks && one.from < begin + kClocks;
    });
  };
  // Listed when the scheduler has shown its plan.
  const auto becomes = [&](int reservations) {
    for (int looks = 0; looks < 200 && known() != reservations; ++looks) std::this_thread::sleep_for(std::chrono::milliseconds{300});
    return known() == reservations;
  };
  EXPECT_TRUE(becomes(1));
  const auto job = value([&] { return client().jobs({&id, 1}); }).front();
  EXPECT_TRUE(job.reserved);
  EXPECT_EQ(job.state, oar::RemoteState::waiting);
  EXPECT_FALSE(value([&] { return client().jobs(world().shared().held_back.ids); }).front().reserved);
  const oar::JobOf whose{world().user(), id};
  EXPECT_TRUE(client().remove({&whose, 1}).front());
  // Its end is not waited for by its id: OAR gives it the time of its begin, which is to come, and does not list it until then.
  EXPECT_TRUE(becomes(0));
}

TEST_P(Lists, AJobThatRunsStatesHowManyResourcesItTakes) {
  const auto running =
      world().await(world().shared().long_one.ids, [](const auto& job) { return job.state == oar::RemoteState::running; }).front();
  EXPECT_EQ(running.resources, 1);
  EXPECT_EQ(running.walltime, grid::Seconds{3600});
  EXPECT_TRUE(running.started);
  EXPECT_FALSE(running.exit_status);
}

TEST_P(Lists, WhatOccupiesTheClusterIsWhatRuns) {
  const auto running = world().shared().long_one.ids.front();
  world().await({running}, [](const auto& job) { return job.state == oar::RemoteState::running; });
  const auto over = world().await_end(world().shared().echo.ids).front().id;
  const auto occupying = ids_of(value([&] { return client().occupying(); }));
  EXPECT_THAT(occupying, Contains(running));
  EXPECT_THAT(occupying, Not(Contains(over)));
  EXPECT_THAT(occupying, Not(Contains(world().shared().held_back.ids.front())));
}

/// OAR's `from` alone leaves out jobs that are being launched or that finish. While a job is launched, it may be in no list for a moment:
/// its start is written, its resources are not yet, and the schedule is written anew, which are the three places where OAR looks
/// (get_jobs_for_user_query). Whoever looks for a job looks several times.
TEST_P(Lists, JobsSinceAMoment_AreFoundInEveryStateTheyPassThrough_AndMissingInNoTwoListsInARow) {
  const auto since = std::chrono::floor<grid::Instant::duration>(std::chrono::system_clock::now());
  auto request = world().request("true", {"1", "2", "3", "4"});
  request.types = {"besteffort"};
  const auto submitted = world().submit(request);
  const std::set<grid::RemoteJobId> expected(submitted.ids.begin(), submitted.ids.end());
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds{120};
  std::set<grid::RemoteJobId> missing;
  for (bool over = false; !over || !missing.empty();) {
    std::set<grid::RemoteJobId> found;
    over = true;
    for (const auto& job : value([&] { return client().jobs_since(world().user(), since); })) {
      if (job.name == request.name) {
        found.insert(job.id);
        over = over && oar::is_over(job.state);
      }
    }
    ASSERT_TRUE(std::ranges::includes(expected, found));
    ASSERT_TRUE(std::ranges::includes(found, missing));
    missing.clear();
    std::ranges::set_difference(expected, found, std::inserter(missing, missing.end()));
    ASSERT_LT(std::chrono::steady_clock::now(), deadline);
  }
}

TEST_P(Lists, JobsSinceAMoment_AreOneUsersOnly) {
  const auto jobs = value([&] { return client().jobs_since(world().other_user(), grid::Instant{}); });
  EXPECT_TRUE(std::ranges::all_of(jobs, [](const auto& job) { return job.owner == world().other_user(); }));
}

TEST_P(Lists, ResourcesAreCountedByStateAndByNode) {
  const auto resources = value([&] { return client().resources(); });
  EXPECT_GT(resources.total, 0);
  EXPECT_EQ(resources.total,
            resources.alive + resources.standby + resources.suspected_resources + resources.dead_resources + resources.absent_resources);
  EXPECT_GT(resources.usable(), 0);
  int by_node = 0;
  for (const auto& node : resources.nodes) {
    EXPECT_FALSE(node.name.empty());
    by_node += node.resources;
  }
  EXPECT_EQ(by_node, resources.total);
}

TEST_P(Lists, AJobsDetails_NameItsNodesAndItsFiles_WhereTheyAreAskedFor) {
  const oar::JobOf asked{world().user(), world().shared().ends.ids.front()};
  const auto with = value([&] { return std::move(client().details({&asked, 1}, oar::Nodes::named).front()); });
  ASSERT_EQ(with.hosts.size(), 1U) << "one core is on one node";
  const auto resources = value([&] { return client().resources(); });
  EXPECT_TRUE(std::ranges::any_of(resources.nodes, [&](const auto& node) { return node.name == with.hosts.front(); }));
  EXPECT_FALSE(with.stdout_file.empty());
  EXPECT_EQ(with.stdout_file.find('%'), std::string::npos);
  EXPECT_TRUE(with.directory.starts_with('/'));
  const auto without = value([&] { return std::move(client().details({&asked, 1}).front()); });
  EXPECT_TRUE(without.hosts.empty());
  EXPECT_EQ(without.stdout_file, with.stdout_file);
}

TEST_P(Lists, ManyJobsAreLookedAtTogether_AndEachAnswerIsInItsPlace) {
  std::vector<oar::JobOf> asked;
  for (int round = 0; round < 3; ++round) {
    for (const auto id : world().shared().ends.ids) {
      asked.push_back({world().user(), id});
    }
    asked.push_back({world().user(), grid::RemoteJobId{999'999'998}});
  }
  auto details = client().details(asked);
  ASSERT_EQ(details.size(), asked.size());
  for (std::size_t place = 0; place < asked.size(); ++place) {
    if (broke_off(details[place])) {
      details[place] = until_answered([&] { return client().details({&asked[place], 1}).front(); });
    }
    if (asked[place].id.value() == 999'999'998) {
      ASSERT_FALSE(details[place]);
      EXPECT_EQ(std::get<oar::Refused>(details[place].error()).status, 404);
    } else {
      ASSERT_TRUE(details[place]) << oar::describe(details[place].error());
      EXPECT_EQ(details[place]->job.id, asked[place].id);
    }
  }
}

}  // namespace
}  // namespace gleaner::contract
