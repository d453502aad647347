#include <gmock/gmock.h>

#include <fmt/format.h>

#include "tests/db/api_fixture.hpp"

/// Permissions to read the outputs of tasks, and the requests to clusters for them.
namespace gleaner::tests {
namespace {

using testing::HasSubstr;

class Outputs : public ApiTest {
 protected:
  /// A campaign of alice's whose first task is done on alpha, by its attempt 1.
  std::int64_t a_campaign_with_a_done_task() {
    const auto answer = post("/v1/campaigns", R"({"name": "t", "nb_jobs": 3, "output_directory": "results", "output_files": ["r-{1}"],
                                               "clusters": {"alpha": {"exec_file": "run"}}})");
    EXPECT_EQ(answer.status, 201) << answer.body;
    const auto id = answer.json["id"].GetInt64();
    sql(fmt::format(
        "WITH l AS (INSERT INTO launches (campaign_id, cluster_id, state, term, jobs, resources, planned_at, settled_at, tag, login) SELECT {0}, id, 'accepted', 1, 1, 1, "
        "now(), now(), 'tag', 'alice' FROM clusters WHERE name = 'alpha' RETURNING id, cluster_id), "
        "j AS (INSERT INTO jobs (launch_id, campaign_id, cluster_id, task, attempt, state, remote_id, ending) "
        "SELECT id, {0}, cluster_id, 0, 1, 'terminated', 77, 'done' FROM l) SELECT 1",
        id));
    sql(fmt::format("UPDATE campaigns SET next_task = 1 WHERE id = {}", id));
    for (const auto* state : {"launching", "submitted", "done"})
      sql(fmt::format("UPDATE tasks SET state = '{}', attempt = 1 WHERE campaign_id = {} AND number = 0", state, id));
    return id;
  }
  std::string path(std::int64_t id, const std::string& rest = {}) { return fmt::format("/v1/campaigns/{}/outputs{}", id, rest); }
};

TEST_F(Outputs, AreOfTheirUserAlone_AndOfAdministrators) {
  const auto id = a_campaign_of(3);
  EXPECT_EQ(get(path(id)).status, 200);
  EXPECT_EQ(as("boss", {.target = path(id)}).status, 200);
  const auto answer = as("bob", {.target = path(id)});
  EXPECT_EQ(answer.status, 403);
  EXPECT_THAT(answer.message(), HasSubstr("is not yours"));
  EXPECT_EQ(as("bob", {.target = path(id, "/0.out")}).status, 403);
  EXPECT_EQ(ask(port(), {.target = path(id)}).status, 401);
}

TEST_F(Outputs, AndTheClustersOwnWordsOnAJob_AreAskedForAsItsUser) {
  static_cast<void>(a_campaign_with_a_done_task());
  const auto job = "/v1/jobs/" + sql("SELECT id FROM jobs") + "/cinfos";
  EXPECT_EQ(as("bob", {.target = job}).status, 403);
  EXPECT_EQ(get("/v1/jobs/999/cinfos").status, 404);
  const auto answer = get(job);
  EXPECT_EQ(answer.status, 502) << answer.body;
  EXPECT_THAT(answer.message(), HasSubstr("alpha cannot be asked for attempt 1 on alpha (OAR job 77)"));
}

TEST_F(Outputs, OfTasksThatHaveNotEnded_AreNotListed_ButCounted) {
  const auto answer = get(path(a_campaign_of(3)));
  EXPECT_EQ(answer.status, 200);
  EXPECT_THAT(answer.body, HasSubstr(R"({"end":true,"outputs":0,"unsettled":3})"));
  EXPECT_THAT(get(path(a_campaign_of(3), "?tasks=1-2")).body, HasSubstr(R"("unsettled":2})"));
}

TEST_F(Outputs, OfAClusterThatCannotBeReached_AreOneErrorForTheirFolder_AndTheListingIsWhole) {
  const auto id = a_campaign_with_a_done_task();
  const auto answer = get(path(id));
  EXPECT_EQ(answer.status, 200);
  EXPECT_THAT(answer.body, testing::AllOf(HasSubstr(R"("cluster_name":"alpha","folder":"~/results/)"),
                                          HasSubstr(R"({"end":true,"outputs":0,"unsettled":2})")));
  const auto file = get(path(id, "/0.1.out"));
  EXPECT_EQ(file.status, 502) << file.body;
  EXPECT_THAT(file.message(), HasSubstr("0.1.out on alpha"));
}

TEST_F(Outputs, ThatDoNotExist_AreNotFound_WhateverTheirNameIs) {
  const auto id = a_campaign_with_a_done_task();
  for (const auto* name :
       {"0.out", "0.2.out", "1.out", "7.out", "x", "..%2F..%2Fetc%2Fpasswd", "%2Fetc%2Fpasswd", "0.1.file.a%2Fb", "0.1.file.", "00.1.out"})
    EXPECT_EQ(get(path(id, std::string{"/"} + name)).status, 404) << name;
  EXPECT_EQ(get(path(999)).status, 404);
  EXPECT_EQ(get(path(id, "?tasks=2-3")).status, 404);
}

TEST_F(Outputs, WrongTasks_AreNamed) {
  const auto id = a_campaign_of(3);
  EXPECT_THAT(get(path(id, "?tasks=2-x")).message(), HasSubstr("tasks=2-x: '2-x' is no number or range"));
  EXPECT_EQ(get(path(id, "/0.out?offset=-1")).status, 400);
}

}  // namespace
}  // namespace gleaner::tests
