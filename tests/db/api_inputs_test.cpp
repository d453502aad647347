#include <gmock/gmock.h>

#include <chrono>
#include <filesystem>

#include <fmt/format.h>

#include "lib/inputs/sha256.hpp"
#include "lib/store/clock.hpp"
#include "lib/store/inputs.hpp"
#include "tests/db/api_fixture.hpp"

/// Input files: uploads, and campaigns that have some.
namespace gleaner::tests {
namespace {

using testing::HasSubstr;

class InputsOfUsers : public ApiTest {
 protected:
  void configure(api::ApiOptions& options) override {
    options.config.input_spool = spool();
    options.config.input_max = 1000;
    options.config.input_spool_max = 3000;
    options.config.input_user_max = 2000;
    options.config.input_spool_share = 1;
  }
  [[nodiscard]] std::filesystem::path spool() const { return folder() / "inputs"; }
  [[nodiscard]] ApiAnswer put(const std::string& user, const std::string& sum, const std::string& content) const {
    return as(user, {.method = "PUT", .target = "/v1/inputs/" + sum, .body = content});
  }
  std::string put(const std::string& content, const std::string& user = "alice") const {
    auto sum = inputs::sha256_of_text(content);
    const auto answer = put(user, sum, content);
    EXPECT_EQ(answer.status, 200) << answer.body;
    return sum;
  }
  [[nodiscard]] std::string missing(const std::string& user, const std::vector<std::string>& sums) const {
    std::string body;
    for (const auto& sum : sums) body += fmt::format("{}\"{}\"", body.empty() ? "" : ",", sum);
    return as(user, {.method = "POST", .target = "/v1/inputs/missing", .body = "[" + body + "]"}).body;
  }
  [[nodiscard]] ApiAnswer submit(const std::string& manifest, const std::string& patterns, const std::string& parameters,
                                 const std::string& user = "alice") const {
    const auto body = fmt::format(
        R"({{"name": "n", "params": {}, "input_files": {}, "clusters": {{"alpha": {{"exec_file": "run"}}, "beta": {{"exec_file": "run"}}}}}})",
        parameters, patterns);
    return as(user, {.method = "POST", .target = "/v1/campaigns" + (manifest.empty() ? "" : "?input_manifest=" + manifest), .body = body});
  }
  std::string list(const std::map<std::string, std::string>& files) const {
    std::string text;
    for (const auto& [path, sum] : files) text += fmt::format("{}  {}\n", sum, path);
    return put(text);
  }
};

TEST_F(InputsOfUsers, AreStoredByTheirContent_AndOnceForAllUsers) {
  const auto sum = put("content");
  EXPECT_EQ(put("content"), sum);
  EXPECT_EQ(missing("alice", {sum, inputs::sha256_of_text("other")}),
            fmt::format(R"({{"missing":["{}"]}})", inputs::sha256_of_text("other")));
  EXPECT_EQ(missing("bob", {sum}), fmt::format(R"({{"missing":["{}"]}})", sum)) << "bob must show that he has it";
  put("content", "bob");
  EXPECT_EQ(missing("bob", {sum}), R"({"missing":[]})");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator{spool()}, std::filesystem::directory_iterator{}), 1);
}

TEST_F(InputsOfUsers, WhoseContentIsAnother_OrTooLong_AreRefused_AndNothingIsLeft) {
  const auto wrong = put("alice", inputs::sha256_of_text("a"), "b");
  EXPECT_EQ(wrong.status, 400);
  EXPECT_THAT(wrong.message(), HasSubstr("the content that came has the SHA-256 " + inputs::sha256_of_text("b")));
  const auto large = put("alice", inputs::sha256_of_text(std::string(1001, 'x')), std::string(1001, 'x'));
  EXPECT_EQ(large.status, 413);
  EXPECT_THAT(large.message(), HasSubstr("fetch it in a prologue"));
  EXPECT_EQ(put("alice", "abc", "x").status, 400);
  EXPECT_EQ(as("alice", {.method = "POST", .target = "/v1/inputs/missing", .body = "{}"}).status, 400);
  EXPECT_EQ(ask(port(), {.method = "PUT", .target = "/v1/inputs/" + inputs::sha256_of_text("a"), .body = "a"}).status, 401);
  EXPECT_TRUE(std::filesystem::is_empty(spool()));
  EXPECT_EQ(sql("SELECT count(*) FROM inputs"), "0");
}

TEST_F(InputsOfUsers, BeyondTheSpoolsSize_AreRefused_UntilWhatNobodyNeedsIsOld) {
  for (const char c : {'a', 'b', 'c'}) put(std::string(1000, c));
  const std::string fourth(1000, 'd');
  const auto sum = inputs::sha256_of_text(fourth);
  const auto full = put("alice", sum, fourth);
  EXPECT_EQ(full.status, 503);
  EXPECT_THAT(full.message(), HasSubstr("the grid has no room for this input file now"));
  EXPECT_FALSE(full.headers.at("retry-after").empty());
  // Known contents need no room.
  EXPECT_EQ(put(std::string(1000, 'a'), "bob"), inputs::sha256_of_text(std::string(1000, 'a')));
  sql("UPDATE inputs SET used_at = now() - interval '2 hours' WHERE user_name = 'alice' RETURNING 1");
  for (const auto& entry : std::filesystem::directory_iterator{spool()})
    std::filesystem::last_write_time(entry.path(), std::filesystem::file_time_type::clock::now() - std::chrono::hours{3});
  EXPECT_EQ(put(fourth), sum);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator{spool()}, std::filesystem::directory_iterator{}), 2)
      << "bob's, and the new one";
}

TEST_F(InputsOfUsers, OfACampaign_AreStoredWithIt_InTheOrderOfTheTasksThatReadThem) {
  const auto manifest = list({{"solver.cfg", put("cfg")}, {"data/1", put("one")}, {"data/2", put("two")}});
  const auto answer = submit(manifest, R"(["solver.cfg", "data/{1}"])", R"(["1", "2"])");
  ASSERT_EQ(answer.status, 201) << answer.body;
  EXPECT_EQ(sql("SELECT string_agg(path || ' ' || bytes || ' ' || begin, ', ' ORDER BY place) FROM campaign_inputs"),
            "data/1 3 0, solver.cfg 3 3, data/2 3 6");
  EXPECT_EQ(sql("SELECT string_agg(first_task || '-' || last_task, ', ' ORDER BY place) FROM campaign_inputs"), "0-0, 0-1, 1-1");
  EXPECT_EQ(sql("SELECT input_tasks FROM campaigns"), "2");
  EXPECT_EQ(sql("SELECT replace(input_files, E'\\n', '|') || ' ' || input_bytes FROM campaigns"), "solver.cfg|data/{1} 9");
  EXPECT_EQ(sql("SELECT count(*) FROM missing_inputs"), "2");
  const auto id = answer.json["id"].GetInt64();
  const auto path = fmt::format("/v1/campaigns/{}/tasks", id);
  EXPECT_EQ(as("alice", {.method = "POST", .target = path, .body = R"(["1"])"}).status, 201);
  const auto appended = as("alice", {.method = "POST", .target = path, .body = R"(["3"])"});
  EXPECT_EQ(appended.status, 400);
  EXPECT_THAT(appended.message(), HasSubstr("task 3, parameter '3': its input file 'data/3' is not among"));
}

TEST_F(InputsOfUsers, OfOneContent_HaveTheModeOfEachCampaign) {
  const auto sum = put("script");
  for (const auto* mode : {"755", "640"})
    ASSERT_EQ(submit(put(fmt::format("{} {} run.sh\n", sum, mode)), R"("run.sh")", R"(["1"])").status, 201);
  ASSERT_EQ(submit(list({{"run.sh", sum}}), R"("run.sh")", R"(["1"])").status, 201);
  EXPECT_EQ(sql("SELECT string_agg(mode::text, ' ' ORDER BY campaign_id) FROM campaign_inputs"), fmt::format("{} {} {}", 0555, 0440, 0444));
  EXPECT_EQ(sql("SELECT count(*) FROM inputs WHERE bytes = 6"), "1");
}

TEST_F(InputsOfUsers, AreBoundedInSum_WhateverTheContentsTake) {
  const auto sum = put(std::string(900, 'x'));
  ASSERT_EQ(submit(list({{"a", sum}}), R"("a")", R"(["1"])").status, 201);
  const auto alone = submit(list({{"a", sum}, {"b", sum}, {"c", sum}}), R"(["a", "b", "c"])", R"(["1"])");
  EXPECT_EQ(alone.status, 413);
  EXPECT_THAT(alone.message(), HasSubstr("the campaign's input files have 2700: more than 2000 (input_user_max)"));
  const auto together = submit(list({{"a", sum}, {"b", sum}}), R"(["a", "b"])", R"(["1"])");
  EXPECT_EQ(together.status, 413);
  EXPECT_THAT(together.message(), HasSubstr("have 1800, and those of your other campaigns in treatment or paused 900"));
  EXPECT_EQ(sql("SELECT count(*) FROM campaigns"), "1");
  sql("UPDATE campaigns SET state = 'cancelled', ended_at = now() RETURNING 1");
  EXPECT_EQ(submit(list({{"a", sum}, {"b", sum}}), R"(["a", "b"])", R"(["1"])").status, 201);
}

TEST_F(InputsOfUsers, HaveTheirSizesInTheExpressionsOfEachTask_AlsoOfAppendedOnes) {
  const auto manifest = list({{"1", put("x")}, {"2", put("yy")}});
  const auto body = [](std::string_view tasks) {
    return fmt::format(
        R"({{"name": "n", "params": [{}], "input_files": "{{1}}", "exec_file": "run", "walltime": "input_mb * 1000000 * hour",
      "clusters": {{"alpha": {{}}}}}})",
        tasks);
  };
  const auto answer = as("alice", {.method = "POST", .target = "/v1/campaigns?input_manifest=" + manifest, .body = body(R"("1", "2")")});
  ASSERT_EQ(answer.status, 201) << answer.body;
  const auto walltimes = "SELECT string_agg(walltime_s::text, ' ' ORDER BY request) FROM campaign_requests";
  EXPECT_EQ(sql(walltimes), "3600 7200");
  const auto path = fmt::format("/v1/campaigns/{}/tasks", answer.json["id"].GetInt64());
  EXPECT_EQ(as("alice", {.method = "POST", .target = path, .body = R"(["2"])"}).status, 201);
  EXPECT_EQ(sql(walltimes), "3600 7200");
  // Nothing is uploaded for a dry run.
  const auto dry = as("alice", {.method = "POST", .target = "/v1/campaigns?dry_run=1", .body = body(R"("1")")});
  EXPECT_EQ(dry.status, 200) << dry.body;
  EXPECT_THAT(dry.body, HasSubstr("the sizes of the input files are known when they are uploaded"));
}

TEST_F(InputsOfUsers, GoOnlyWhereAPlanWantsThem_AndTheUserGoesFirstWhoWasServedLeastLately) {
  store::Database database{ApiTest::database()};
  for (const auto* user : {"alice", "alice", "bob"}) {
    const auto sum = put("x", user);
    const auto manifest = put(fmt::format("{}  a\n", sum), user);
    ASSERT_EQ(submit(manifest, R"("a")", R"(["1"])", user).status, 201);
  }
  sql("UPDATE clusters SET reachable = true RETURNING 1");
  const grid::ClusterId alpha{std::stoll(sql("SELECT id FROM clusters WHERE name = 'alpha'"))};
  const auto order = [&] {
    std::string text;
    store::transact(database, {}, [&](store::Transaction& transaction) {
      text.clear();
      for (const auto& one : store::inputs_to_send(transaction, alpha, store::now(transaction)))
        text += fmt::format("{}{}", text.empty() ? "" : " ", one.campaign.value());
    });
    return text;
  };
  EXPECT_EQ(order(), "");
  store::transact(database, {}, [&](store::Transaction& transaction) {
    const std::vector<store::WantedInputs> pairs{
        {grid::CampaignId{1}, alpha, 1}, {grid::CampaignId{2}, alpha, 1}, {grid::CampaignId{3}, alpha, 1}};
    store::want_inputs(transaction, pairs, store::now(transaction));
  });
  EXPECT_EQ(order(), "1 2 3");
  sql("UPDATE campaign_clusters SET inputs_served_at = now() WHERE campaign_id = 1 RETURNING 1");
  EXPECT_EQ(order(), "3 2 1");
  // A campaign that has all its files counts for its user's turns.
  sql("UPDATE campaign_clusters SET inputs_served_at = now() - interval '1 hour', inputs_at = now(), inputs_login = 'alice' "
      "WHERE campaign_id = 1 RETURNING 1");
  sql("UPDATE campaign_clusters SET inputs_served_at = now() - interval '2 hours' WHERE campaign_id = 3 RETURNING 1");
  EXPECT_EQ(order(), "3 2");
}

TEST_F(InputsOfUsers, Document003_OfClustersThatShareTheHome_AreSentByOneOfThem_AndProvenByTheOthers) {
  store::Database database{ApiTest::database()};
  sql("UPDATE clusters SET reachable = true, shared_home = 'site' RETURNING 1");
  const auto manifest = put(fmt::format("{}  a\n", put("x")));
  const auto body = R"({"name": "n", "params": ["1"], "input_files": "a", "exec_file": "run", "clusters": {"alpha": {}, "beta": {}}})";
  ASSERT_EQ(as("alice", {.method = "POST", .target = "/v1/campaigns?input_manifest=" + manifest, .body = body}).status, 201);
  sql("UPDATE campaign_clusters SET inputs_wanted = true RETURNING 1");
  const auto order = [&](const std::string& name) {
    const grid::ClusterId cluster{std::stoll(sql(fmt::format("SELECT id FROM clusters WHERE name = '{}'", name)))};
    std::string text;
    store::transact(database, {}, [&](store::Transaction& transaction) {
      text.clear();
      for (const auto& one : store::inputs_to_send(transaction, cluster, store::now(transaction))) text += one.shares ? "proves" : "sends";
    });
    return text;
  };
  const auto set = [&](const std::string& what, const std::string& name) {
    sql(fmt::format("UPDATE campaign_clusters p SET {} FROM clusters k WHERE k.id = p.cluster_id AND k.name = '{}' RETURNING 1", what,
                    name));
  };
  EXPECT_EQ(order("alpha") + " " + order("beta"), "sends ");
  set("inputs_sent = 1, inputs_there = '{[0,1)}', inputs_login = 'alice'", "beta");
  EXPECT_EQ(order("alpha") + " " + order("beta"), "proves sends");
  set("inputs_sent = 1, inputs_there = '{[0,1)}', inputs_login = 'alice'", "alpha");
  EXPECT_EQ(order("alpha") + " " + order("beta"), "sends ") << "of those that have the same, one goes on";
  set("inputs_sent = 2, inputs_there = '{[0,2)}'", "alpha");
  EXPECT_EQ(order("beta"), "proves");
  set("inputs_sent = 0, inputs_there = '{}', inputs_login = NULL", "alpha");
  sql("UPDATE clusters SET reachable = false WHERE name = 'beta' RETURNING 1");
  EXPECT_EQ(order("alpha"), "proves") << "the other one is lost in the middle";
  sql("UPDATE clusters SET reachable = true RETURNING 1");
  set("inputs_at = now()", "beta");
  EXPECT_EQ(order("alpha") + " " + order("beta"), "proves ");
  EXPECT_EQ(sql("SELECT shared FROM missing_inputs"), "{[0,1)}");
  const grid::ClusterId alpha{std::stoll(sql("SELECT id FROM clusters WHERE name = 'alpha'"))};
  set("inputs_at = now(), inputs_sent = 1, inputs_login = 'alice'", "alpha");
  store::transact(database, {}, [&](store::Transaction& t) { store::send_inputs_again(t, grid::CampaignId{1}, alpha); });
  EXPECT_EQ(sql("SELECT count(*) FROM campaign_clusters WHERE inputs_at IS NULL AND inputs_sent = 0"), "2") << "they are one file for both";
  sql("INSERT INTO user_mappings (user_name, cluster_id, login) SELECT 'alice', id, 'al' FROM clusters WHERE name = 'beta' RETURNING 1");
  EXPECT_EQ(order("alpha") + " " + order("beta"), "sends sends") << "these are two homes";
}

TEST_F(InputsOfUsers, ThatATaskNeeds_AndThatAreNotThere_NameTheTask_AndNothingIsStored) {
  const auto manifest = list({{"data/1", put("one")}});
  const auto answer = submit(manifest, R"(["data/{1}"])", R"(["1", "2"])");
  EXPECT_EQ(answer.status, 400);
  EXPECT_THAT(answer.message(), HasSubstr("task 1, parameter '2': its input file 'data/2' is not among those"));
  EXPECT_EQ(sql("SELECT count(*) FROM campaigns"), "0");
}

TEST_F(InputsOfUsers, OfAnotherUser_CannotBeNamed) {
  const auto secret = put("secret", "bob");
  const auto manifest = list({{"data", secret}});
  EXPECT_THAT(submit(manifest, R"(["data"])", R"(["1"])").message(),
              HasSubstr("'data' (" + secret + ") is not among the contents that you have uploaded"));
  EXPECT_THAT(submit(secret, R"(["data"])", R"(["1"])").message(), HasSubstr("the list of the input files"));
}

TEST_F(InputsOfUsers, WithoutTheirList_OrWithoutTheirKey_AreRefused) {
  EXPECT_THAT(submit("", R"(["data"])", R"(["1"])").message(), HasSubstr("gridsub sends it"));
  EXPECT_THAT(submit(list({{"a", put("a")}}), "\"a\"", R"(["1"])").body, HasSubstr("\"id\""));
  const auto answer = as("alice", {.method = "POST",
                                   .target = "/v1/campaigns?input_manifest=" + std::string(64, 'a'),
                                   .body = R"({"name": "n", "nb_jobs": 1, "clusters": {"alpha": {"exec_file": "run"}}})"});
  EXPECT_THAT(answer.message(), HasSubstr("the campaign file has no input_files"));
}

TEST_F(InputsOfUsers, AreForgottenAWeekAfterTheLastCampaignThatNeedsThem) {
  const auto used = put("used");
  const auto unused = put("unused");
  ASSERT_EQ(submit(list({{"a", used}}), R"(["a"])", R"(["1"])").status, 201);
  const auto age = [&] {
    sql("UPDATE inputs SET used_at = now() - interval '8 days' RETURNING 1");
    for (const auto& entry : std::filesystem::directory_iterator{spool()})
      std::filesystem::last_write_time(entry.path(), std::filesystem::file_time_type::clock::now() - std::chrono::hours{200});
    static_cast<void>(missing("bob", {}));
  };
  age();
  EXPECT_TRUE(std::filesystem::exists(spool() / used));
  EXPECT_FALSE(std::filesystem::exists(spool() / unused));
  sql("UPDATE campaigns SET state = 'cancelled', ended_at = now() - interval '8 days' RETURNING 1");
  age();
  EXPECT_FALSE(std::filesystem::exists(spool() / used));
}

TEST_F(InputsOfUsers, FromCampaigns_AreThoseOfTheirList_AndTheCampaignsAreOnesOwn) {
  const auto submit_plain = [&](const std::string& user) {
    const auto answer = as(user, {.method = "POST",
                                  .target = "/v1/campaigns",
                                  .body = R"({"name": "n", "nb_jobs": 2, "exec_file": "run", "clusters": {"alpha": {}}})"});
    EXPECT_EQ(answer.status, 201) << answer.body;
    return answer.json["id"].GetInt64();
  };
  const auto other = submit_plain("bob");
  const auto own = submit_plain("alice");
  const auto submitted_from = [&](std::int64_t from, const std::string& query) {
    return as("alice", {.method = "POST",
                        .target = "/v1/campaigns" + query,
                        .body = fmt::format(R"({{"name": "n", "nb_jobs": 1, "input_from": {0}, "input_files": ["outputs-{0}/{{1}}.out"],
                          "exec_file": "run", "clusters": {{"alpha": {{}}}}}})",
                                            from)});
  };
  for (const auto* query : {"?dry_run=1", ""}) {
    const auto absent = submitted_from(99, query);
    EXPECT_EQ(absent.status, 400);
    EXPECT_THAT(absent.message(), HasSubstr("there is no campaign 99 whose outputs could be input files"));
    EXPECT_THAT(absent.body, HasSubstr(R"("input_from")"));
    EXPECT_THAT(submitted_from(other, query).message(),
                HasSubstr(fmt::format("campaign {} is not yours: only bob may read its outputs", other)));
  }
  EXPECT_THAT(submitted_from(own, "").message(), HasSubstr("the list of the input files is missing: gridsub sends it"));
  const auto taken = submitted_from(own, "?input_manifest=" + list({{fmt::format("outputs-{}/0.out", own), put("a")}}));
  ASSERT_EQ(taken.status, 201) << taken.body;
  const auto id = taken.json["id"].GetInt64();
  EXPECT_THAT(get(fmt::format("/v1/campaigns/{}/jdl", id)).body, HasSubstr(fmt::format(R"("input_from":[{}])", own)));
}

/// Where users read their own campaigns alone.
class InputsOfReadersOfTheirOwn : public InputsOfUsers {
 protected:
  [[nodiscard]] process::Config configuration() const override {
    auto config = InputsOfUsers::configuration();
    config.read_access = process::ReadAccess::own;
    return config;
  }
};

/// It named the owner of a campaign that the caller may not read.
TEST_F(InputsOfReadersOfTheirOwn, Attack_FindingCampaignsOfOthersBySources_LearnsNothing) {
  const auto refusal = [&](std::int64_t from) {
    auto text = as("alice", {.method = "POST",
                             .target = "/v1/campaigns?dry_run=1",
                             .body = fmt::format(R"({{"name": "n", "nb_jobs": 1, "input_from": {0}, "input_files": ["outputs-{0}/0.out"],
                               "exec_file": "run", "clusters": {{"alpha": {{}}}}}})",
                                                 from)})
                    .body;
    for (const auto number = std::to_string(from); text.find(number) != std::string::npos;)
      text.replace(text.find(number), number.size(), "N");
    return text;
  };
  const auto of_bob = as("bob", {.method = "POST",
                                 .target = "/v1/campaigns",
                                 .body = R"({"name": "n", "nb_jobs": 2, "exec_file": "run", "clusters": {"alpha": {}}})"});
  ASSERT_EQ(of_bob.status, 201) << of_bob.body;
  const auto present = refusal(of_bob.json["id"].GetInt64());
  EXPECT_THAT(present, HasSubstr("there is no campaign N whose outputs could be input files"));
  EXPECT_EQ(present, refusal(9'999'999));
}

class GridWithoutInputs : public ApiTest {};

TEST_F(GridWithoutInputs, RefusesThem_AndNamesTheAlternative) {
  const auto answer =
      post("/v1/campaigns", R"({"name": "n", "nb_jobs": 1, "input_files": ["a"], "clusters": {"alpha": {"exec_file": "run"}}})");
  EXPECT_EQ(answer.status, 400);
  EXPECT_THAT(answer.message(), HasSubstr("this grid takes no input files"));
  EXPECT_EQ(as("alice", {.method = "PUT", .target = "/v1/inputs/" + std::string(64, 'a'), .body = "a"}).status, 400);
}

}  // namespace
}  // namespace gleaner::tests
