#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/submission_head.hpp"

namespace gleaner::api {
namespace {

using testing::HasSubstr;

constexpr std::size_t kDeep = 200'000;

std::string error_of(const std::string& line) {
  const auto head = read_head(line);
  return head ? "none" : head.error();
}

TEST(SubmissionHead, ItsMembersAreRead) {
  const auto head =
      read_head(R"({"source": "a.jdl", "jdl": "{\"name\": \"\u00e9\"}", "type": "test", "dry_run": true, "nb_jobs": 5})").value();
  EXPECT_EQ(head.jdl, "{\"name\": \"é\"}");
  EXPECT_EQ(head.source, "a.jdl");
  EXPECT_EQ(head.type, grid::CampaignType::test);
  EXPECT_EQ(head.nb_jobs, 5);
  EXPECT_EQ(head.mode, SubmissionMode::check_only);
  const auto empty = read_head(R"({"jdl": "", "type": null, "nb_jobs": null})").value();
  EXPECT_FALSE(empty.type);
  EXPECT_FALSE(empty.nb_jobs);
  EXPECT_EQ(empty.mode, SubmissionMode::store);
  EXPECT_EQ(empty.doubts, jdl::Doubts::reported);
  EXPECT_EQ(read_head(R"({"jdl": "", "strict": true})").value().doubts, jdl::Doubts::refused);
}

TEST(SubmissionHead, WhatIsWrong_IsSaid) {
  EXPECT_THAT(error_of("{\"jdl\": "), HasSubstr("the first line is not JSON"));
  EXPECT_THAT(error_of("{\"jdl\": \"\"} x"), HasSubstr("the first line is not JSON"));
  for (const std::string text : {"[]", "3", "null", "\"jdl\"", "true"})
    EXPECT_THAT(error_of(text), HasSubstr("the first line is not a JSON object with the key 'jdl'")) << text;
  EXPECT_THAT(error_of("{}"), HasSubstr("the first line has no 'jdl'"));
  EXPECT_THAT(error_of(R"({"jld": ""})"), HasSubstr("'jld' is not a key of it (did you mean 'jdl'?)"));
  for (const std::string value : {"1", "null", "[]", "{}", "true"})
    EXPECT_THAT(error_of("{\"jdl\": " + value + "}"), HasSubstr("'jdl' is not a string")) << value;
  for (const std::string value : {"\"tests\"", "3", "[]"})
    EXPECT_THAT(error_of("{\"type\": " + value + "}"), HasSubstr("'type' is neither \"default\" nor \"test\"")) << value;
  for (const std::string value : {"0", "-1", "1.5", "100000001", "99999999999999999999", "\"5\"", "{}"})
    EXPECT_THAT(error_of("{\"nb_jobs\": " + value + "}"), HasSubstr("'nb_jobs' is not a whole number from 1 to 100000000")) << value;
  EXPECT_THAT(error_of(R"({"dry_run": 1})"), HasSubstr("'dry_run' is neither true nor false"));
  EXPECT_THAT(error_of(R"({"strict": "yes"})"), HasSubstr("'strict' is neither true nor false"));
}

TEST(SubmissionHead, BracketsInBrackets_EndTheReading_HoweverManyTheyAre) {
  const std::string brackets(kDeep, '[');
  EXPECT_THAT(error_of("{\"jdl\":" + brackets), HasSubstr("'jdl' is not a string"));
  EXPECT_THAT(error_of(brackets), HasSubstr("the first line is not a JSON object"));
  std::string objects;
  for (std::size_t i = 0; i < kDeep; ++i) objects += "{\"jdl\":";
  EXPECT_THAT(error_of(objects), HasSubstr("'jdl' is not a string"));
}

}  // namespace
}  // namespace gleaner::api
