// Requests of CiGri's clients, and their answers: tests/db/cigri_trace.json, made from a description of CiGri 3.2.1.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include <rapidjson/pointer.h>

#include "lib/text/json_value.hpp"
#include "tests/db/api_fixture.hpp"

namespace gleaner::tests {
namespace {

using rapidjson::Value;

class CigriTrace : public ApiTest {
 protected:
  [[nodiscard]] process::Config configuration() const override {
    auto config = ApiTest::configuration();
    config.api_cigri_admins = {"root"};
    return config;
  }

  /// The request of a step, as the web server passes it on: with the name that identd gave.
  [[nodiscard]] ApiAnswer send(const Value& step) const {
    const std::string request = step["request"].GetString();
    const auto blank = request.find(' ');
    ApiRequest sent{.method = request.substr(0, blank), .target = request.substr(blank + 1)};
    const std::string user = step.HasMember("user") ? step["user"].GetString() : "alice";
    if (!user.empty()) sent.headers["X-CIGRI-USER"] = user;
    if (step.HasMember("prefix")) sent.headers["X-CIGRI-API-PATH-PREFIX"] = step["prefix"].GetString();
    if (step.HasMember("body")) {
      sent.headers["Content-Type"] = step.HasMember("type") ? step["type"].GetString() : "application/json";
      sent.body = step["body"].IsString() ? step["body"].GetString() : text::json_text(step["body"]);
    }
    return as("apache", sent);
  }
};

std::vector<std::string> names_of(const Value& object) {
  std::vector<std::string> names;
  if (!object.IsObject()) return names;
  for (const auto& one : object.GetObject()) names.emplace_back(one.name.GetString());
  return names;
}

bool matches(const Value& value, const char* pattern) {
  return value.IsString() && std::regex_match(value.GetString(), std::regex{pattern});
}

bool are_links(const Value& value) {
  return value.IsArray() && std::ranges::all_of(value.GetArray(), [](const Value& link) {
           return link.IsObject() && link.HasMember("rel") && link["rel"].IsString() && link.HasMember("href") &&
                  matches(link["href"], "/.*");
         });
}

/// Whether a value has a type and form of the trace: CiGri's clients compute with numbers, and parse dates.
bool has_form(const Value& value, const std::string& form) {
  constexpr std::int64_t kYear2001 = 1'000'000'000;
  const std::string or_null = " or null";
  if (form.ends_with(or_null)) return value.IsNull() || has_form(value, form.substr(0, form.size() - or_null.size()));
  if (form == "integer") return value.IsInt64();
  if (form == "seconds") return value.IsInt64() && value.GetInt64() > kYear2001;
  if (form == "number") return value.IsNumber();
  if (form == "text") return value.IsString();
  if (form == "numeric text") return matches(value, R"(\d+(\.\d+)?)");
  if (form == "date") return matches(value, R"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\+00)");
  if (form == "path") return matches(value, "/.*");
  if (form == "boolean") return value.IsBool();
  if (form == "list") return value.IsArray();
  if (form == "links") return are_links(value);
  if (form == "object") return value.IsObject();
  if (form == "null") return value.IsNull();
  ADD_FAILURE() << "the trace has a form that the test does not know: " << form;
  return false;
}

/// The keys, in their order, and the forms of their values.
void compare_forms(const Value& forms, const Value& object) {
  ASSERT_EQ(names_of(object), names_of(forms));
  for (const auto& one : forms.GetObject()) {
    const auto& value = object[one.name.GetString()];
    EXPECT_TRUE(has_form(value, one.value.GetString()))
        << one.name.GetString() << " is " << text::json_text(value) << ", and not: " << one.value.GetString();
  }
}

std::string at(const Value& document, const char* pointer) {
  const auto* value = rapidjson::Pointer{pointer}.Get(document);
  return value == nullptr ? "nothing" : text::json_text(*value);
}

/// Status, title, words and header fields.
void compare_head(const Value& step, const ApiAnswer& answer) {
  EXPECT_EQ(answer.status, step["status"].GetInt());
  ASSERT_TRUE(answer.json.IsObject()) << "CiGri's clients read each answer as JSON";
  if (answer.status >= 400) {
    EXPECT_EQ(names_of(answer.json), (std::vector<std::string>{"status", "title", "message"}));
    EXPECT_EQ(at(answer.json, "/status"), std::to_string(answer.status));
  }
  if (step.HasMember("title")) {
    EXPECT_EQ(at(answer.json, "/title"), text::json_text(step["title"]));
  }
  if (step.HasMember("message")) {
    EXPECT_THAT(answer.message(), testing::ContainsRegex(step["message"].GetString()));
  }
  if (!step.HasMember("header")) return;
  for (const auto& field : step["header"].GetObject()) {
    const auto found = answer.headers.find(field.name.GetString());
    EXPECT_EQ(found == answer.headers.end() ? "" : found->second, field.value.GetString());
  }
}

/// Keys, in their order, the forms of what they hold, and values.
void compare_body(const Value& step, const Value& json) {
  if (step.HasMember("keys")) {
    compare_forms(step["keys"], json);
  }
  if (step.HasMember("item_keys")) {
    const auto* items = rapidjson::Pointer{"/items"}.Get(json);
    ASSERT_TRUE(items != nullptr && items->IsArray() && !items->Empty());
    for (const auto& item : items->GetArray()) compare_forms(step["item_keys"], item);
  }
  if (!step.HasMember("values")) return;
  for (const auto& value : step["values"].GetObject())
    EXPECT_EQ(at(json, value.name.GetString()), text::json_text(value.value)) << value.name.GetString();
}

TEST_F(CigriTrace, OfCiGrisClients_IsAnsweredAsCiGriDid) {
  std::ostringstream text;
  text << std::ifstream{std::string{std::getenv("GLEANER_SOURCE_DIR")} + "/tests/db/cigri_trace.json"}.rdbuf();
  rapidjson::Document trace;
  trace.Parse(text.str().c_str());
  ASSERT_TRUE(trace.IsArray());
  for (const auto& step : trace.GetArray()) {
    if (step.HasMember("sql")) {
      for (const auto& statement : step["sql"].GetArray()) sql(statement.GetString());
    }
    const auto answer = send(step);
    SCOPED_TRACE(std::string{step["what"].GetString()} + ": " + step["request"].GetString() + "\n" + answer.body);
    compare_head(step, answer);
    if (!answer.json.IsObject()) continue;
    compare_body(step, answer.json);
  }
}

}  // namespace
}  // namespace gleaner::tests
