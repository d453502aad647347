#include <gmock/gmock.h>

#include <chrono>
#include <deque>
#include <filesystem>
#include <thread>

#include "lib/process/options.hpp"
#include "tests/db/api_fixture.hpp"
#include "tests/db/await.hpp"
#include "tests/unit/http_raw_client.hpp"

/// How much users may send and ask for, and that what they send slowly costs nobody anything.
namespace gleaner::tests {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr std::size_t kKilobyte = 1024;

class ApiLimits : public ApiTest {
 protected:
  void configure(api::ApiOptions& options) override {
    std::filesystem::create_directory(spool());
    options.config.api_spool = spool();
    options.config.api_spool_size = 600 * kKilobyte;
    options.config.max_submission = 500 * kKilobyte;
    options.config.max_campaign_file = 64 * kKilobyte;
    options.config.max_tasks = 5;
    options.config.max_campaigns = 2;
    const auto defaults = process::default_config();
    options.config.least_uid = defaults.least_uid;
    options.config.refused_users = defaults.refused_users;
  }
  [[nodiscard]] std::filesystem::path spool() const { return folder() / "spool"; }
  [[nodiscard]] std::string stored() const { return sql("SELECT count(*) FROM campaigns"); }
};

std::string on_alpha(const std::string& more) { return R"({"name": "t", "clusters": {"alpha": {"exec_file": "run"}}, )" + more + "}"; }

std::string lines_of(int count) {
  std::string lines;
  for (int i = 0; i < count; ++i) lines += "\"" + std::to_string(i) + "\"\n";
  return lines;
}

TEST_F(ApiLimits, ACampaignOfTooManyTasks_IsRefused_HoweverTheyCome) {
  const std::vector<ApiAnswer> answers = [&] {
    std::vector<ApiAnswer> all;
    all.push_back(post("/v1/campaigns", on_alpha(R"("nb_jobs": 6)")));
    all.push_back(post("/v1/campaigns", on_alpha(R"("nb_jobs": 100000000)")));
    all.push_back(post("/v1/campaigns", on_alpha(R"("params": ["1", "2", "3", "4", "5", "6"])")));
    all.push_back(post("/v1/campaigns?dry_run=1", on_alpha(R"("nb_jobs": 6)")));
    all.push_back(submit_lines(head_of(kOnAlpha, R"("nb_jobs": 6)"), ""));
    all.push_back(submit_lines(head_of(kOnAlpha), lines_of(6)));
    all.push_back(submit_lines(head_of(kOnAlpha, R"("dry_run": true)"), lines_of(6)));
    all.push_back(
        submit_lines(head_of(R"({"name": "t", "exec_file": "run", "walltime": "p1 * minute", "clusters": {"alpha": {}}})"), lines_of(6)));
    return all;
  }();
  for (const auto& answer : answers) {
    EXPECT_EQ(answer.status, 403) << answer.body;
    EXPECT_THAT(answer.message(), AllOf(HasSubstr("more than 5 tasks"), HasSubstr("(max_tasks)"))) << answer.body;
  }
  EXPECT_EQ(stored(), "0");
  EXPECT_EQ(submit_lines(head_of(kOnAlpha), lines_of(5)).status, 201);
}

/// games is a user of every Debian, and none of the names that are refused.
TEST_F(ApiLimits, UsersOfTheSystem_HaveNoCampaigns) {
  const auto submits = [&](const std::string& user, const std::string& target) {
    return as(user,
              {.method = "POST", .target = target, .body = on_alpha(R"("nb_jobs": 1)"), .headers = {{"Content-Type", "application/json"}}});
  };
  for (const auto* target : {"/v1/campaigns", "/v1/campaigns?dry_run=1"}) {
    for (const auto& [user, option] : {std::pair{"oar", "refused_users"}, std::pair{"games", "least_uid"}}) {
      const auto answer = submits(user, target);
      EXPECT_EQ(answer.status, 403) << answer.body;
      EXPECT_EQ(answer.code(), "refused_user") << answer.body;
      EXPECT_THAT(answer.message(), HasSubstr(option));
    }
  }
  const auto of_cigri = as("apache", {.method = "POST",
                                      .target = "/cigri/campaigns",
                                      .body = on_alpha(R"("params": ["1"])"),
                                      .headers = {{"Content-Type", "application/json"}, {"X-CIGRI-USER", "nobody"}}});
  EXPECT_EQ(of_cigri.status, 403) << of_cigri.body;
  EXPECT_EQ(stored(), "0");
  EXPECT_EQ(submits("bob", "/v1/campaigns").status, 201);
}

TEST_F(ApiLimits, AUserWithTooManyCampaigns_GetsNoMore_UntilOneEnds) {
  const auto first = a_campaign_of(1);
  const ApiRequest keyed{.method = "POST",
                         .target = "/v1/campaigns",
                         .body = on_alpha(R"("nb_jobs": 1)"),
                         .headers = {{"Content-Type", "application/json"}, {"Idempotency-Key", "k"}}};
  EXPECT_EQ(as("alice", keyed).status, 201);
  const auto third = post("/v1/campaigns", on_alpha(R"("nb_jobs": 1)"));
  EXPECT_EQ(third.status, 403);
  EXPECT_THAT(third.message(), AllOf(HasSubstr("you have 2 campaigns"), HasSubstr("(max_campaigns)")));
  EXPECT_EQ(post("/v1/campaigns?dry_run=1", on_alpha(R"("nb_jobs": 1)")).status, 403);
  // Campaigns that exist already are no new ones; others are not concerned.
  EXPECT_EQ(as("alice", keyed).headers.at("idempotent-replayed"), "true");
  EXPECT_EQ(as("bob", keyed).status, 201);
  EXPECT_EQ(remove("/v1/campaigns/" + std::to_string(first)).status, 202);
  EXPECT_EQ(post("/v1/campaigns", on_alpha(R"("nb_jobs": 1)")).status, 201);
}

TEST_F(ApiLimits, OneUser_MayHaveLimitsOfTheirOwn) {
  sql("INSERT INTO user_limits (user_name, max_campaigns, max_tasks, max_submission, changed_by, changed_at) VALUES ('alice', 3, 7, NULL, 'boss', now()), ('bob', 0, NULL, 100, 'boss', now()) RETURNING 1");
  EXPECT_EQ(submit_lines(head_of(kOnAlpha), lines_of(7)).status, 201);
  EXPECT_THAT(submit_lines(head_of(kOnAlpha), lines_of(8)).message(), HasSubstr("more than 7 tasks"));
  EXPECT_GT(a_campaign_of(1), 0);
  EXPECT_GT(a_campaign_of(1), 0);
  EXPECT_EQ(post("/v1/campaigns", on_alpha(R"("nb_jobs": 1)")).status, 403);
  const auto of_bob = [&](const std::string& body) {
    return as("bob", {.method = "POST", .target = "/v1/campaigns", .body = body, .headers = {{"Content-Type", "application/json"}}});
  };
  EXPECT_EQ(of_bob(on_alpha(R"("nb_jobs": 1)")).status, 403);
  EXPECT_EQ(of_bob(on_alpha(R"("nb_jobs": 1)") + std::string(100, ' ')).status, 413);
}

TEST_F(ApiLimits, WhatIsTooLarge_IsRefused_AndTheOptionNamed) {
  const auto large_file = post("/v1/campaigns", on_alpha(R"("nb_jobs": 1)") + std::string(64 * kKilobyte, ' '));
  EXPECT_EQ(large_file.status, 413);
  EXPECT_THAT(large_file.message(), AllOf(HasSubstr("larger than 64K (max_campaign_file)"), HasSubstr("param_file")));
  EXPECT_EQ(submit_lines(head_of(std::string{kOnAlpha} + std::string(64 * kKilobyte, ' ')), lines_of(1)).status, 413);
  EXPECT_EQ(submit_lines(std::string(300 * kKilobyte, ' ') + head_of(kOnAlpha), lines_of(1)).status, 413);
  const auto large = submit_lines(head_of(kOnAlpha), std::string(500 * kKilobyte, '\n'));
  EXPECT_EQ(large.status, 413);
  EXPECT_THAT(large.message(), HasSubstr("larger than 500K, the most that may be sent at once (max_submission)"));
  EXPECT_EQ(stored(), "0");
  EXPECT_EQ(submit_lines(head_of(kOnAlpha), std::string(450 * kKilobyte, '\n') + lines_of(3)).status, 201);
  EXPECT_EQ(sql("SELECT total FROM campaigns"), "3");
  EXPECT_TRUE(std::filesystem::is_empty(spool()));
}

TEST_F(ApiLimits, TooManyRows_AreRefused_AndTheOptionNamed) {
  const auto answer = get("/v1/campaigns?limit=10001");
  EXPECT_EQ(answer.status, 400);
  EXPECT_THAT(answer.message(), AllOf(HasSubstr("limit=10001"), HasSubstr("from 1 to 10000"), HasSubstr("(max_rows)")));
  EXPECT_EQ(get("/v1/campaigns?limit=10000").status, 200);
}

/// An upload that has begun, and does not end.
class Begun {
 public:
  Begun(const std::string& port, const std::string& head, std::size_t length) : client_{static_cast<std::uint16_t>(std::stoi(port))} {
    client_.send(fmt::format(
        "POST /v1/campaigns HTTP/1.1\r\nAuthorization: Bearer alice-token-0123456789\r\nContent-Type: application/x-ndjson\r\nExpect: 100-continue\r\n"
        "Connection: close\r\nContent-Length: {}\r\n\r\n",
        length));
    reads_it_ = client_.read_until("\r\n\r\n").starts_with("HTTP/1.1 100");
    client_.send(head);
  }
  [[nodiscard]] bool reads_it() const { return reads_it_; }
  http::RawClient& client() { return client_; }

 private:
  http::RawClient client_;
  bool reads_it_ = false;
};

TEST_F(ApiLimits, NoTransactionWaitsForAClient_AndOthersAreAnswered) {
  const auto head = head_of(kOnAlpha) + "\n";
  const auto lines = lines_of(3);
  std::deque<Begun> uploads;
  for (int i = 0; i < 20; ++i) {
    EXPECT_TRUE(uploads.emplace_back(port(), head + "\"0\"\n", head.size() + lines.size()).reads_it());
  }
  for (int i = 0; i < 20; ++i) EXPECT_EQ(get("/v1/campaigns").status, 200);
  EXPECT_EQ(
      sql("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND xact_start IS NOT NULL AND pid <> pg_backend_pid() AND backend_type = 'client backend'"),
      "0");
  uploads.front().client().send(lines.substr(4));
  EXPECT_THAT(uploads.front().client().read_to_end(), HasSubstr("HTTP/1.1 201"));
  EXPECT_EQ(sql("SELECT total FROM campaigns"), "3");
}

TEST_F(ApiLimits, WhatIsWrongWithTheFirstLine_IsSaid_BeforeTheParametersHaveCome) {
  Begun upload{port(), head_of(R"({"name": "t", "clusters": {"alfa": {"exec_file": "run"}}})") + "\n", 100 * kKilobyte};
  EXPECT_THAT(upload.client().read_to_end(),
              AllOf(HasSubstr("HTTP/1.1 400"), HasSubstr("there is no cluster 'alfa'; the clusters are alpha, beta, gamma")));
}

/// Bytes of the files without names that this process keeps in a folder. The first 128 kB of each submission are in memory.
std::uintmax_t bytes_kept_in(const std::filesystem::path& folder) {
  std::uintmax_t bytes = 0;
  for (const auto& descriptor : std::filesystem::directory_iterator{"/proc/self/fd"}) {
    std::error_code gone;
    const auto target = std::filesystem::read_symlink(descriptor.path(), gone);
    if (gone || !target.string().starts_with(folder.string())) continue;
    const auto size = std::filesystem::file_size(descriptor.path(), gone);
    if (!gone) bytes += size;
  }
  return bytes;
}

TEST_F(ApiLimits, WhatOneUserSendsAtOnce_IsLimited_AndWhatAllSend) {
  const auto head = head_of(kOnAlpha) + "\n";
  Begun upload{port(), head + std::string(400 * kKilobyte, '\n'), 450 * kKilobyte};
  // While its bytes come, the second one would take the place of the last of them.
  ASSERT_TRUE(await([&] { return bytes_kept_in(spool()) >= (400 - 128) * kKilobyte; }));
  const auto second = submit_lines(head_of(kOnAlpha), std::string(120 * kKilobyte, '\n') + lines_of(1));
  EXPECT_EQ(second.status, 503) << second.body;
  EXPECT_THAT(second.message(), HasSubstr("you are sending other submissions now"));
  EXPECT_EQ(second.headers.at("retry-after"), "10");
  const auto of_bob = as("bob", {.method = "POST",
                                 .target = "/v1/campaigns",
                                 .body = head + std::string(300 * kKilobyte, '\n') + lines_of(1),
                                 .headers = {{"Content-Type", "application/x-ndjson"}}});
  EXPECT_EQ(of_bob.status, 503) << of_bob.body;
  EXPECT_THAT(of_bob.message(), HasSubstr("the API is receiving too many submissions now"));
}

TEST_F(ApiLimits, ASpoolThatIsNotThere_IsSaid_AndSmallSubmissionsNeedNone) {
  std::filesystem::remove(spool());
  EXPECT_EQ(submit_lines(head_of(kOnAlpha), lines_of(1)).status, 201);
  const auto large = submit_lines(head_of(kOnAlpha), std::string(300 * kKilobyte, '\n') + lines_of(1));
  EXPECT_EQ(large.status, 503);
  EXPECT_THAT(large.message(), HasSubstr("the API has no room for a submission of this size now"));
}

class ApiPages : public ApiTest {};

TEST_F(ApiPages, OfLongParameters_AreShorter_AndTheirLinksLeadThroughAll) {
  std::string lines;
  for (int i = 0; i < 100; ++i) lines += "\"" + std::to_string(i) + " " + std::string(60'000, 'x') + "\"\n";
  const auto id = submit_lines(head_of(kOnAlpha), lines).json["id"].GetInt64();
  for (const std::string query : {"limit=100", "limit=100&state=waiting", "limit=7"}) {
    std::vector<std::int64_t> seen;
    std::string next = fmt::format("/v1/campaigns/{}/tasks?{}", id, query);
    while (!next.empty() && seen.size() <= 100) {
      const auto page = get(next);
      ASSERT_EQ(page.status, 200) << page.body;
      EXPECT_LT(page.body.size(), std::size_t{5} << 20U);
      EXPECT_GT(page.json["items"].Size(), 0U);
      for (const auto& item : page.json["items"].GetArray()) seen.push_back(item["id"].GetInt64());
      next = page.link("next");
    }
    ASSERT_EQ(seen.size(), 100U) << query;
    for (std::size_t i = 0; i < seen.size(); ++i) EXPECT_EQ(seen[i], static_cast<std::int64_t>(i));
  }
}

TEST_F(ApiPages, OfParametersThatJsonMakesLonger_AreShorterToo) {
  std::string lines;
  for (int i = 0; i < 30; ++i) {
    lines += '"';
    for (int j = 0; j < 10'000; ++j) lines += "\\u0001";
    lines += "\"\n";
  }
  for (int i = 0; i < 30; ++i) lines += "[\"" + std::string(50'000, '\'') + "\"]\n";
  const auto submitted = submit_lines(head_of(kOnAlpha), lines);
  ASSERT_EQ(submitted.status, 201) << submitted.body;
  std::int64_t seen = 0;
  std::string next = fmt::format("/v1/campaigns/{}/tasks?limit=100", submitted.json["id"].GetInt64());
  while (!next.empty()) {
    const auto page = get(next);
    ASSERT_EQ(page.status, 200) << page.body;
    EXPECT_LT(page.body.size(), std::size_t{6} << 20U) << "which is what its part of the room is for";
    for (const auto& item : page.json["items"].GetArray()) ASSERT_EQ(item["id"].GetInt64(), seen++);
    next = page.link("next");
  }
  EXPECT_EQ(seen, 60);
}

TEST_F(ApiPages, TheUsageOfAllTime_HasTheLastFiguresOfEachSlice) {
  sql("INSERT INTO gridstatus (cluster_id, time, max_resources, free, used, used_besteffort, our_running, our_waiting, reachable, api_latency_ms)"
      " SELECT k.id, to_timestamp(1700000000 + 10 * n), 16, n % 17, 16 - n % 17, 0, 0, 0, true, 1 FROM clusters k, generate_series(0, 9999) n RETURNING 1");
  const auto all = get("/v1/gridusage?from=1970-01-01T00:00:00Z");
  ASSERT_EQ(all.status, 200) << all.body;
  EXPECT_LE(all.json["items"].Size(), 1001U);
  EXPECT_GE(all.json["items"].Size(), 1U);
  EXPECT_EQ(all.json["items"][0]["clusters"].Size(), 3U);
  const auto hour = get("/v1/gridusage?from=2023-11-14T22:13:20Z&to=2023-11-14T23:13:20Z");
  ASSERT_EQ(hour.json["items"].Size(), 61U) << hour.body;
  // A slice of a minute has the last of its six: of the first one, which begins 20 s before, the fourth.
  EXPECT_EQ(hour.json["items"][0]["clusters"][0]["used_resources"].GetInt(), 16 - 3);
  EXPECT_EQ(hour.json["items"][1]["clusters"][0]["used_resources"].GetInt(), 16 - 9);
}

}  // namespace
}  // namespace gleaner::tests
