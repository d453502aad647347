#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <random>
#include <string>
#include <vector>

#include "lib/oar/client.hpp"
#include "lib/oar/json.hpp"
#include "lib/oar/parse.hpp"
#include "tests/seed.hpp"
#include "tests/unit/oar_transcripts.hpp"

namespace gleaner::oar {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(OarParse, EveryListThatARealOarGaveIsRead) {
  int lists = 0;
  for (const auto& exchange : transcripts()) {
    const bool is_list = exchange.path.find("/jobs.json") != std::string::npos ||
                         exchange.path.find("/jobs/table.json") != std::string::npos ||
                         exchange.path.find("/jobs/details.json") != std::string::npos;
    const bool simple = exchange.path.find("structure=oar") == std::string::npos;
    if (exchange.method == "GET" && exchange.status == 200 && is_list && simple) {
      const auto page = parse_jobs(exchange.body);
      ASSERT_TRUE(page) << exchange.title << ": " << page.error();
      EXPECT_TRUE(page->total) << exchange.title;
      ++lists;
    }
  }
  EXPECT_GT(lists, 10);
}

/// As OAR 2.5.9 and OAR 3 answered: the first states the walltime as h:m:s, the other one in seconds.
TEST(OarParse, AnAdvanceReservationThatWaits_StatesItsBegin_ItsWalltimeAndItsResources) {
  const auto list = [](std::string_view fields) { return fmt::format(R"({{"total":1,"offset":0,"items":[{{"id":1,{}}}]}})", fields); };
  const auto reservations = [&](std::string_view fields, grid::Seconds ahead = grid::Seconds{0}) {
    const auto page = parse_jobs(list(fields));
    return page ? reservations_of(page->items, ahead) : std::vector<grid::AdvanceReservation>{{{}, {}, -1}};
  };
  const std::string of_2 =
      R"("state":"Waiting","reservation":"Scheduled","walltime":null,"start_time":1795971952,"submission_time":1795971753,)"
      R"("assigned_moldable_job":0,"job_name":null,"message":"R=12,W=0:3:0,J=R","queue_name":"default")";
  const auto begin = grid::from_unix(1795971952);
  EXPECT_THAT(reservations(of_2), ElementsAre(grid::AdvanceReservation{begin, begin + grid::Seconds{180}, 12}));
  EXPECT_THAT(reservations(of_2, grid::Seconds{5}),
              ElementsAre(grid::AdvanceReservation{begin - grid::Seconds{5}, begin + grid::Seconds{175}, 12}))
      << "by our clock";
  const std::string of_3 = R"("user":"griduser1","state":"Waiting","reservation":"Scheduled","message":"R=4,W=181,J=P,Q=default",)"
                           R"("submission_time":1795971982,"start_time":1795972280,"stop_time":0)";
  EXPECT_THAT(reservations(of_3), ElementsAre(grid::AdvanceReservation{grid::from_unix(1795972280), grid::from_unix(1795972461), 4}));
  for (const auto* none : {
           R"("state":"Waiting","reservation":"None","start_time":1795971952,"message":"R=12,W=0:3:0,J=B")",
           R"("state":"Waiting","reservation":"toSchedule","start_time":1795971952,"message":"R=12,W=0:3:0,J=R")",
           R"("state":"Running","reservation":"Scheduled","start_time":1795971952,"message":"R=12,W=0:3:0,J=R")",
           R"("state":"Waiting","reservation":"Scheduled","start_time":0,"message":"R=12,W=0:3:0,J=R")",
           R"("state":"Waiting","reservation":"Scheduled","start_time":1795971952,"message":"W=0:3:0")",
           R"("state":"Waiting","reservation":"Scheduled","start_time":1795971952,"message":"R=12,W=often,J=R")",
           R"("state":"Waiting","reservation":"Scheduled","start_time":1795971952,"message":"R=-12,W=0:3:0,J=R")",
           R"("state":"Waiting","start_time":1795971952,"message":"R=12,W=0:3:0,J=R")",
           R"("state":"Waiting","reservation":{},"start_time":1795971952,"message":"R=12,W=0:3:0,J=R")",
       })
    EXPECT_THAT(reservations(none), IsEmpty()) << none;
}

TEST(OarParse, ATableHasAllFactsOfAJob) {
  const auto page = parse_jobs(answer("04", "...the jobs").body);
  ASSERT_TRUE(page) << page.error();
  ASSERT_THAT(page->items, SizeIs(2));
  const auto& job = page->items.front();
  EXPECT_EQ(job.name, "blank");
  EXPECT_EQ(job.owner, "griduser1");
  EXPECT_EQ(job.queue, "default");
  EXPECT_EQ(job.project, "default");
  EXPECT_EQ(job.command, "/bin/echo one");
  EXPECT_EQ(job.state, RemoteState::terminated);
  EXPECT_EQ(job.exit_status, 0);
  EXPECT_EQ(job.resources, 1);
  EXPECT_EQ(job.walltime, grid::Seconds{300});
  EXPECT_EQ(job.array, job.id);
  EXPECT_TRUE(job.started && job.stopped);
  EXPECT_LE(job.submitted, *job.started);
  EXPECT_FALSE(job.is_best_effort());
}

/// Texts of real clusters, of 2.5.9 and 2.6.1.
TEST(OarParse, AJobThatOarSubmittedAgain_NamesTheNewOne_InTheWordsOfEachVersion) {
  for (const std::string words :
       {"[NodeChangeState] Resubmiting job 82 => 83) (due to event CPUSET_ERROR & job is neither a reservation nor an interactive job)\\n",
        "[NodeChangeState] Resubmiting job 82 => 83) (due to event CPUSET_ERROR)\\n",
        "Resubmiting job 82 => 83 (type idempotent & exit code = 99 & duration > 60s)",
        "[NodeChangeState] Resubmiting job 82 => 83 (type idempotent & exit code = 99 & duration > 60s)",
        "[bipbip 82] the job 82 is a besteffort and idempotent job so we resubmit it (new id = 83)"}) {
    const auto job =
        parse_job(R"({"id":82,"state":"Error","events":[{"type":"RESUBMIT_JOB_AUTOMATICALLY","description":")" + words + R"("}]})");
    ASSERT_TRUE(job) << words;
    EXPECT_EQ(job->resubmitted_as, grid::RemoteJobId{83}) << words;
  }
}

TEST(OarParse, AnEmptyListHasNoItemsAndNoDateOfTheServer) {
  const auto page = parse_jobs(answer("01", "...it may list jobs").body);
  ASSERT_TRUE(page) << page.error();
  EXPECT_THAT(page->items, IsEmpty());
  EXPECT_EQ(page->total, 0U);
}

TEST(OarParse, ZeroIsNoDate_AndNullIsNothing) {
  const auto waiting = parse_job(answer("03", "...its description").body);
  ASSERT_TRUE(waiting) << waiting.error();
  const auto page =
      parse_jobs(R"({"total":"1","items":[{"id":"7","state":"Waiting","name":null,"start_time":0,"stop_time":0,"exit_code":null,)"
                 R"("walltime":null,"submission_time":"1795201398","message":null}]})");
  ASSERT_TRUE(page) << page.error();
  const auto& job = page->items.front();
  EXPECT_EQ(job.id.value(), 7);
  EXPECT_EQ(grid::to_unix(job.submitted), 1795201398);
  EXPECT_FALSE(job.started || job.stopped || job.exit_status || job.walltime || job.resources);
}

/// The planner would take the cores of a local job for ones that are given to a reservation.
TEST(OarParse, AJobsNameOrProject_DoesNotMakeItBestEffort) {
  const auto is_best_effort = [](const std::string& name, const std::string& project, const std::string& message) {
    RemoteJob job;
    job.queue = "default";
    job.name = name;
    job.project = project;
    job.message = message;
    return job.is_best_effort();
  };
  EXPECT_TRUE(is_best_effort("a", "default", "R=1,W=0:5:0,J=B,N=a,T=besteffort (Karma=0.000,quota_ok)"));
  EXPECT_TRUE(is_best_effort("", "demo", "R=1,W=0:5:0,J=B,P=demo,T=idempotent|besteffort"));
  for (const std::string name : {"T=besteffort", "x,T=besteffort", "x|besteffort", "a,T=a|besteffort"}) {
    EXPECT_FALSE(is_best_effort(name, "default", "R=1,W=0:5:0,J=B,N=" + name + " (Karma=0.000,quota_ok)")) << name;
    EXPECT_FALSE(is_best_effort(name, "demo", "R=1,W=0:5:0,J=B,N=" + name + ",P=demo,T=idempotent (Karma=0.000)")) << name;
    EXPECT_TRUE(is_best_effort(name, "default", "R=1,W=0:5:0,J=B,N=" + name + ",T=besteffort (Karma=0.000)")) << name;
    EXPECT_FALSE(is_best_effort("a", name, "R=1,W=0:5:0,J=B,N=a,P=" + name + " (Karma=0.000)")) << name;
  }
  EXPECT_FALSE(is_best_effort("a", "default", "R=1,W=0:5:0,J=B,N=a,T=besteffortless (Karma=0.000)"));
}

TEST(OarParse, EventsSayWhatBecameOfAJob) {
  const auto preempted = parse_job(answer("09", "The idempotent one").body);
  ASSERT_TRUE(preempted) << preempted.error();
  EXPECT_EQ(preempted->resubmitted_as, grid::RemoteJobId{1173});
  EXPECT_TRUE(preempted->job.is_best_effort());
  EXPECT_THAT(preempted->types, ElementsAre("besteffort", "idempotent"));
  EXPECT_THAT(preempted->events, ::testing::Contains(::testing::Field(&RemoteEvent::type, "BESTEFFORT_KILL")));
  const auto failed = parse_job(answer("14", "...it failed there").body);
  ASSERT_TRUE(failed) << failed.error();
  EXPECT_EQ(failed->resubmitted_as, grid::RemoteJobId{1183});
  EXPECT_FALSE(failed->job.resources);
  const auto second = parse_job(answer("14", "...OAR submitted it again").body);
  ASSERT_TRUE(second) << second.error();
  EXPECT_EQ(second->resubmit_of, grid::RemoteJobId{1182});
  EXPECT_FALSE(second->resubmitted_as);
}

TEST(OarParse, AMarkOfTheJobInAFileNameIsReplaced) {
  const auto job = parse_job(R"({"id":9,"state":"Running","stdout_file":"a.%jobid%.%jobid%","stderr_file":"b"})");
  ASSERT_TRUE(job) << job.error();
  EXPECT_EQ(job->stdout_file, "a.9.9");
  EXPECT_EQ(job->stderr_file, "b");
  EXPECT_EQ(job->job.stderr_path, "b");
  EXPECT_EQ(parse_job(R"({"id":9,"state":"Running","launching_directory":"/home/u","stderr_file":"e.%jobid%"})")->job.stderr_path,
            "/home/u/e.9");
  EXPECT_EQ(parse_job(R"({"id":9,"state":"Running","launching_directory":"/home/u","stderr_file":"/tmp/e"})")->job.stderr_path, "/tmp/e");
  EXPECT_EQ(parse_job(R"({"id":9,"state":"Running","launching_directory":"/home/u"})")->job.stderr_path, "");
}

TEST(OarParse, AStateThatIsNotKnownIsUnknown_AndNoEnd) {
  const auto job = parse_job(R"({"id":9,"state":"Dreaming"})");
  ASSERT_TRUE(job) << job.error();
  EXPECT_EQ(job->job.state, RemoteState::unknown);
  EXPECT_FALSE(is_over(job->job.state));
}

TEST(OarParse, WhatMakesNoSenseIsRefusedWithAReason) {
  const std::map<std::string, std::string> wrong{{"", "not JSON"},
                                                 {"<html></html>", "not JSON"},
                                                 {R"({"items":[)", "not JSON"},
                                                 {R"([1])", "not an object"},
                                                 {R"({})", "'items' is missing"},
                                                 {R"({"items":{}})", "'items' is not a list"},
                                                 {R"({"items":[1]})", "not an object"},
                                                 {R"({"items":[{"state":"Running"}]})", "'id' is missing"},
                                                 {R"({"items":[{"id":1}]})", "'state' is missing"},
                                                 {R"({"items":[{"id":0,"state":"Running"}]})", "0 is not the id of a job"},
                                                 {R"({"items":[{"id":"12x","state":"Running"}]})", "'id' is not an integer"},
                                                 {R"({"items":[{"id":1.5,"state":"Running"}]})", "'id' is not an integer"},
                                                 {R"({"items":[{"id":1,"state":[]}]})", "'state' is not a text"},
                                                 {R"({"items":[{"id":1,"state":"Running","start_time":-5}]})", "not a date"},
                                                 {R"({"items":[{"id":1,"state":"Running","start_time":99999999999999999}]})", "not a date"},
                                                 {R"({"items":[{"id":1,"state":"Running","exit_code":99999999999}]})", "out of its range"},
                                                 {R"({"items":[],"total":-1})", "'total' is negative"}};
  for (const auto& [body, reason] : wrong) {
    const auto page = parse_jobs(body);
    ASSERT_FALSE(page) << body;
    EXPECT_THAT(page.error(), HasSubstr(reason)) << body;
  }
}

TEST(OarParse, ResourcesCountByStateAndNode_AndASleepingNodeIsUsable) {
  const auto page = parse_resources(
      R"({"total":5,"items":[{"id":1,"network_address":"n1","state":"Alive"},{"id":2,"network_address":"n1","state":"Suspected"},)"
      R"({"id":3,"network_address":"n2","state":"Absent","available_upto":2147483647},)"
      R"({"id":4,"network_address":"n2","state":"Absent","available_upto":5},{"id":5,"network_address":"n2","state":"Dead"}]})");
  ASSERT_TRUE(page) << page.error();
  const auto resources = count_resources(page->items, grid::from_unix(1'800'000'000));
  EXPECT_EQ(resources.total, 5);
  EXPECT_EQ(resources.alive, 1);
  EXPECT_EQ(resources.standby, 1);
  EXPECT_EQ(resources.absent_resources, 1);
  EXPECT_EQ(resources.suspected_resources, 1);
  EXPECT_EQ(resources.dead_resources, 1);
  EXPECT_EQ(resources.usable(), 2);
  ASSERT_THAT(resources.nodes, SizeIs(2));
  EXPECT_EQ(resources.nodes[1].usable, 1);
}

TEST(OarParse, TheLoadOfANode_IsTheGreatestOfItsAliveResources_AndWhatIsNoNumberIsNone) {
  const auto load_of = [](const std::string& property) {
    const auto page = parse_resources(
        fmt::format(
            R"({{"total":3,"items":[{{"id":1,"network_address":"n1","state":"Alive","load":{}}},)"
            R"({{"id":2,"network_address":"n1","state":"Alive","load":2}},{{"id":3,"network_address":"n1","state":"Dead","load":7}}]}})",
            property),
        "load");
    return count_resources(page.value().items, grid::from_unix(1'800'000'000)).nodes.at(0).load.value();
  };
  EXPECT_EQ(load_of("3"), 3);
  EXPECT_EQ(load_of("3.25"), 3.25);
  EXPECT_EQ(load_of(R"("3.5")"), 3.5);
  EXPECT_EQ(load_of("1e300"), 1e300);
  for (const auto* bad : {R"("busy")", R"("NaN")", R"("inf")", R"("")", "-4", "null", "[]", "true"}) EXPECT_EQ(load_of(bad), 2) << bad;
  const auto details = parse_resources(answer("02", "List with the properties").body, "mem");
  ASSERT_TRUE(details) << details.error();
  EXPECT_EQ(details->items.at(0).load, 16);
  EXPECT_FALSE(parse_resources(answer("02", "List with the properties").body, "load").value().items.at(0).load);
}

TEST(OarParse, HeldResources_AreCountedByNode) {
  const auto held = parse_held(R"({"total":3,"items":[{"node":"n1","held":"3"},{"node":"n2","held":1},{"node":"","held":0}]})");
  ASSERT_TRUE(held) << held.error();
  EXPECT_EQ(*held, (std::map<std::string, int>{{"n1", 3}, {"n2", 1}}));
  for (const auto* bad :
       {R"({"total":2,"items":[{"node":"n1","held":3}]})", R"({"total":1,"items":[{"node":"n1","held":-1}]})",
        R"({"total":1,"items":[{"node":"n1","held":9999999999}]})", R"({"total":1,"items":[{"node":"n1"}]})", R"({"total":1,"items":[7]})"})
    EXPECT_FALSE(parse_held(bad)) << bad;
}

TEST(OarParse, SmallAnswersAreRead) {
  EXPECT_EQ(parse_version(answer("01", "Version").body).value_or(""), "2.5.9 (Canicule)");
  EXPECT_EQ(parse_stress(answer("11", "Stress of the server").body).value_or(-1), 0.0);
  EXPECT_EQ(parse_stress(R"({"GLOBAL_STRESS":0.75})").value_or(-1), 0.75);
  EXPECT_FALSE(parse_stress(R"({"GLOBAL_STRESS":"much"})"));
  EXPECT_EQ(parse_identity(answer("01", "Who am I").body).value_or(""), "griduser1");
}

TEST(OarParse, TheNamesOfAListing_AreReadWhateverTheirBytes_AndAPartOfThemIsNone) {
  EXPECT_EQ(parse_listing(answer("12", "Listing").body).value_or(std::vector<std::string>{}), std::vector<std::string>{"data.txt"});
  EXPECT_EQ(parse_listing("{\"total\":3,\"items\":[{\"name\":\"odd\xE9\"},{\"name\":\"tab\\tx\"},{\"name\":null}]}")
                .value_or(std::vector<std::string>{}),
            (std::vector<std::string>{"odd\xC3\xA9", "tab\tx", ""}));
  EXPECT_TRUE(parse_listing(R"({"total":0,"items":[],"offset":0,"links":[]})")->empty());
  EXPECT_FALSE(parse_listing(R"({"total":2,"items":[{"name":"a"}]})"));
  EXPECT_FALSE(parse_listing(R"({"items":[{"name":"a"}]})"));
  EXPECT_FALSE(parse_listing(R"({"total":1,"items":["a"]})"));
  EXPECT_FALSE(parse_listing("{}"));
}

TEST(OarParse, BytesOfLatin1BecomeUtf8_AndUtf8StaysAsItIs) {
  EXPECT_EQ(json::to_utf8("caf\xE9"), "caf\xC3\xA9");
  EXPECT_EQ(json::to_utf8("caf\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80"), "caf\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80");
  EXPECT_EQ(json::to_utf8("\xC3"), "\xC3\x83");
  EXPECT_EQ(json::to_utf8("\xC0\x80"), "\xC3\x80\xC2\x80");              // overlong
  EXPECT_EQ(json::to_utf8("\xED\xA0\x80"), "\xC3\xAD\xC2\xA0\xC2\x80");  // a surrogate
  EXPECT_EQ(parse_job("{\"id\":1,\"state\":\"Running\",\"command\":\"caf\xE9\"}")->job.command, "caf\xC3\xA9");
}

void parse_as_everything(const std::string& body) {
  (void)parse_jobs(body);
  (void)parse_job(body);
  (void)parse_resources(body);
  (void)parse_submission(body, 1);
  (void)parse_version(body);
  (void)parse_stress(body);
  (void)parse_identity(body);
  (void)parse_listing(body);
  (void)submission_failure(500, parse_message(body));
  (void)removal_outcome(400, parse_message(body));
}

TEST(OarParse, BrokenAnswersNeverBreakTheParsers) {
  std::mt19937_64 random{tests::test_seed()};
  for (const auto& exchange : transcripts()) {
    for (int round = 0; round < 6; ++round) {
      auto body = exchange.body.substr(0, random() % (exchange.body.size() + 1));
      for (int flip = 0; flip < round && !body.empty(); ++flip) {
        body[random() % body.size()] = static_cast<char>(random());
      }
      parse_as_everything(body);
    }
  }
  parse_as_everything(std::string(1'000'000, '['));
  parse_as_everything("{\"items\":" + std::string(1'000'000, '['));
}

TEST(OarParse, TextsThatUsersChose_AreShort_AndCanBeStored) {
  const std::string wild = R"(caf\u00e9 \u0000\u001b[31m\u009b \ud83d\ude42)" + std::string(10'000, 'x');
  const auto body = R"({"id":7,"state":"Error","name":")" + wild + R"(","message":")" + wild +
                    R"(","owner":"a\nb","command":"echo a\tb","events":[{"type":"WALLTIME","description":")" + wild + R"("}]})";
  const auto parsed = parse_job(body);
  ASSERT_TRUE(parsed) << parsed.error();
  for (const auto& text : {parsed->job.name, parsed->job.message, parsed->events.at(0).description}) {
    EXPECT_THAT(text, testing::StartsWith("café [31m 🙂xxx"));
    EXPECT_LE(text.size(), 4096U);
  }
  EXPECT_EQ(parsed->job.owner, "a b");
  EXPECT_EQ(parsed->job.command, "echo a\tb") << "it is compared with what was sent";
}

TEST(OarParse, AFailureIsDescribedInATextThatCanBeStored) {
  EXPECT_EQ(describe(NoAnswer{std::string{"the answer is 'te\351t\0\x1b'", 22}}), "no valid answer: the answer is 'te\uFFFDt'");
  EXPECT_LE(describe(Refused{400, std::string(100'000, 'x')}).size(), 4096U);
}

RC_GTEST_PROP(OarParse, AnyBytesBecomeUtf8ThatStaysAsItIs, (const std::string& bytes)) {
  const auto once = json::to_utf8(bytes);
  RC_ASSERT(json::to_utf8(once) == once);
}

TEST(OarStates, EachHasOarsOwnName_AndOnlyTwoAreEnds) {
  int ends = 0;
  for (int number = 0; number < static_cast<int>(RemoteState::unknown); ++number) {
    const auto state = static_cast<RemoteState>(number);
    EXPECT_EQ(remote_state(name_of(state)), state);
    EXPECT_FALSE(is_over(state) && holds_resources(state));
    ends += is_over(state) ? 1 : 0;
  }
  EXPECT_EQ(ends, 2);
  EXPECT_EQ(shell_status(768), 3);
  EXPECT_EQ(shell_status(9), 137);
  EXPECT_EQ(shell_status(32512), 127);
}

}  // namespace
}  // namespace gleaner::oar
