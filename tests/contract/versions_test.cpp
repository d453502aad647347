#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "lib/oar/parse.hpp"
#include "tests/contract/raw_http.hpp"
#include "tests/contract/world.hpp"

/// Differences between OAR 2.5 and 2.6: the rows of differences.hpp.
namespace gleaner::contract {
namespace {

using oar::RemoteState;
using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::StartsWith;

auto event_saying(const std::string& type, const std::string& words) {
  return ::testing::AllOf(Field(&oar::RemoteEvent::type, type), Field(&oar::RemoteEvent::description, HasSubstr(words)));
}

std::string filled_in(std::string text, std::string_view mark, std::string_view by) {
  for (auto at = text.find(mark); at != std::string::npos; at = text.find(mark, at + by.size())) text.replace(at, mark.size(), by);
  return text;
}

class Versions : public Contract {
 protected:
  using Kind = FolderFate::Kind;

  static RawAnswer post(const std::string& path, const std::string& json) {
    return raw(world().access(), "POST", path, {identity(world().access(), world().user()), kAcceptJson, "Content-Type: application/json"},
               json);
  }
  static RawAnswer post_job(const std::string& members) {
    return post("/jobs.json",
                fmt::format(R"({{"command":"true","stderr":"/dev/null","name":"{}.versions",{}}})", world().token(), members));
  }
  static rapidjson::Document json_of(const RawAnswer& answer) {
    rapidjson::Document document;
    document.Parse(answer.body.c_str());
    EXPECT_TRUE(document.IsObject()) << answer.body;
    return document;
  }
  static std::string text(const rapidjson::Document& json, const char* name) {
    return json.IsObject() && json.HasMember(name) && json[name].IsString() ? json[name].GetString() : "";
  }
  /// OAR's description of a job, for a test that fails.
  static std::string said_of(const oar::JobDetails& details) {
    auto text = details.job.message;
    for (const auto& event : details.events) text += fmt::format("\n{}: {}", event.type, event.description);
    return text;
  }
  static grid::RemoteJobId id_of(const RawAnswer& answer) {
    const auto json = json_of(answer);
    return grid::RemoteJobId{json.IsObject() && json.HasMember("id") && json["id"].IsInt64() ? json["id"].GetInt64() : 0};
  }
  /// The table's folders, and a home to find them in.
  static std::string home_with(const std::string& place) {
    const auto job =
        world().request(fmt::format("mkdir -p {0}/real '{0}/d ir' '{0}/p(;&)x'; ln -s real {0}/link; : > {0}/file; pwd", place));
    const auto made = world().await_end(world().submit(job).ids).front();
    EXPECT_EQ(made.exit_status, 0);
    auto home = until_answered([&] {
                  return client().read_file(world().user(), fmt::format("~/{}/{}.out", world().token(), made.id.value()));
                }).value_or("");
    home.resize(std::min(home.find('\n'), home.size()));
    return home;
  }
};
GLEANER_ON_EACH_BACKEND(Versions);

TEST_P(Versions, TheVersionIsSaid) {
  const auto version = until_answered([] { return client().version(); });
  ASSERT_TRUE(version) << oar::describe(version.error());
  EXPECT_EQ(*version, world().here(difference::kVersion));
}

TEST_P(Versions, ARefusalHasAStatusAndWords_AndIsKnownForOne) {
  for (const auto& each : refused_requests()) {
    const auto& expected = world().here(each.refusal);
    const auto answer = post_job(std::string{each.members});
    EXPECT_EQ(answer.status, expected.status) << each.members << ": " << answer.body;
    const auto message = oar::parse_message(answer.body);
    EXPECT_THAT(message, HasSubstr(std::string{expected.words})) << each.members;
    EXPECT_EQ(message.starts_with("Oarsub command exited with status "), world().here(difference::kRefusalIsFramed)) << message;
    EXPECT_EQ(message.find("\nCmd:\n") != std::string::npos, world().here(difference::kRefusalIsFramed)) << message;
    const auto failure = oar::submission_failure(answer.status, message);
    EXPECT_TRUE(std::holds_alternative<oar::Refused>(failure)) << each.members << ": " << oar::describe(failure);
  }
}

TEST_P(Versions, AFolderIsTriedOnTheNode_OrReadByAShellAtSubmission) {
  const auto place = world().token() + "/folders";
  const auto home = home_with(place);
  const auto filled = [&](std::string_view text) { return filled_in(filled_in(std::string{text}, "PLACE", place), "HOME/", home + "/"); };
  std::vector<std::pair<const Folder*, grid::RemoteJobId>> accepted;
  for (const auto& folder : folders()) {
    const auto& fate = world().here(folder.fate);
    // `$HOME` stays: a shell reads it.
    const auto directory =
        folder.directory.starts_with("$HOME") ? filled_in(std::string{folder.directory}, "PLACE", place) : filled(folder.directory);
    const auto answer = post_job(fmt::format(R"("directory":"{}","stdout":"/dev/null")", directory));
    if (fate.kind == Kind::refused_here) {
      EXPECT_EQ(answer.status, 500) << folder.directory << ": " << answer.body;
      EXPECT_THAT(oar::parse_message(answer.body), StartsWith(filled(fate.words))) << folder.directory;
      EXPECT_FALSE(oar::outcome_unknown(oar::submission_failure(answer.status, oar::parse_message(answer.body)))) << folder.directory;
      continue;
    }
    EXPECT_EQ(answer.status, 201) << folder.directory << ": " << answer.body;
    if (answer.status == 201) accepted.emplace_back(&folder, id_of(answer));
  }
  for (const auto& [folder, id] : accepted) {
    const auto& fate = world().here(folder->fate);
    world().await_end({id});
    const auto details = world().details(id);
    if (fate.kind == Kind::runs) {
      EXPECT_EQ(details.job.exit_status, 0) << folder->directory << ": " << said_of(details);
      EXPECT_EQ(details.directory, filled(fate.words)) << folder->directory;
    } else {
      EXPECT_EQ(details.job.state, RemoteState::error) << folder->directory;
      EXPECT_FALSE(details.job.exit_status) << folder->directory;
      EXPECT_THAT(details.events, Contains(event_saying("WORKING_DIRECTORY", ""))) << folder->directory;
    }
  }
}

TEST_P(Versions, AnArrayNamesItsJobs_WithOrWithoutARemark) {
  const auto answer = post_job(R"("stdout":"/dev/null","array":"2")");
  ASSERT_EQ(answer.status, 201) << answer.body;
  const auto output = text(json_of(answer), "cmd_output");
  const auto submitted = oar::parse_submission(answer.body, 2);
  ASSERT_TRUE(submitted) << output;
  world().await_end(submitted->ids);
  EXPECT_EQ(output.find("Simple array job submission is used\n") != std::string::npos, world().here(difference::kArrayIsRemarked))
      << output;
}

TEST_P(Versions, AResubmission_NamesItsJob_WithOrWithoutARemark) {
  const auto first = world().await_end(world().submit(world().request("true")).ids).front().id;
  const auto answer = post(fmt::format("/jobs/{}/resubmissions/new.json", first.value()), "{}");
  ASSERT_EQ(answer.status, 201) << answer.body;
  const auto json = json_of(answer);
  world().await_end({id_of(answer)});
  EXPECT_THAT(text(json, "cmd_output"), HasSubstr(fmt::format("OAR_JOB_ID={}\n", json["id"].GetInt64())));
  EXPECT_EQ(text(json, "cmd_output").find(fmt::format("Resubmitting job {}...DONE", first.value())) != std::string::npos,
            world().here(difference::kResubmissionIsRemarked));
}

TEST_P(Versions, EventsOfAKilledJob_HaveTheirWords) {
  const auto id = world().await_end(world().shared().over_time.ids).front().id;
  const auto words = filled_in(std::string{world().here(difference::kOverWalltime)}, "{JOB}", std::to_string(id.value()));
  const auto events = world().details(id).events;
  EXPECT_THAT(events, Contains(event_saying("WALLTIME", words)));
  EXPECT_THAT(events, Contains(event_saying("SEND_KILL_JOB", std::string{world().here(difference::kKillSent)})));
}

/// One job after the other takes a node away: OAR suspects it, and no other sign says what failed.
TEST_P(Versions, AJobHookThatFails_EndsTheJobInError_AndItsNodeIsSuspected) {
  if (!world().here(difference::kHasJobHook)) GTEST_SKIP() << "this version has no such hook";
  auto request = world().request("true");
  request.types = {"besteffort", "idempotent"};
  request.properties = "resource_id = 16";
  world().backend().break_hook();
  const auto id = world().submit(request).ids.front();
  world().await_end({id});
  const auto is_suspected = [] {
    const auto resources = until_answered([] { return client().resources(); });
    return resources && resources->suspected_resources > 0;
  };
  const auto becomes = [&](bool suspected) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds{120};
    while (is_suspected() != suspected && std::chrono::steady_clock::now() < deadline)
      std::this_thread::sleep_for(std::chrono::milliseconds{200});
    return is_suspected() == suspected;
  };
  EXPECT_TRUE(becomes(true));
  world().backend().mend();
  const auto details = world().details(id);
  EXPECT_EQ(details.job.state, RemoteState::error);
  EXPECT_FALSE(details.job.exit_status);
  EXPECT_TRUE(details.job.started);
  EXPECT_THAT(details.events,
              Contains(event_saying("EXIT_VALUE_OAREXEC",
                                    fmt::format("[bipbip {0}] error of oarexec, exit value = 2550; the job {0} is in Error", id.value()))));
  EXPECT_FALSE(details.resubmitted_as) << "though it is idempotent";
  EXPECT_TRUE(becomes(false)) << "mended";
}

}  // namespace
}  // namespace gleaner::contract
