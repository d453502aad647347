#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <rapidjson/document.h>
#include <rapidjson/pointer.h>

#include "api/code.hpp"
#include "api/openapi.hpp"
#include "api/router.hpp"

/// api/openapi.json, by itself and against the sources.
namespace gleaner::api {
namespace {

const rapidjson::Document& document() {
  static const auto read = [] {
    rapidjson::Document parsed;
    parsed.Parse(openapi_document().data(), openapi_document().size());
    return parsed;
  }();
  return read;
}

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file{path};
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// The sources of the API, without the table of codes.
std::string sources() {
  const char* root = std::getenv("GLEANER_SOURCE_DIR");
  std::string text;
  for (const auto& entry : std::filesystem::recursive_directory_iterator{std::filesystem::path{root != nullptr ? root : "."} / "api"}) {
    const auto& path = entry.path();
    if ((path.extension() == ".cpp" || path.extension() == ".hpp") && path.stem() != "code") text += text_of(path);
  }
  return text;
}

using Value = rapidjson::Value;

/// Calls `visit` with each operation and its name, `GET /v1/campaigns`.
template <class Visit>
void for_each_operation(Visit&& visit) {
  for (const auto& path : document()["paths"].GetObject()) {
    for (const auto& method : path.value.GetObject()) {
      std::string name = method.name.GetString();
      for (auto& c : name) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
      visit(name + " " + path.name.GetString(), method.value);
    }
  }
}

/// Calls `visit` with each value of the document, itself included.
template <class Visit>
void for_each_value(const Value& value, Visit&& visit) {
  visit(value);
  if (value.IsObject()) {
    for (const auto& member : value.GetObject()) for_each_value(member.value, visit);
  } else if (value.IsArray()) {
    for (const auto& item : value.GetArray()) for_each_value(item, visit);
  }
}

/// The value that `$ref` names, `#/components/schemas/Task`; null: it is not there.
const Value* referred(std::string_view reference) {
  const auto pointer = rapidjson::Pointer{reference.data(), reference.size()};
  return pointer.Get(document());
}

const Value& followed(const Value& value) {
  return value.IsObject() && value.HasMember("$ref") ? *referred(value["$ref"].GetString()) : value;
}

/// Whether the content of a body or an answer has an example, itself or by its schema.
bool has_example(const Value& content) {
  for (const auto& type : content.GetObject()) {
    if (type.value.HasMember("example")) continue;
    if (!followed(type.value["schema"]).HasMember("example")) return false;
  }
  return content.MemberCount() > 0;
}

TEST(OpenApi, EachOperation_HasANameOfItsOwn_ASummary_AndATagOfTheList) {
  std::set<std::string> tags;
  for (const auto& tag : document()["tags"].GetArray()) tags.insert(tag["name"].GetString());
  std::set<std::string> names, used;
  for_each_operation([&](const std::string& operation, const Value& value) {
    ASSERT_TRUE(value.HasMember("operationId") && value.HasMember("summary") && value.HasMember("tags")) << operation;
    EXPECT_TRUE(names.insert(value["operationId"].GetString()).second) << operation;
    const std::string summary = value["summary"].GetString();
    EXPECT_TRUE(!summary.empty() && summary.size() <= 80 && !summary.ends_with('.')) << operation << ": " << summary;
    for (const auto& tag : value["tags"].GetArray()) used.insert(tag.GetString());
  });
  EXPECT_EQ(used, tags);
  EXPECT_GT(document()["servers"].Size(), 0U);
}

TEST(OpenApi, EachOperation_HasExamples_AndReportsWhatIsWrongWithARequest) {
  for_each_operation([&](const std::string& operation, const Value& value) {
    if (value.HasMember("requestBody")) {
      EXPECT_TRUE(has_example(value["requestBody"]["content"])) << operation;
    }
    bool has_refusal = false;
    for (const auto& response : value["responses"].GetObject()) {
      const std::string status = response.name.GetString();
      const auto& answer = followed(response.value);
      if (status != "304") {
        EXPECT_TRUE(answer.HasMember("content") && has_example(answer["content"])) << operation << " " << status;
      }
      has_refusal = has_refusal || status.starts_with('4');
    }
    EXPECT_TRUE(has_refusal) << operation;
    if (!value.HasMember("parameters")) return;
    for (const auto& one : value["parameters"].GetArray()) {
      const auto& parameter = followed(one);
      const auto& schema = followed(parameter["schema"]);
      const bool is_switch = schema.HasMember("type") && schema["type"] == "boolean";
      EXPECT_TRUE(is_switch || parameter.HasMember("example")) << operation << " " << parameter["name"].GetString();
    }
  });
}

/// The routes that do that with ETags, as operations of the document are named: `GET /v1/campaigns/{id}`.
std::set<std::string> operations_with(Etag etag) {
  std::set<std::string> names;
  for (const auto& route : all_routes()) {
    if (route.etag != etag || (etag == Etag::sent && route.method != "GET")) continue;
    std::string name{route.method};
    name += ' ';
    bool in_name = false;
    for (const char c : std::string{route.pattern} + '/') {
      if (c == '/' && in_name) name += '}';
      in_name = c == ':' || (in_name && c != '/');
      name += c == ':' ? '{' : c;
    }
    name.pop_back();
    names.insert(name);
  }
  return names;
}

TEST(OpenApi, Document_StatesWhichAnswersHaveAnEtag_AndWhereIfMatchIsCompared) {
  std::set<std::string> sent, compared;
  for_each_operation([&](const std::string& operation, const Value& value) {
    const auto& responses = value["responses"];
    const bool has_etag = responses.HasMember("200") && responses["200"].HasMember("headers");
    bool is_asked = false;
    if (value.HasMember("parameters")) {
      for (const auto& one : value["parameters"].GetArray()) {
        const std::string name = followed(one)["name"].GetString();
        is_asked = is_asked || name == "If-None-Match";
        if (name == "If-Match") compared.insert(operation);
      }
    }
    EXPECT_EQ(is_asked, has_etag) << operation;
    EXPECT_EQ(responses.HasMember("304"), has_etag) << operation;
    if (has_etag) sent.insert(operation);
  });
  EXPECT_EQ(sent, operations_with(Etag::sent));
  EXPECT_EQ(compared, operations_with(Etag::compared));
}

TEST(OpenApi, EachReference_LeadsSomewhere_AndEachComponentIsReferredTo) {
  std::set<std::string> referred_to;
  for_each_value(document(), [&](const Value& value) {
    if (!value.IsObject() || !value.HasMember("$ref")) return;
    const std::string reference = value["$ref"].GetString();
    EXPECT_NE(referred(reference), nullptr) << reference;
    EXPECT_EQ(value.MemberCount(), 1U) << reference << ": what is beside a $ref is ignored";
    referred_to.insert(reference);
  });
  for (const auto& kind : document()["components"].GetObject()) {
    const std::string name = kind.name.GetString();
    if (name == "securitySchemes") continue;
    for (const auto& one : kind.value.GetObject()) {
      const auto reference = "#/components/" + name + "/" + one.name.GetString();
      EXPECT_TRUE(referred_to.contains(reference)) << reference << " is not used";
    }
  }
}

/// The data of the messages about campaigns in an example of the stream.
std::vector<rapidjson::Document> campaigns_in(const std::string& example) {
  std::vector<rapidjson::Document> campaigns;
  std::istringstream lines{example};
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("data: ")) continue;
    campaigns.emplace_back().Parse(line.data() + 6, line.size() - 6);
    EXPECT_FALSE(campaigns.back().HasParseError()) << line;
  }
  return campaigns;
}

TEST(OpenApi, ExamplesOfTheStream_HaveTheMembersOfACampaign) {
  const char* root = std::getenv("GLEANER_SOURCE_DIR");
  const auto& schemas = document()["components"]["schemas"];
  const std::string example =
      document()["paths"]["/v1/events"]["get"]["responses"]["200"]["content"]["text/event-stream"]["example"].GetString();
  const auto page = text_of(std::filesystem::path{root != nullptr ? root : "."} / "docs/commands.md");
  auto campaigns = campaigns_in(example), of_page = campaigns_in(page);
  EXPECT_EQ(campaigns.size(), 1U);
  EXPECT_EQ(of_page.size(), 2U);
  for (auto& one : of_page) campaigns.push_back(std::move(one));
  for (const auto& campaign : campaigns) {
    for (const auto& member : campaign.GetObject())
      EXPECT_TRUE(schemas["Campaign"]["properties"].HasMember(member.name)) << member.name.GetString();
    for (const auto& count : campaign["tasks"].GetObject())
      EXPECT_TRUE(schemas["TaskCounts"]["properties"].HasMember(count.name)) << count.name.GetString();
    EXPECT_EQ(campaign["tasks"].MemberCount(), schemas["TaskCounts"]["properties"].MemberCount());
  }
}

TEST(OpenApi, Document_HasExactlyTheCodesOfErrors) {
  std::vector<std::string_view> written;
  for (const auto& word : document()["components"]["schemas"]["ErrorCode"]["enum"].GetArray()) written.emplace_back(word.GetString());
  EXPECT_EQ(written, all_code_words());
}

TEST(ErrorCodes, AreAllInUse) {
  const auto text = sources();
  for (const auto word : all_code_words()) EXPECT_THAT(text, testing::HasSubstr("Code::" + std::string{word}));
}

}  // namespace
}  // namespace gleaner::api
