#include <fmt/format.h>
#include <gmock/gmock.h>

#include "lib/store/database.hpp"
#include "tests/db/api_fixture.hpp"

/// Placeholders in commands, and parameters of shell text, as the API takes them.
namespace gleaner::tests {
namespace {

using testing::HasSubstr;

class Placement : public ApiTest {
 protected:
  static std::string a_file(const std::string& exec_file, const std::string& more) {
    return fmt::format(R"({{"name": "t", "exec_file": "{}", {}, "clusters": {{"alpha": {{}}}}}})", exec_file, more);
  }
  [[nodiscard]] ApiAnswer put(std::int64_t id, const std::string& body) const {
    return as(
        "alice",
        {.method = "PUT", .target = fmt::format("/v1/campaigns/{}", id), .body = body, .headers = {{"Content-Type", "application/json"}}});
  }
  [[nodiscard]] std::string stored() const {
    return sql(
        "SELECT concat_ws(' ', c.placeholders, c.params_shell, p.exec_file) FROM campaigns c JOIN campaign_clusters p ON p.campaign_id = c.id");
  }
};

TEST_F(Placement, IsStored_WithNumbersForTheNamesOfWords) {
  const auto answer = post("/v1/campaigns", a_file("~/run.sh {mesh} {CAMPAIGN_ID}",
                                                   R"("parameter_names": ["n", "mesh"], "params_shell": true, "params": ["1 ~/wing"])"));
  ASSERT_EQ(answer.status, 201) << answer.body;
  EXPECT_EQ(answer.json["warnings"].Size(), 0U) << answer.body;
  EXPECT_EQ(stored(), "t t $HOME/run.sh {2} $CIGRI_CAMPAIGN_ID");
}

TEST_F(Placement, AWordThatIsMissing_IsRefused_HoweverTheParametersCome) {
  const std::string wrong = "task 1, parameter 'b': exec_file has the placeholder {2}, and the parameter has 1 word";
  const auto refused = [&](const ApiAnswer& answer, const std::string& message) {
    EXPECT_EQ(answer.status, 400) << answer.body;
    EXPECT_THAT(answer.body, HasSubstr(message));
  };
  refused(post("/v1/campaigns", a_file("run {2}", R"("params": ["a 1", "b"])")), wrong);
  refused(submit_lines(head_of(R"({"name": "t", "exec_file": "run {2}", "clusters": {"alpha": {}}})"), "\"a 1\"\n\"b\"\n"), wrong);
  refused(post("/v1/campaigns?dry_run=1", a_file("run {2}", R"("params": ["a 1", "b"])")), wrong);
  refused(post("/v1/campaigns", a_file("run {2}", R"("nb_jobs": 3)")), "task 0, parameter '0': exec_file has the placeholder {2}");
  EXPECT_EQ(sql("SELECT count(*) FROM campaigns"), "0");
}

TEST_F(Placement, AppendedTasks_AndAnEditedCommand_AreCheckedToo) {
  const auto answer = post("/v1/campaigns", a_file("run {2}", R"("params": ["a 1", "b 2"])"));
  ASSERT_EQ(answer.status, 201) << answer.body;
  const auto id = answer.json["id"].GetInt64();
  const auto jobs = fmt::format("/v1/campaigns/{}/tasks", id);
  const auto refused = post(jobs, R"(["c 3", "d"])");
  EXPECT_EQ(refused.status, 400);
  EXPECT_THAT(refused.body, HasSubstr("task 3, parameter 'd': exec_file has the placeholder {2}, and the parameter has 1 word"));
  EXPECT_EQ(post(jobs + "?nb_jobs=2", "").status, 400);
  EXPECT_EQ(post(jobs, R"(["c 3"])").status, 201);
  const auto edited = put(id, R"({"exec_file": "run {3}"})");
  EXPECT_EQ(edited.status, 400) << edited.body;
  EXPECT_THAT(edited.body, HasSubstr("task 0, parameter 'a 1': exec_file has the placeholder {3}, and the parameter has 2 words"));
  EXPECT_EQ(put(id, R"({"exec_file": "run {1}", "params_shell": true})").status, 202);
  EXPECT_EQ(stored(), "t t run {1}");
}

TEST_F(Placement, AParameterThatAShellWouldExpand_IsAWarning_WithItsTask) {
  const auto file = a_file("run", R"("params": ["1", "~/x", "*.c"])");
  for (const auto* target : {"/v1/campaigns?dry_run=1", "/v1/campaigns"}) {
    const auto answer = post(target, file);
    ASSERT_EQ(answer.json["warnings"].Size(), 1U) << answer.body;
    EXPECT_STREQ(
        answer.json["warnings"][0].GetString(),
        "the command of task 1 gets its parameter '~/x' as it is written; a shell, as in CiGri, would replace the ~ of ~/x by a home: "
        "for that, write \"params_shell\": true");
  }
  EXPECT_EQ(post("/v1/campaigns", a_file("run", R"("params": ["~/x"], "params_shell": true)")).json["warnings"].Size(), 0U);
}

TEST_F(Placement, ADryRun_ShowsTheFirstCommand) {
  const auto answer = post("/v1/campaigns?dry_run=1", a_file("run {1} -o {2}.out", R"("params": ["'a b' c", "d e"])"));
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_STREQ(answer.json["clusters"][0]["first_command"].GetString(), "run 'a b' -o c.out");
}

}  // namespace
}  // namespace gleaner::tests
