// Admission rules end to end: gridctl stores them, the API applies them, gridsub reports their changes.
#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <unistd.h>

#include "lib/process/child.hpp"
#include "tests/db/api_fixture.hpp"

namespace gleaner::tests {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class AdmissionRules : public ApiTest {
 protected:
  void TearDown() override {
    for (const auto& path : files_) std::filesystem::remove(path);
    ApiTest::TearDown();
  }

  process::Captured run(std::vector<std::string> arguments) {
    const char* folder = std::getenv("GLEANER_BIN_DIR");
    arguments[0] = fmt::format("{}/{}", folder != nullptr ? folder : "build/bin", arguments[0]);
    process::Command command{.arguments = std::move(arguments),
                             .environment = {{"GLEANER_DATABASE", database()}, {"GLEANER_API", "unix:" + socket()}}};
    auto captured = process::capture(std::move(command), std::chrono::minutes{10});
    if (!captured) throw std::runtime_error{captured.error()};
    return *captured;
  }
  process::Captured gridctl(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "gridctl");
    return run(std::move(arguments));
  }

  std::string file(const std::string& name, const std::string& text) {
    const auto path = std::filesystem::temp_directory_path() / fmt::format("gleaner-{}-{}", ::getpid(), name);
    std::ofstream{path, std::ios::binary} << text;
    files_.push_back(path);
    return path.string();
  }
  void add(const std::string& name, const std::string& text) {
    const auto said = gridctl({"rules", "add", file(name + ".rb", text), "--name", name});
    ASSERT_EQ(said.end.exit_status, 0) << said.output;
  }
  std::string order() { return sql("SELECT string_agg(position || ' ' || name, ', ' ORDER BY position) FROM admission_rules"); }
  std::string stored_campaigns() { return sql("SELECT count(*) FROM campaigns"); }

 private:
  std::vector<std::filesystem::path> files_;
};

constexpr auto kNormal =
    R"({"name": "n", "nb_jobs": 2, "type": "normal", "clusters": {"alpha": {"exec_file": "run"}, "beta": {"exec_file": "run"}}})";
constexpr auto kLong = R"({"name": "n", "nb_jobs": 2, "exec_file": "run é", "walltime": "12:00:00", "clusters": {"alpha": {}}})";
constexpr auto kCap = R"(jdl["clusters"].each_value { |c| c["walltime"] = "2:00:00" if c["walltime"] == "12:00:00" })";

TEST_F(AdmissionRules, TheShippedRule_RefusesNormalJobs_UntilTheirUserIsListed) {
  const auto refused = post("/v1/campaigns", kNormal);
  EXPECT_EQ(refused.status, 403);
  EXPECT_THAT(refused.message(), AllOf(HasSubstr("nothing was submitted"), HasSubstr("'normal-jobs'"),
                                       HasSubstr("alice may not submit normal jobs on alpha")));
  EXPECT_STREQ(refused.json["title"].GetString(), "Admission rule error");
  EXPECT_EQ(gridctl({"user", "allow-normal", "alice", "alpha"}).end.exit_status, 0);
  EXPECT_THAT(post("/v1/campaigns", kNormal).message(), HasSubstr("on beta"));
  EXPECT_EQ(gridctl({"user", "allow-normal", "alice"}).end.exit_status, 0);
  EXPECT_EQ(post("/v1/campaigns", kNormal).status, 201);
  EXPECT_EQ(sql("SELECT bool_or(best_effort) FROM campaign_clusters"), "f");
  EXPECT_THAT(gridctl({"user", "list-normal"}).output, AllOf(HasSubstr("alice"), HasSubstr("every")));
  EXPECT_EQ(gridctl({"user", "forbid-normal", "alice"}).end.exit_status, 0);
  EXPECT_EQ(gridctl({"user", "forbid-normal", "alice"}).end.exit_status, 3);
  EXPECT_EQ(post("/v1/campaigns", kNormal).status, 403);
  EXPECT_EQ(stored_campaigns(), "1");
}

TEST_F(AdmissionRules, TestCampaigns_AreForEverybody) {
  EXPECT_EQ(post("/v1/campaigns?type=test", kNormal).status, 201);
  EXPECT_EQ(sql("SELECT bool_or(best_effort) FROM campaign_clusters"), "f");
}

TEST_F(AdmissionRules, WhatARuleMakes_IsStored_AndReported_AndTheSubmittedJdlIsKept) {
  add("cap", kCap);
  const auto answer = post("/v1/campaigns", kLong);
  ASSERT_EQ(answer.status, 201) << answer.body;
  EXPECT_EQ(sql("SELECT walltime_s FROM campaign_clusters"), "7200");
  EXPECT_EQ(sql("SELECT jdl #>> '{clusters,alpha,walltime}' FROM campaigns"), "2:00:00");
  EXPECT_EQ(sql("SELECT submitted_jdl #>> '{clusters,alpha,walltime}' FROM campaigns"), "12:00:00");
  EXPECT_STREQ(answer.json["warnings"][0].GetString(),
               R"(the admission rule 'cap' changed clusters.alpha.walltime: "12:00:00" -> "2:00:00")");
  EXPECT_STREQ(answer.json["rules"][0]["changes"][0]["before"].GetString(), "12:00:00");
  EXPECT_STREQ(answer.json["rules"][0]["changes"][0]["after"].GetString(), "2:00:00");
}

TEST_F(AdmissionRules, ARepeatedSubmission_IsTheSameCampaign_WhateverTheRulesSayNow) {
  add("cap", kCap);
  const ApiRequest request{.method = "POST",
                           .target = "/v1/campaigns",
                           .body = kLong,
                           .headers = {{"Content-Type", "application/json"}, {"Idempotency-Key", "k1"}}};
  const auto first = as("alice", request);
  ASSERT_EQ(first.status, 201) << first.body;
  add("never", R"(refuse "never")");
  const auto again = as("alice", request);
  EXPECT_EQ(again.status, 201) << again.body;
  EXPECT_EQ(again.json["id"].GetInt64(), first.json["id"].GetInt64());
  EXPECT_EQ(stored_campaigns(), "1");
}

TEST_F(AdmissionRules, StreamedParameters_AreCountedForTheRules_AndNothingOfThemIsKeptWhenRefused) {
  add("few", R"(refuse "#{tasks} are too many" if tasks > 2)");
  const auto refused = submit_lines(head_of(kOnAlpha), "\"1\"\n\"2\"\n\"3\"\n");
  EXPECT_EQ(refused.status, 403);
  EXPECT_THAT(refused.message(), HasSubstr("3 are too many"));
  EXPECT_EQ(sql("SELECT count(*) FROM tasks"), "0");
  EXPECT_EQ(stored_campaigns(), "0");
  EXPECT_EQ(submit_lines(head_of(kOnAlpha), "\"1\"\n\"2\"\n").status, 201);
  EXPECT_EQ(submit_lines(head_of(kOnAlpha, R"("nb_jobs": 3)"), "").status, 403);
  EXPECT_EQ(submit_lines(head_of(kOnAlpha, R"("dry_run": true)"), "\"1\"\n\"2\"\n\"3\"\n").status, 403);
}

TEST_F(AdmissionRules, ADryRun_AsksThemToo) {
  add("cap", kCap);
  const auto answer = post("/v1/campaigns?dry_run=1", kLong);
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.json["clusters"][0]["walltime"].GetInt(), 7200);
  EXPECT_EQ(answer.json["warnings"].Size(), 1u);
  EXPECT_EQ(stored_campaigns(), "0");
}

TEST_F(AdmissionRules, ABrokenRule_IsNotTheUsersFault_AndIsReportedToTheAdministrators) {
  add("broken", "\njdl[\"clusters\"].foo");
  for (int i = 0; i < 2; ++i) {
    const auto answer = post("/v1/campaigns", kLong);
    EXPECT_EQ(answer.status, 500);
    EXPECT_THAT(answer.message(), AllOf(HasSubstr("nothing was submitted"), HasSubstr("'broken'"), HasSubstr("not your campaign's fault")));
  }
  EXPECT_THAT(sql("SELECT message FROM events WHERE code = 'ADMISSION_RULE' AND occurrences = 2"),
              AllOf(HasSubstr("'broken'"), HasSubstr("alice"), HasSubstr("line 2: NoMethodError")));
  EXPECT_THAT(gridctl({"event", "list"}).output, HasSubstr("ADMISSION_RULE"));
  EXPECT_EQ(submit_lines(head_of(kOnAlpha), "\"1\"\n").status, 500);
  EXPECT_EQ(gridctl({"rules", "disable", "broken"}).end.exit_status, 0);
  EXPECT_EQ(sql("SELECT state FROM events WHERE code = 'ADMISSION_RULE'"), "closed");
  EXPECT_EQ(post("/v1/campaigns", kLong).status, 201);
}

TEST_F(AdmissionRules, AnEndlessRule_HoldsUpNobody) {
  add("endless", "loop {} if user == \"bob\"");
  const auto answer =
      as("bob", {.method = "POST", .target = "/v1/campaigns", .body = kLong, .headers = {{"Content-Type", "application/json"}}});
  EXPECT_EQ(answer.status, 500);
  EXPECT_THAT(sql("SELECT message FROM events"), HasSubstr("ran for more than 1 s"));
  EXPECT_EQ(post("/v1/campaigns", kLong).status, 201);
}

TEST_F(AdmissionRules, Gridsub_ReportsWhatTheyDid) {
  add("cap", kCap);
  const auto path = file("long.jdl", kLong);
  EXPECT_THAT(run({"gridsub", "-f", path}).output,
              AllOf(HasSubstr("gridsub: note: the admission rule 'cap' changed clusters.alpha.walltime"), HasSubstr("CAMPAIGN_ID=")));
  add("no", R"(refuse "pas aujourd'hui: é")");
  const auto refused = run({"gridsub", "-f", path});
  EXPECT_EQ(refused.end.exit_status, 4);
  EXPECT_THAT(refused.output, HasSubstr("nothing was submitted: the admission rule 'no' refuses it: pas aujourd'hui: é"));
  EXPECT_EQ(run({"gridsub", "--dry-run", "-f", path}).end.exit_status, 4);
  EXPECT_EQ(gridctl({"rules", "edit", "no", file("no.rb", "nothing_here")}).end.exit_status, 0);
  const auto broken = run({"gridsub", "-f", path});
  EXPECT_EQ(broken.end.exit_status, 1);
  EXPECT_THAT(broken.output, HasSubstr("not your campaign's fault"));
}

TEST_F(AdmissionRules, Gridctl_AddsMovesEditsAndRemovesThem) {
  EXPECT_THAT(gridctl({"rules", "list"}).output, HasSubstr("normal-jobs"));
  add("b", "# b");
  EXPECT_EQ(gridctl({"rules", "add", file("a.rb", "# a"), "--name=a", "--position=1", "--disabled"}).end.exit_status, 0);
  EXPECT_EQ(order(), "1 a, 2 normal-jobs, 3 b");
  EXPECT_EQ(sql("SELECT enabled FROM admission_rules WHERE name = 'a'"), "f");
  EXPECT_EQ(gridctl({"rules", "edit", "a", "--position=9", "--name=z"}).end.exit_status, 0);
  EXPECT_EQ(order(), "1 normal-jobs, 2 b, 3 z");
  EXPECT_EQ(gridctl({"rules", "edit", "z", "--position=2"}).end.exit_status, 0);
  EXPECT_EQ(order(), "1 normal-jobs, 2 z, 3 b");
  EXPECT_EQ(gridctl({"rules", "show", "z"}).output, "# a\n");
  EXPECT_EQ(gridctl({"rules", "enable", "z"}).end.exit_status, 0);
  EXPECT_EQ(sql("SELECT enabled FROM admission_rules WHERE name = 'z'"), "t");
  EXPECT_EQ(gridctl({"rules", "remove", "normal-jobs"}).end.exit_status, 0);
  EXPECT_EQ(order(), "1 z, 2 b");
  EXPECT_EQ(post("/v1/campaigns", kNormal).status, 201);
}

TEST_F(AdmissionRules, Gridctl_ReportsWhatIsWrong) {
  const auto wrong = gridctl({"rules", "add", file("x.rb", "if true\n"), "--name=x"});
  EXPECT_EQ(wrong.end.exit_status, 2);
  EXPECT_THAT(wrong.output, AllOf(HasSubstr("x.rb:"), HasSubstr("syntax error")));
  EXPECT_EQ(gridctl({"rules", "add", file("y.rb", "# y"), "--name=normal-jobs"}).end.exit_status, 4);
  EXPECT_EQ(gridctl({"rules", "add", file("y.rb", "# y"), "--name=no name"}).end.exit_status, 2);
  EXPECT_EQ(gridctl({"rules", "add", "/nonexistent/rule.rb"}).end.exit_status, 3);
  EXPECT_THAT(gridctl({"rules", "remove", "normal-job"}).output, HasSubstr("did you mean 'normal-jobs'?"));
  EXPECT_EQ(gridctl({"rules", "edit", "normal-jobs"}).end.exit_status, 2);
  EXPECT_EQ(order(), "1 normal-jobs");
}

TEST_F(AdmissionRules, GridctlTest_ShowsWhatEachDoes_AndSubmitsNothing) {
  add("cap", kCap);
  EXPECT_EQ(gridctl({"rules", "add", file("off.rb", "# off"), "--name=off", "--disabled"}).end.exit_status, 0);
  add("few", R"(refuse "#{user}: #{tasks} are too many" if tasks > 2)");
  add("last", "x = 1\nx.foo");
  const auto path = file("long.jdl", kLong);
  const auto refused = gridctl({"rules", "test", path, "--user", "jane", "--nb-jobs", "7"});
  EXPECT_EQ(refused.end.exit_status, 4);
  EXPECT_THAT(refused.output,
              AllOf(HasSubstr("normal-jobs  unchanged"), HasSubstr(R"(clusters.alpha.walltime: "12:00:00" -> "2:00:00")"),
                    HasSubstr("off          disabled"), HasSubstr("jane: 7 are too many"), HasSubstr("last         not reached")));
  const auto broken = gridctl({"rules", "test", path});
  EXPECT_EQ(broken.end.exit_status, 1);
  EXPECT_THAT(broken.output, HasSubstr("line 2: NoMethodError"));
  EXPECT_EQ(gridctl({"rules", "remove", "last"}).end.exit_status, 0);
  EXPECT_THAT(gridctl({"rules", "test", path, "--json"}).output, AllOf(HasSubstr(R"("rule":"cap")"), HasSubstr(R"("effect":"changed")")));
  EXPECT_EQ(gridctl({"rules", "test", file("bad.jdl", "{")}).end.exit_status, 2);
  EXPECT_EQ(stored_campaigns(), "0");
}

TEST_F(AdmissionRules, GridctlTest_CountsAParameterFile) {
  const auto parameters = file("params.txt", "# three\n1\n2\n\n3\n");
  const auto path =
      file("file.jdl", fmt::format(R"({{"name": "n", "param_file": "{}", "exec_file": "x", "clusters": {{"alpha": {{}}}}}})", parameters));
  add("few", R"(refuse "#{tasks} tasks")");
  EXPECT_THAT(gridctl({"rules", "test", path}).output, HasSubstr("3 tasks"));
}

}  // namespace
}  // namespace gleaner::tests
