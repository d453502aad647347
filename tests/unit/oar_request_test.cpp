#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <rapidjson/document.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "lib/oar/pages.hpp"
#include "lib/oar/request_text.hpp"

namespace gleaner::oar {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(OarRequest, ABodyIsAsciiJson_WithWhatIsGivenOnly) {
  SubmitRequest request;
  request.user = "griduser1";
  request.resources = "/nodes=1/core=4";
  request.walltime = "0:10:0";
  request.command = "caf\xC3\xA9 \"x\"";
  request.lines = {"1", "2"};
  request.types = {"besteffort"};
  const auto body = submission_body(request);
  EXPECT_TRUE(std::ranges::all_of(body, [](char letter) { return letter >= ' ' && letter < '\x7F'; }));
  rapidjson::Document json;
  json.Parse(body.c_str());
  EXPECT_STREQ(json["resource"].GetString(), "/nodes=1/core=4,walltime=0:10:0");
  EXPECT_STREQ(json["command"].GetString(), "caf\xC3\xA9 \"x\"");
  EXPECT_STREQ(json["param_file"].GetString(), "1\n2\n");
  EXPECT_STREQ(json["type"][0].GetString(), "besteffort");
  EXPECT_EQ(json.MemberCount(), 4U);
}

TEST(OarRequest, ACheckpoint_IsASignalAndATimeBeforeTheWalltime) {
  SubmitRequest request;
  request.command = "true";
  request.checkpoint = {.signal = 10, .before_end = grid::Seconds{90}};
  rapidjson::Document json;
  json.Parse(submission_body(request).c_str());
  EXPECT_STREQ(json["signal"].GetString(), "10");
  EXPECT_STREQ(json["checkpoint"].GetString(), "90");
}

TEST(OarRequest, ANameThatOarWouldCutIsWrong) {
  EXPECT_FALSE(wrong_user("griduser_1"));
  EXPECT_THAT(*wrong_user("john.doe"), HasSubstr("would cut 'john.doe' to 'john'"));
  for (const std::string user : {"", "-x", "a b", "caf\xC3\xA9", "x\r\nX-Other: y"}) {
    EXPECT_TRUE(wrong_user(user)) << user;
  }
}

TEST(OarRequest, PropertiesAreAskedFor_AsOneCondition) {
  EXPECT_EQ(
      matching_path("core <= 4", Effort::best, grid::from_unix(7)),
      "/select_all?limit=1&query=FROM%20%28SELECT%20resource%5Fid%20FROM%20resources%20WHERE%20type%20%3D%20%27default%27%20AND%20%28state%20%3D%20%27Alive%27%20OR%20"
      "%28state%20%3D%20%27Absent%27%20AND%20available%5Fupto%20%3E%207%29%29%20AND%20besteffort%20%3D%20%27YES%27%20AND%20%28core%20%3C%3D%204%29%20UNION%20ALL%20"
      "SELECT%200%29%20AS%20matching");
  EXPECT_EQ(matching_path("core <= 4", Effort::normal, grid::from_unix(7)).find("besteffort"), std::string::npos);
  for (const auto* properties : {"mem > 8", "(a = 1) OR (b = ')')", "host LIKE 'it''s (%'", "\"odd)name\" = 1", "a - -1 > 0"})
    EXPECT_FALSE(wrong_properties(properties)) << properties;
  for (const auto* properties : {"a = 1) OR (b = 2", "(a = 1", "a = 'x", "a = 1; DROP TABLE jobs", "a = 1 -- b", "a = 1 /* b"})
    EXPECT_TRUE(wrong_properties(properties)) << properties;
}

TEST(OarRequest, PathsAreEncoded_AndAShellFindsNothingInThem) {
  EXPECT_EQ(media_path("~/.gleaner/g/1/journal.a"), "/media/~/.gleaner/g/1/journal.a");
  EXPECT_EQ(media_path("/home/u/a,b"), "/media/home/u/a%2Cb");
  EXPECT_EQ(listing_path("~/.gleaner/g/1/7"), "/media/ls/~/.gleaner/g/1/7");
  EXPECT_EQ(listing_path("/home/u"), "/media/ls/home/u");
  EXPECT_FALSE(wrong_path("~/a,b"));
  for (const std::string path : {"", "a", "~", "~x/y", "/a b", "/a;b", "/$x", "/`x`", "/a\n", "/a'b", "/a\\b", "/(a)", "/a*"}) {
    EXPECT_TRUE(wrong_path(path)) << path;
  }
}

RC_GTEST_PROP(OarRequest, ChunksHoldEveryIdOnce_AndFitTheUrl, (const std::vector<std::uint32_t>& numbers, std::uint8_t bytes)) {
  std::vector<grid::RemoteJobId> ids;
  std::set<std::int64_t> expected;
  for (const auto number : numbers) {
    ids.emplace_back(number);
    expected.insert(number);
  }
  std::vector<std::int64_t> found;
  for (const auto& chunk : id_chunks(ids, bytes)) {
    RC_ASSERT(chunk.size() <= bytes || chunk.find(':') == std::string::npos);
    for (std::size_t start = 0; start <= chunk.size();) {
      const auto end = std::min(chunk.find(':', start), chunk.size());
      found.push_back(std::stoll(chunk.substr(start, end - start)));
      start = end + 1;
    }
  }
  RC_ASSERT(found == std::vector<std::int64_t>(expected.begin(), expected.end()));
}

/// A list on a server, which may change between two requests.
struct ServedList {
  std::set<std::int64_t> ids;
  std::vector<std::int64_t> page(std::size_t offset, std::size_t limit) const {
    std::vector<std::int64_t> all(ids.begin(), ids.end());
    const auto from = std::min(offset, all.size());
    return {all.begin() + static_cast<std::ptrdiff_t>(from), all.begin() + static_cast<std::ptrdiff_t>(std::min(from + limit, all.size()))};
  }
};

TEST(OarPaging, AListOfOnePageIsOneRequest) {
  Paging paging{1000};
  EXPECT_EQ(paging.take(std::vector<std::int64_t>{1, 2, 3}, 3), Paging::Next::finished);
  EXPECT_EQ(Paging{1000}.take({}, 0), Paging::Next::finished);
}

TEST(OarPaging, AServerThatIgnoresTheOffset_GaveAllThatItGives) {
  Paging paging{3};
  const std::vector<std::int64_t> same{1, 2, 3};
  auto next = Paging::Next::more;
  int requests = 0;
  for (; next == Paging::Next::more && requests < 1000; ++requests) {
    next = paging.take(same, 1000);
  }
  EXPECT_EQ(next, Paging::Next::finished);
  EXPECT_LT(requests, 100);
}

TEST(OarPaging, AServerThatIgnoresTheLimitToo_GaveAllAtOnce) {
  Paging paging{2};
  EXPECT_EQ(paging.take(std::vector<std::int64_t>{1, 2, 3, 4, 5}, 5), Paging::Next::finished);
}

TEST(OarPaging, AnEmptyListThatIsSaidToHaveItems_IsEmpty) { EXPECT_EQ(Paging{2}.take({}, 7), Paging::Next::finished); }

TEST(OarPaging, AListWithoutEnd_IsGivenUp) {
  Paging paging{2};
  auto next = Paging::Next::more;
  std::int64_t requests = 0;
  for (; next == Paging::Next::more && requests < 100'000; ++requests)
    next = paging.take(std::vector<std::int64_t>{requests + 1, requests + 2}, std::nullopt);
  EXPECT_EQ(next, Paging::Next::lost);
}

/// Whatever leaves or joins the list meanwhile, what stayed in it is seen.
RC_GTEST_PROP(OarPaging, WhatStaysInAListThatChangesIsSeen, ()) {
  const auto numbers = *rc::gen::container<std::set<std::int64_t>>(rc::gen::inRange<std::int64_t>(1, 200));
  const auto limit = *rc::gen::inRange<std::size_t>(2, 20);
  ServedList list{numbers};
  std::set<std::int64_t> stayed = numbers;
  std::set<std::int64_t> seen;
  Paging paging{limit};
  auto next = Paging::Next::more;
  for (int changes = 0; next == Paging::Next::more; ++changes) {
    const auto page = list.page(paging.offset(), paging.limit());
    seen.insert(page.begin(), page.end());
    next = paging.take(page, list.ids.size());
    if (changes < 10) {
      const auto leaves = *rc::gen::inRange<std::int64_t>(1, 200);
      list.ids.erase(leaves);
      stayed.erase(leaves);
      list.ids.insert(*rc::gen::inRange<std::int64_t>(1, 400));
    }
  }
  if (next == Paging::Next::finished) {
    RC_ASSERT(std::ranges::includes(seen, stayed));
  }
}

}  // namespace
}  // namespace gleaner::oar
