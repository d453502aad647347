#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "lib/text/json_writer.hpp"

namespace gleaner::text {
namespace {

struct Number {
  [[nodiscard]] std::int64_t value() const { return 7; }
};

TEST(JsonWriter, WritesEachKindOfValue) {
  JsonWriter json;
  json.begin_object().field("text", "a\"b\\c\n").field("number", 3).field("half", 0.5).field("yes", true).field("id", Number{});
  json.field("none", std::optional<int>{}).field("some", std::optional{2}).field("length", std::chrono::seconds{90});
  json.field("at", std::chrono::sys_time<std::chrono::microseconds>{std::chrono::microseconds{1'999'999}}).key("raw").raw("[1, 2]");
  json.key("words").array(std::vector<std::string>{"a", "b"}).end_object();
  EXPECT_EQ(json.text(),
            "{\"text\":\"a\\\"b\\\\c\\n\",\"number\":3,\"half\":0.5,\"yes\":true,\"id\":7,\"none\":null,\"some\":2,\"length\":90,"
            "\"at\":\"1970-01-01T00:00:01Z\",\"raw\":[1, 2],\"words\":[\"a\",\"b\"]}");
  EXPECT_EQ(json.size(), json.text().size());
}

TEST(JsonWriter, NumbersThatAreNotFinite_AreNull) {
  JsonWriter json;
  json.array(std::vector<double>{std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN(), 1.0});
  EXPECT_EQ(json.text(), "[null,null,1.0]");
}

TEST(JsonWriter, WritesTheItemsThatAreWanted) {
  JsonWriter json;
  json.object_list(
      std::vector<int>{1, 2, 3}, [&](int item) { json.field("n", item); }, [](int item) { return item != 2; });
  EXPECT_EQ(json.text(), "[{\"n\":1},{\"n\":3}]");
}

TEST(JsonString, KeepsTheBytesOfOthersEncodings) {
  EXPECT_EQ(json_string("caf\351"), "\"caf\351\"");
  EXPECT_EQ(json_string("\x01"), "\"\\u0001\"");
}

TEST(Prettified, IsTheSameDocument_HoweverDeep) {
  EXPECT_EQ(prettified("{\"a\":[0.1,{}]}"), "{\n  \"a\": [\n    0.1,\n    {}\n  ]\n}\n");
  EXPECT_GT(prettified(std::string(500, '[') + std::string(500, ']')).size(), 10'000U);
}

}  // namespace
}  // namespace gleaner::text
