#include <gmock/gmock.h>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/db/api_fixture.hpp"

/// What the routes answer, against the API's own document.
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
    if (answer.IsNull()) return;
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
    sql("INSERT INTO durations (campaign_id, cluster_id, bucket, jobs) VALUES (" + campaign + ", " + cluster + ", 48, 30)");
    sql("INSERT INTO usage (day, user_name, project, cluster_id, campaign_id, resource_seconds) VALUES (now()::date, 'alice', '', " +
        cluster + ", " + campaign + ", 10)");
    sql("INSERT INTO brakes (campaign_id, cluster_id, reason, expires_at, created_at) VALUES (" + campaign + ", " + cluster +
        ", 'a test', now() + interval '1 hour', now())");
  }
  std::int64_t id = 0;
};

TEST_F(ApiDocument, NamesEveryMemberOfEveryAnswer) {
  const auto document = get("/openapi.json");
  ASSERT_EQ(document.status, 200);
  Schemas schemas{document.json};
  const auto campaign = "/campaigns/" + std::to_string(id);
  const std::vector<std::pair<const char*, std::string>> asked{{"/", "/"},
                                                               {"/health", "/health"},
                                                               {"/campaigns", "/campaigns"},
                                                               {"/campaigns/{id}", campaign},
                                                               {"/campaigns/{id}/stats", campaign + "/stats"},
                                                               {"/campaigns/{id}/jobs", campaign + "/jobs"},
                                                               {"/campaigns/{id}/jobs/{task}", campaign + "/jobs/0"},
                                                               {"/campaigns/{id}/events", campaign + "/events"},
                                                               {"/campaigns/{id}/decisions", campaign + "/decisions"},
                                                               {"/campaigns/{id}/forecasts", campaign + "/forecasts"},
                                                               {"/clusters", "/clusters"},
                                                               {"/gridusage", "/gridusage"},
                                                               {"/usage", "/usage?by=day,user,project,campaign,cluster"},
                                                               {"/events", "/events"},
                                                               {"/scenario", "/scenario"}};
  for (const auto& [path, target] : asked) {
    const auto answer = get(target);
    EXPECT_EQ(answer.status, path == std::string{"/health"} ? answer.status : 200) << target << answer.body;
    const auto status = std::to_string(answer.status);
    schemas.compare(schemas.of(path, "get", status.c_str()), answer.json, std::string{"GET "} + path);
  }
  ApiRequest submission{.method = "POST",
                        .target = "/campaigns?dry_run=1",
                        .body = R"({"name": "t", "nb_jobs": 2, "clusters": {"alpha": {"exec_file": "run"}}})",
                        .headers = {{"Content-Type", "application/json"}}};
  const auto checked = as("alice", submission);
  ASSERT_EQ(checked.status, 200) << checked.body;
  schemas.compare(schemas.of("/campaigns", "post", "200"), checked.json, "POST /campaigns?dry_run=1");
  submission.target = "/campaigns";
  const auto created = as("alice", submission);
  ASSERT_EQ(created.status, 201) << created.body;
  schemas.compare(schemas.of("/campaigns", "post", "201"), created.json, "POST /campaigns");
  EXPECT_THAT(schemas.departures(), testing::IsEmpty());
}

}  // namespace
}  // namespace gleaner::tests
