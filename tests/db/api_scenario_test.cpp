#include <fmt/format.h>
#include <gmock/gmock.h>

#include <array>

#include "api/scenario_json.hpp"
#include "lib/process/options.hpp"
#include "lib/text/json_value.hpp"
#include "sim/gridsim/engine/scenario_file.hpp"
#include "sim/gridsim/engine/what_if.hpp"
#include "tests/db/api_fixture.hpp"

/// The grid's state, as simulations get it.
namespace gleaner::tests {
namespace {

using testing::HasSubstr;
using testing::Not;

class ScenarioRoute : public ApiTest {
 protected:
  void SetUp() override {
    ApiTest::SetUp();
    sql("UPDATE clusters SET reachable = true WHERE name IN ('alpha', 'beta')");
    sql("INSERT INTO gridstatus (cluster_id, time, max_resources, free, used, used_besteffort, our_running, our_waiting, reachable, api_latency_ms) "
        "SELECT id, now(), 16, 10, 6, 0, 0, 0, true, 5 FROM clusters WHERE name IN ('alpha', 'beta')");
  }
};

// A value for each field that a scenario carries, different from its default and from the other fields' values.
void set(bool& value, int) { value = !value; }
void set(std::string& value, int place) { value = fmt::format("word{}", place); }
void set(grid::Needs& value, int place) { value = {{"matlab", place}}; }
void set(grid::Grouping& value, int) { value = grid::Grouping::auto_; }
template <class Number>
void set(Number& value, int place) {
  value = static_cast<Number>(place);
}
template <class Value>
void set(std::optional<Value>& value, int place) {
  set(value.emplace(), place);
}
template <class Facts, class... Fields>
void set_all(Facts& facts, const std::tuple<Fields...>& fields) {
  int place = 1;
  grid::for_each_scenario_field(fields, [&](const auto& field) { set(facts.*field.member, ++place); });
}
template <class Facts, class... Fields>
void expect_equal(const Facts& there, const Facts& here, const std::tuple<Fields...>& fields) {
  grid::for_each_scenario_field(fields, [&](const auto& field) { EXPECT_EQ(there.*field.member, here.*field.member) << field.name; });
}

TEST(ScenarioFields, OfClustersCampaignsAndPairs_ReachTheSimulator) {
  store::GridState state;
  auto& cluster = state.planning.clusters.emplace_back();
  auto& campaign = state.planning.campaigns.emplace_back();
  auto& pair = state.planning.pairs.emplace_back();
  cluster.name = "alpha";
  cluster.max_resources = 16;
  pair.login = "ada";
  set_all(cluster, grid::kClusterFields);
  set_all(campaign, grid::kCampaignFields);
  set_all(pair, grid::kAskedFields);
  set_all(pair, grid::kCountedFields);
  set_all(pair, grid::kMemoryFields);
  text::JsonWriter json;
  api::write_scenario(json, state, process::default_config(), grid::from_unix(0));
  const auto scenario = gridsim::read_scenario(json.text(), ".");
  ASSERT_TRUE(scenario) << jdl::render(scenario.error(), json.text());
  expect_equal<grid::ClusterFacts>(scenario->clusters.at(0), cluster, grid::kClusterFields);
  expect_equal<grid::CampaignFacts>(scenario->campaigns.at(0), campaign, grid::kCampaignFields);
  expect_equal(scenario->campaigns[0].clusters.at(0).facts, pair, grid::kAskedFields);
  expect_equal(scenario->campaigns[0].clusters[0].facts, pair, grid::kCountedFields);
  expect_equal(scenario->campaigns[0].clusters[0].facts, pair, grid::kMemoryFields);
}

/// The part of the answer behind its key `scenario`, which is written before `left_out`.
std::string scenario_in(const std::string& body) {
  const std::string begin = "\"scenario\":";
  const auto from = body.find(begin) + begin.size();
  return body.substr(from, body.find(",\"left_out\"", from) - from);
}

TEST_F(ScenarioRoute, IsReadByTheSimulator_WhichPlaysIt) {
  static_cast<void>(a_campaign_of(40));
  const auto answer = get("/v1/scenario");
  ASSERT_EQ(answer.status, 200) << answer.body;
  const auto prospects = gridsim::what_if(scenario_in(answer.body), {.most_runs = 5});
  ASSERT_TRUE(prospects) << prospects.error() << answer.body;
  ASSERT_EQ(prospects->campaigns.size(), 1U);
  EXPECT_EQ(prospects->campaigns[0].evidence, "walltime");
  EXPECT_TRUE(prospects->campaigns[0].end);
  ASSERT_EQ(prospects->clusters.size(), 2U);
  EXPECT_EQ(prospects->clusters[0].held, 6);
  EXPECT_STREQ(answer.json["left_out"][0]["cluster_name"].GetString(), "gamma");
  EXPECT_STREQ(answer.json["left_out"][0]["why"].GetString(), "disabled");
}

/// Without this, tasks were said to be done within seconds on a cluster where none may start.
TEST_F(ScenarioRoute, AClusterWhoseProloguesFailed_OrThatHasNoAccount_GetsNoTaskOfTheCampaign) {
  static_cast<void>(a_campaign_of(40));
  const auto blocked = [&] {
    const auto prospects = gridsim::what_if(scenario_in(get("/v1/scenario").body), {.most_runs = 2});
    return prospects ? prospects->campaigns.at(0).blocked : prospects.error();
  };
  EXPECT_EQ(blocked(), "");
  sql("UPDATE campaign_clusters SET prologue = 'p', prepared = true");
  sql("INSERT INTO tasks (campaign_id, number, parameter, state) SELECT campaign_id, prologue_on(cluster_id), '', 'failed' FROM campaign_clusters");
  EXPECT_EQ(blocked(), "closed");
  sql("UPDATE campaign_clusters SET prologue = ''");
  EXPECT_EQ(blocked(), "");
  sql("UPDATE campaigns SET user_name = 'al.ice'");
  EXPECT_EQ(blocked(), "closed");
}

/// Without this, tasks were said to begin at once on a cluster that waits for a token of their user.
TEST_F(ScenarioRoute, AClusterWithoutATokenOfTheUser_GetsNoTaskOfTheirs_AndASubmissionReportsThat) {
  static_cast<void>(a_campaign_of(3));
  const auto jdl = R"({"name": "t", "nb_jobs": 7, "exec_file": "run", "clusters": {"alpha": {}, "beta": {}}})";
  const auto blocked = [&] {
    const auto prospects = gridsim::what_if(scenario_in(get("/v1/scenario").body), {.most_runs = 2});
    return prospects ? prospects->campaigns.at(0).blocked : prospects.error();
  };
  const auto clusters = [&] { return post("/v1/campaigns?dry_run=1", jdl).json["candidate"]["clusters"].Size(); };
  EXPECT_EQ(clusters(), 2U);
  sql("UPDATE clusters SET api = 'oar3', authentication = 'token' WHERE name = 'alpha'");
  EXPECT_EQ(clusters(), 1U) << "beta takes them";
  for (const auto* target : {"/v1/campaigns?dry_run=1", "/v1/campaigns"})
    EXPECT_THAT(post(target, jdl).body, HasSubstr("no task starts there before 'gridtoken add alpha' gives one")) << target;
  sql("UPDATE clusters SET api = 'oar3', authentication = 'token'");
  EXPECT_EQ(blocked(), "closed");
  sql("INSERT INTO cluster_tokens (user_name, cluster_id, login, sealed, key_name, fingerprint, given_at, expires_at) "
      "SELECT 'alice', id, 'alice', 's', 'k', 'f', now(), now() + interval '1 day' FROM clusters");
  EXPECT_EQ(blocked(), "");
  EXPECT_EQ(clusters(), 2U);
  for (const auto* no_use : {"expires_at = now()", "refused_at = now()", "unreadable = 'no key'", "login = 'bob'"}) {
    sql(fmt::format(
        "BEGIN; UPDATE cluster_tokens SET expires_at = now() + interval '1 day', refused_at = NULL, unreadable = '', login = 'alice'; "
        "UPDATE cluster_tokens SET {}; COMMIT",
        no_use));
    EXPECT_EQ(blocked(), "closed") << no_use;
    EXPECT_EQ(clusters(), 0U) << no_use;
  }
}

TEST_F(ScenarioRoute, ItsSizeDoesNotDependOnTheTasks_NorDoesItRevealTheirParameters) {
  static_cast<void>(a_campaign_of(3));
  const auto small = get("/v1/scenario").body.size();
  sql("UPDATE campaigns SET total = 1000000");
  const auto answer = get("/v1/scenario");
  EXPECT_LT(answer.body.size(), small + 50);
  EXPECT_THAT(answer.body, Not(HasSubstr("run.sh")));
  EXPECT_EQ(ask(port(), {.target = "/v1/scenario"}).status, 401);
}

TEST_F(ScenarioRoute, DurationsOfEarlierCampaignsOfTheCommand_StandForACampaignThatHasShownNothing) {
  const auto before = std::to_string(a_campaign_of(3));
  sql("UPDATE campaigns SET state = 'terminated', ended_at = now()");
  sql("UPDATE campaign_clusters SET done = 3, duration_sum = 300");
  sql("INSERT INTO durations (campaign_id, cluster_id, bucket, jobs) SELECT campaign_id, cluster_id, 48, 3 FROM campaign_clusters WHERE campaign_id = " +
      before);
  static_cast<void>(a_campaign_of(5));
  const auto prospects = gridsim::what_if(scenario_in(get("/v1/scenario").body), {.most_runs = 5});
  ASSERT_TRUE(prospects) << prospects.error();
  EXPECT_EQ(prospects->campaigns.at(0).evidence, "history");
  EXPECT_EQ(prospects->campaigns.at(0).seen, 3);
  EXPECT_LT(prospects->campaigns.at(0).end->expected, 400);
}

/// Else the simulation of a submission would take its user for a new one.
TEST_F(ScenarioRoute, WhereSomethingIsKeptForNewUsers_TheFirstCampaignsOfAllUsersAreKnown_AlsoThoseThatAreOver) {
  static_cast<void>(a_campaign_of(3));
  sql("UPDATE campaigns SET state = 'terminated', ended_at = now()");
  sql("UPDATE first_campaigns SET submitted_at = now() - interval '60 days'");
  sql("INSERT INTO keeps (name, cluster_id, percent, new_users_s) SELECT 'first steps', id, 50, 30 * 86400 FROM clusters WHERE name = 'alpha'");
  const auto answer = get("/v1/scenario");
  const auto& policies = answer.json["scenario"]["policies"];
  ASSERT_EQ(policies["keeps"].Size(), 1U) << answer.body;
  ASSERT_EQ(policies["first_campaigns"].Size(), 1U) << answer.body;
  EXPECT_STREQ(policies["first_campaigns"][0]["user"].GetString(), "alice");
  EXPECT_GT(policies["first_campaigns"][0]["age"].GetDouble(), 59 * 86400);
  EXPECT_TRUE(gridsim::read_scenario(scenario_in(answer.body), "."));
}

TEST_F(ScenarioRoute, TheAttemptsThatAJdlAllows_AreSimulated) {
  static_cast<void>(a_campaign_of(1));
  EXPECT_FALSE(get("/v1/scenario").json["scenario"]["live"][0].HasMember("max_attempts"));
  sql("UPDATE campaigns SET jdl = jdl || '{\"max_attempts\": 3}'");
  EXPECT_EQ(get("/v1/scenario").json["scenario"]["live"][0]["max_attempts"].GetInt(), 3);
  const auto checked =
      post("/v1/campaigns?dry_run=1", R"({"name": "t", "nb_jobs": 7, "max_attempts": 4, "clusters": {"alpha": {"exec_file": "run"}}})");
  ASSERT_EQ(checked.status, 200) << checked.body;
  EXPECT_EQ(checked.json["candidate"]["max_attempts"].GetInt(), 4);
}

TEST_F(ScenarioRoute, TasksInTheHandsOfPools_AreInTheBagOfTheSimulation) {
  static_cast<void>(a_campaign_of(10));
  sql("WITH l AS (INSERT INTO launches (campaign_id, cluster_id, jobs, resources, term, planned_at, pool_s) SELECT campaign_id, cluster_id, 1, 1, 1, now(), 60 "
      "FROM campaign_clusters LIMIT 1 RETURNING id, campaign_id, cluster_id) "
      "INSERT INTO jobs (launch_id, campaign_id, cluster_id, task, attempt, pooled, state) "
      "SELECT id, campaign_id, cluster_id, n, 0, true, 'pooled' FROM l, generate_series(0, 3) n");
  sql("UPDATE campaigns SET next_task = 4, waiting = 6, jdl = jdl || '{\"temporal_grouping\": \"true\"}'");
  const auto answer = get("/v1/scenario");
  const auto& live = answer.json["scenario"]["live"][0];
  EXPECT_EQ(live["waiting"].GetInt(), 6 + 4) << answer.body;
  EXPECT_STREQ(live["temporal_grouping"].GetString(), "true");
}

TEST_F(ScenarioRoute, ACheckedCampaign_IsACandidateOfTheSameForm) {
  const auto checked =
      as("alice", {.method = "POST",
                   .target = "/v1/campaigns?dry_run=1",
                   .body = R"({"name": "t", "nb_jobs": 7, "clusters": {"alpha": {"exec_file": "run", "resources": "/core=2"}}})",
                   .headers = {{"Content-Type", "application/json"}}});
  ASSERT_EQ(checked.status, 200) << checked.body;
  const auto& candidate = checked.json["candidate"];
  EXPECT_EQ(candidate["waiting"].GetInt(), 7);
  EXPECT_EQ(candidate["clusters"][0]["width"].GetInt(), 2);
  EXPECT_STREQ(candidate["evidence"].GetString(), "walltime");
}

/// Without this, a task of ten minutes was promised within seconds: the section of an expression has no walltime.
TEST_F(ScenarioRoute, ACandidateWhoseRequestsAreExpressions_IsBoundedByTheGreatestOfThem) {
  const auto checked = as("alice", {.method = "POST",
                                    .target = "/v1/campaigns?dry_run=1",
                                    .body = R"({"name": "t", "params": ["1", "3"], "walltime": "10*minute*p1", "resources": "/core=p1",
                                                "clusters": {"alpha": {"exec_file": "run"}}})",
                                    .headers = {{"Content-Type", "application/json"}}});
  ASSERT_EQ(checked.status, 200) << checked.body;
  const auto& candidate = checked.json["candidate"];
  EXPECT_EQ(candidate["clusters"][0]["walltime"].GetDouble(), 1800) << checked.body;
  EXPECT_EQ(candidate["clusters"][0]["width"].GetInt(), 3);
  EXPECT_THAT(text::json_text(candidate["durations"]), HasSubstr("1800"));
}

/// A grid whose administrator has changed every key that decides what is planned.
class ScenarioOfAnotherConfiguration : public ScenarioRoute {
 protected:
  [[nodiscard]] process::Config configuration() const override {
    auto config = process::default_config();
    for (const auto& option : process::options()) {
      if (option.is_simulated()) change(option, config);
    }
    return config;
  }

 private:
  /// Takes the first of these values that is right for the option and is not its default.
  static void change(const process::Option& option, process::Config& config) {
    constexpr std::array<std::string_view, 7> kValues{"17s", "11", "0.25", "1.75", "no", "yes", "2:00:00"};
    constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kNamed{
        {{"campaign_order", "priority,fairshare"},
         {"campaign_scheduler", "prediction"},
         {"placement", "packed"},
         {"predictor_algorithm", "slow-start"},
         {"fairshare_usage", "by_share"},
         {"multifactor_weights", "age:1,fairshare:3,size:2,priority:4,affinity:5"},
         {"temporal_grouping", "auto"},
         {"default_resources", "/core=3"}}};
    for (const auto& [key, value] : kNamed) {
      if (key != option.key) continue;
      ASSERT_EQ(option.value.read(value, config), std::nullopt) << key;
    }
    const auto before = option.value.write(process::default_config());
    for (const auto value : kValues) {
      if (option.value.write(config) != before) return;
      static_cast<void>(option.value.read(value, config));
    }
    ASSERT_NE(option.value.write(config), before) << option.key << ": none of the values is right for it";
  }
};

TEST_F(ScenarioOfAnotherConfiguration, EachKeyThatDecidesWhatIsPlanned_ReachesTheSimulation) {
  static_cast<void>(a_campaign_of(40));
  const auto scenario = gridsim::read_scenario(scenario_in(get("/v1/scenario").body), folder());
  ASSERT_TRUE(scenario) << scenario.error().front().message;
  const auto ours = configuration();
  for (const auto& option : process::options()) {
    if (!option.is_simulated()) continue;
    EXPECT_EQ(option.value.write(scenario->config), option.value.write(ours)) << option.key;
  }
}

}  // namespace
}  // namespace gleaner::tests
