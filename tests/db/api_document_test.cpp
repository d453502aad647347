#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lib/text/utc.hpp"
#include "tests/db/api_fixture.hpp"

/// The answers of the routes, against the API's own document.
namespace gleaner::tests {
namespace {

using Value = rapidjson::Value;

/// The schemas of a document, and where an answer departs from them.
class Schemas {
 public:
  explicit Schemas(const Value& document) : document_{document} {}

  /// The schema of a route's answer.
  [[nodiscard]] const Value& of(const char* path, const char* method, const char* status) const {
    return document_["paths"][path][method]["responses"][status]["content"]["application/json"]["schema"];
  }

  void compare(const Value& schema, const Value& answer, const std::string& at) {
    if (const auto* choices = part(schema, "oneOf"); choices != nullptr) return compare(chosen(*choices, answer), answer, at);
    if (answer.IsNull()) {
      const auto* nullable = part(schema, "nullable");
      if (nullable == nullptr && part(schema, "type") != nullptr) departures_.insert(at + " is null");
      return;
    }
    compare_value(schema, answer, at);
    if (answer.IsObject()) compare_object(schema, answer, at);
    if (!answer.IsArray()) return;
    const auto* items = part(schema, "items");
    for (rapidjson::SizeType i = 0; items != nullptr && i < answer.Size(); ++i) compare(*items, answer[i], at + "[]");
  }

  [[nodiscard]] const std::set<std::string>& departures() const { return departures_; }

 private:
  [[nodiscard]] const Value& followed(const Value& schema) const {
    if (!schema.HasMember("$ref")) return schema;
    const std::string reference = schema["$ref"].GetString();
    return document_["components"]["schemas"][reference.substr(reference.rfind('/') + 1).c_str()];
  }

  /// The first one of these schemas whose members that must be there are; else the last one.
  [[nodiscard]] const Value& chosen(const Value& choices, const Value& answer) const {
    const auto has_all = [&](const Value& schema) {
      const auto* required = part(schema, "required");
      return required == nullptr || (answer.IsObject() && std::all_of(required->Begin(), required->End(), [&](const Value& name) {
                                       return answer.HasMember(name.GetString());
                                     }));
    };
    const auto found = std::find_if(choices.Begin(), choices.End(), has_all);
    return found == choices.End() ? choices[choices.Size() - 1] : *found;
  }

  /// The schema itself, and all that it is made of.
  [[nodiscard]] std::vector<const Value*> parts(const Value& schema) const {
    const auto& own = followed(schema);
    std::vector<const Value*> all{&own};
    if (!own.HasMember("allOf")) return all;
    for (const auto& one : own["allOf"].GetArray()) {
      const auto more = parts(one);
      all.insert(all.end(), more.begin(), more.end());
    }
    return all;
  }

  void compare_value(const Value& schema, const Value& answer, const std::string& at) {
    if (const auto* type = part(schema, "type"); type != nullptr && !is_a(answer, type->GetString())) {
      departures_.insert(at + " is no " + type->GetString());
      return;
    }
    if (!answer.IsString()) return;
    if (const auto* words = part(schema, "enum"); words != nullptr && std::find(words->Begin(), words->End(), answer) == words->End())
      departures_.insert(at + " is none of its words: " + answer.GetString());
    if (const auto* format = part(schema, "format"); format != nullptr && *format == "date-time" && !text::read_utc(answer.GetString()))
      departures_.insert(at + " is no time");
  }

  static bool is_a(const Value& answer, std::string_view type) {
    if (type == "object") return answer.IsObject();
    if (type == "array") return answer.IsArray();
    if (type == "string") return answer.IsString();
    if (type == "boolean") return answer.IsBool();
    return type == "integer" ? answer.IsInt64() : answer.IsNumber();
  }

  [[nodiscard]] const Value* part(const Value& schema, const char* key) const {
    for (const auto* one : parts(schema)) {
      if (one->HasMember(key)) return &(*one)[key];
    }
    return nullptr;
  }

  void compare_object(const Value& schema, const Value& answer, const std::string& at) {
    std::map<std::string, const Value*> known;
    for (const auto* one : parts(schema)) {
      if (one->HasMember("properties")) {
        for (const auto& property : (*one)["properties"].GetObject()) known.emplace(property.name.GetString(), &property.value);
      }
      if (!one->HasMember("required")) continue;
      for (const auto& name : (*one)["required"].GetArray()) {
        if (!answer.HasMember(name.GetString())) departures_.insert(at + "." + name.GetString() + " is missing");
      }
    }
    const auto* others = part(schema, "additionalProperties");
    if (known.empty() && others == nullptr) return;  // an object of any kind
    for (const auto& member : answer.GetObject()) {
      const auto found = known.find(member.name.GetString());
      if (found != known.end()) {
        compare(*found->second, member.value, at + "." + found->first);
      } else if (others != nullptr) {
        compare(*others, member.value, at + ".*");
      } else {
        departures_.insert(at + "." + member.name.GetString() + " is not in the document");
      }
    }
  }

  const Value& document_;
  std::set<std::string> departures_;
};

class ApiDocument : public ApiTest {
 protected:
  void SetUp() override {
    ApiTest::SetUp();
    sql("INSERT INTO gridstatus (cluster_id, time, max_resources, free, used, used_besteffort, our_running, our_waiting, reachable, api_latency_ms) "
        "SELECT id, now(), 16, 10, 6, 0, 0, 0, true, 5 FROM clusters WHERE name IN ('alpha', 'beta')");
    id = a_campaign_of(3);
    const auto campaign = std::to_string(id);
    const auto cluster = sql("SELECT id FROM clusters WHERE name = 'alpha'");
    sql("INSERT INTO forecasts (campaign_id, cluster_id, job_ratio) VALUES (" + campaign + ", " + cluster + ", 1)");
    sql("INSERT INTO campaign_forecasts (campaign_id, made_at, method, end_at) VALUES (" + campaign + ", now(), 'average', now())");
    sql("INSERT INTO forecast_history (campaign_id, made_at, method, end_at) VALUES (" + campaign + ", now(), 'average', now())");
    sql("INSERT INTO decision_history (campaign_id, cluster_id, change, since, until, lasted, reason, subject) VALUES (" + campaign + ", " +
        cluster + ", 1, now() - interval '1 minute', now(), '1 minute', 'launched', 'offer')");
    sql("INSERT INTO campaign_order (campaign_order, classes, campaigns, campaign_classes, places, digest, since) VALUES ('priority,tickets', "
        "'[{\"type\": \"default\", \"project_priority\": 4, \"group_priority\": 4, \"priority\": 2, \"clusters\": \"all\"}]', '{" +
        campaign + "}', '{1}', 1, 0, now())");
    sql("INSERT INTO durations (campaign_id, cluster_id, bucket, jobs) VALUES (" + campaign + ", " + cluster + ", 48, 30)");
    sql("INSERT INTO usage (day, user_name, project, cluster_id, campaign_id, resource_seconds) VALUES (now()::date, 'alice', '', " +
        cluster + ", " + campaign + ", 10)");
    sql("INSERT INTO plan_quality (day, cluster_id, algorithm, type, done) VALUES (now()::date, " + cluster + ", '', 'default', 1)");
    sql("INSERT INTO forecast_quality (day, cluster_id, method, forecasts) VALUES (now()::date, 0, 'average', 1)");
    sql("INSERT INTO brakes (campaign_id, cluster_id, reason, expires_at, created_at) VALUES (" + campaign + ", " + cluster +
        ", 'a test', now() + interval '1 hour', now())");
    sql("INSERT INTO decisions (campaign_id, cluster_id, stage, reason, figures, jobs, since) VALUES (" + campaign + ", " + cluster +
        ", 'feasible', 'pair_braked', '{\"brake\": \"a test\", \"until\": null}', 0, now())");
    sql("INSERT INTO launches (campaign_id, cluster_id, state, jobs, resources, term, planned_at, tag, login) VALUES (" + campaign + ", " +
        cluster + ", 'accepted', 1, 1, 0, now(), 'a tag', 'alice')");
    job = sql(
        "INSERT INTO jobs (launch_id, campaign_id, cluster_id, task, attempt, state, remote_id, ending, exit_status, submitted_at, started_at, ended_at, "
        "message) SELECT id, campaign_id, cluster_id, 0, 0, 'terminated', 77, 'task_error', 256, now(), now(), now(), 'exit status 1' FROM launches "
        "RETURNING id");
    sql("UPDATE campaigns SET next_task = 1");
    for (const auto* state : {"launching", "submitted", "failed"})
      sql(std::string{"UPDATE tasks SET state = '"} + state + "' WHERE number = 0");
    event = sql("INSERT INTO events (code, campaign_id, cluster_id, job_id, opened_at, last_at, message) VALUES ('TASK_ERROR', " +
                campaign + ", " + cluster + ", " + job + ", now(), now(), 'exit status 1') RETURNING id");
    sql("INSERT INTO events (code, cluster_id, opened_at, last_at, message) VALUES ('CLUSTER_UNREACHABLE', " + cluster +
        ", now(), now(), 'down')");
  }
  std::int64_t id = 0;
  std::string job, event;
};

TEST_F(ApiDocument, NamesEveryMemberOfEveryAnswer) {
  const auto document = get("/openapi.json");
  ASSERT_EQ(document.status, 200);
  Schemas schemas{document.json};
  const auto campaign = "/v1/campaigns/" + std::to_string(id);
  sql("INSERT INTO subscriptions (user_name, audience, channel, address, severity, quiet_from, quiet_to, created_at) "
      "VALUES ('alice', 'user', 'mail', 'alice@example.org', 1, 60, 120, now())");
  const std::vector<std::pair<const char*, std::string>> asked{{"/", "/"},
                                                               {"/health", "/health"},
                                                               {"/ready", "/ready"},
                                                               {"/v1/campaigns", "/v1/campaigns"},
                                                               {"/v1/campaigns/{id}", campaign},
                                                               {"/v1/campaigns/{id}/stats", campaign + "/stats"},
                                                               {"/v1/campaigns/{id}/tasks", campaign + "/tasks"},
                                                               {"/v1/campaigns/{id}/tasks/{task}", campaign + "/tasks/0"},
                                                               {"/v1/campaigns/{id}/events", campaign + "/events"},
                                                               {"/v1/campaigns/{id}/decisions", campaign + "/decisions"},
                                                               {"/v1/campaigns/{id}/decisions/history", campaign + "/decisions/history"},
                                                               {"/v1/campaigns/{id}/forecasts", campaign + "/forecasts"},
                                                               {"/v1/campaigns/{id}/jdl", campaign + "/jdl"},
                                                               {"/v1/jobs/{id}", "/v1/jobs/" + job},
                                                               {"/v1/events/{id}", "/v1/events/" + event},
                                                               {"/v1/clusters/{id}", "/v1/clusters/alpha"},
                                                               {"/v1/clusters", "/v1/clusters"},
                                                               {"/v1/gridusage", "/v1/gridusage"},
                                                               {"/v1/gridusage", "/v1/gridusage?step=600"},
                                                               {"/v1/usage", "/v1/usage?by=day,user,project,campaign,cluster"},
                                                               {"/v1/quality", "/v1/quality"},
                                                               {"/v1/order", "/v1/order"},
                                                               {"/v1/events", "/v1/events"},
                                                               {"/v1/notifications", "/v1/notifications"},
                                                               {"/v1/scenario", "/v1/scenario"},
                                                               {"/v1/summary", "/v1/summary"}};
  for (const auto& [path, target] : asked) {
    const auto answer = get(target);
    EXPECT_EQ(answer.status, path == std::string{"/health"} ? answer.status : 200) << target << answer.body;
    if (answer.json.HasMember("items")) {
      EXPECT_FALSE(answer.json["items"].Empty()) << target << " is compared with nothing";
    }
    const auto status = std::to_string(answer.status);
    schemas.compare(schemas.of(path, "get", status.c_str()), answer.json, std::string{"GET "} + path);
  }
  ApiRequest submission{.method = "POST",
                        .target = "/v1/campaigns?dry_run=1",
                        .body = R"({"name": "t", "nb_jobs": 2, "clusters": {"alpha": {"exec_file": "run"}}})",
                        .headers = {{"Content-Type", "application/json"}}};
  const auto checked = as("alice", submission);
  ASSERT_EQ(checked.status, 200) << checked.body;
  schemas.compare(schemas.of("/v1/campaigns", "post", "200"), checked.json, "POST /v1/campaigns?dry_run=1");
  submission.target = "/v1/campaigns";
  const auto created = as("alice", submission);
  ASSERT_EQ(created.status, 201) << created.body;
  schemas.compare(schemas.of("/v1/campaigns", "post", "201"), created.json, "POST /v1/campaigns");
  const auto called = as("boss", {.method = "POST", .target = "/v1/clusters/alpha/calls"});
  ASSERT_EQ(called.status, 202) << called.body;
  schemas.compare(schemas.of("/v1/clusters/{id}/calls", "post", "202"), called.json, "POST /v1/clusters/alpha/calls");
  sql("UPDATE clusters SET reachable = true WHERE name IN ('alpha', 'beta')");
  submission = {.method = "POST", .target = "/v1/what-if", .body = head_of(submission.body, R"("changes": {"clusters_off": ["beta"]})")};
  const auto compared = as("alice", submission);
  ASSERT_EQ(compared.status, 200) << compared.body;
  EXPECT_EQ(compared.json["campaigns"].Size(), 3U) << compared.body;
  schemas.compare(schemas.of("/v1/what-if", "post", "200"), compared.json, "POST /v1/what-if");
  const auto detail = get(campaign + "/tasks/0");
  EXPECT_EQ(detail.json["jobs"].Size(), 1U) << detail.body;
  for (const auto* target : {"/v1/campaigns/999", "/v1/campaigns?limit=0", "/nothing"})
    schemas.compare(document.json["components"]["schemas"]["Error"], get(target).json, target);
  EXPECT_THAT(schemas.departures(), testing::IsEmpty());
}

}  // namespace
}  // namespace gleaner::tests
