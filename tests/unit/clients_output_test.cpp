#include "lib/terminal/output.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>

#include "clients/gridstat/gridstat.hpp"
#include "clients/json.hpp"
#include "lib/terminal/text.hpp"
#include "lib/terminal/times.hpp"

namespace gleaner::clients {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Text, WhatATerminalWouldObey_IsMadeHarmless) {
  EXPECT_EQ(terminal::printable("a\x1b[31mb"), "a?[31mb");
  EXPECT_EQ(terminal::printable("two\nlines\tand a tab"), "two lines and a tab");
  EXPECT_EQ(terminal::printable("\xff\xfe"), "??");
  EXPECT_EQ(terminal::printable("r\u202eeversed"), "r?eversed");
  EXPECT_EQ(terminal::printable("naïve 名前"), "naïve 名前");
}

TEST(Text, Width_IsColumnsAndNotBytes) {
  EXPECT_EQ(terminal::display_width("naïve"), 5U);
  EXPECT_EQ(terminal::display_width("名前"), 4U);
  EXPECT_EQ(terminal::display_width("e\u0301"), 1U);
}

TEST(Text, LongText_IsShortenedToTheColumns_AndNeverWithinACharacter) {
  EXPECT_EQ(terminal::shorten("campaign", 8), "campaign");
  EXPECT_EQ(terminal::shorten("campaigns", 8), "campaig…");
  EXPECT_EQ(terminal::shorten("名前名前", 5), "名前…");
  EXPECT_EQ(terminal::shorten("名前名前", 4), "名…");
  EXPECT_EQ(terminal::shorten("x", 0), "");
}

TEST(Text, WrappedText_KeepsItsWords_WithinTheColumns) {
  EXPECT_EQ(terminal::wrap("one two three four", 9, "  "), "one two\n  three\n  four");
  EXPECT_EQ(terminal::wrap("unbreakable", 4, "  "), "unbreakable");
}

terminal::Table two_campaigns() {
  terminal::Table table{
      {{"id", "Id", terminal::Align::right}, {"name", "Name", terminal::Align::left, terminal::Shrink::when_needed}, {"secret", ""}}, {}};
  table.rows.push_back({terminal::Cell{std::int64_t{3}}, terminal::Cell{std::string{"sweep, \"fine\""}}, terminal::Cell{1.5}});
  table.rows.push_back({terminal::Cell{std::int64_t{40}}, terminal::Cell{std::string(200, 'x')}, terminal::Cell{}});
  return table;
}

TEST(Output, TableForPeople_FitsTheScreen) {
  const auto text = render_human(two_campaigns(), terminal::Screen{});
  std::size_t begin = 0;
  while (begin < text.size()) {
    const auto end = text.find('\n', begin);
    EXPECT_LE(terminal::display_width(text.substr(begin, end - begin)), 80U);
    begin = end + 1;
  }
  EXPECT_THAT(text, HasSubstr("…"));
  EXPECT_THAT(text, Not(HasSubstr("secret")));
}

TEST(Output, TableInAPipe_IsWhole) {
  const auto text = render_human(two_campaigns(), terminal::Screen{.is_limited = false});
  EXPECT_THAT(text, HasSubstr(std::string(200, 'x') + "\n"));
}

TEST(Output, Names_AreCutLast) {
  terminal::Table table{{{"name", "Name", terminal::Align::left, terminal::Shrink::last},
                         {"reason", "Reason", terminal::Align::left, terminal::Shrink::when_needed}},
                        {{terminal::Cell{std::string(30, 'n')}, terminal::Cell{std::string(20, 'r')}}}};
  const auto line_at = [&](std::size_t width) {
    const auto text = render_human(table, terminal::Screen{.width = width});
    return text.substr(text.rfind('\n', text.size() - 2) + 1);
  };
  EXPECT_EQ(line_at(42), std::string(30, 'n') + "  rrrrrrrrr…\n");
  EXPECT_EQ(line_at(36), std::string(27, 'n') + "…  rrrrr…\n");
}

TEST(Output, ColumnsWithoutContent_AreLeftOut) {
  terminal::Table table{{{"id", "Id"}, {"blank", "Blank"}, {"unknown", "Unknown"}, {"some", "Some"}}, {}};
  table.rows.push_back({terminal::Cell{std::int64_t{1}}, terminal::Cell{std::string{}}, terminal::Cell{{}, "-"}, terminal::Cell{}});
  table.rows.push_back({terminal::Cell{std::int64_t{2}}, terminal::Cell{std::int64_t{0}, " "}, terminal::Cell{}, terminal::Cell{true}});
  EXPECT_EQ(render_human(table, terminal::Screen{}), "Id  Some\n--  ----\n1\n2   yes\n");
  EXPECT_THAT(terminal::render_csv(table), HasSubstr("id,blank,unknown,some\n"));
}

TEST(Output, Columns_DecideTheWidth_AlsoOfWhatIsNoTerminal) {
  ASSERT_EQ(::setenv("COLUMNS", "132", 1), 0);
  EXPECT_EQ(terminal::screen_of(-1).width, 132U);
  EXPECT_TRUE(terminal::screen_of(-1).is_limited);
  ASSERT_EQ(::setenv("COLUMNS", "many", 1), 0);
  EXPECT_EQ(terminal::screen_of(-1).width, 80U);
  ASSERT_EQ(::unsetenv("COLUMNS"), 0);
  EXPECT_FALSE(terminal::screen_of(-1).is_limited);
}

TEST(Output, LinesOnATerminal_AreCountedByItsWidth_WithoutColours) {
  EXPECT_EQ(terminal::lines_on_terminal("", 80), 0U);
  EXPECT_EQ(terminal::lines_on_terminal("one\n\nthree\n", 80), 3U);
  EXPECT_EQ(terminal::lines_on_terminal(std::string(81, 'x') + "\n", 80), 2U);
  EXPECT_EQ(terminal::lines_on_terminal("\x1b[32m" + std::string(80, '#') + "\x1b[0m\n", 80), 1U);
}

TEST(Times, AreOfOneForm_AlsoWithinTheGridsTexts) {
  ASSERT_EQ(::setenv("TZ", "UTC-1", 1), 0);
  ::tzset();
  const auto now = grid::from_unix(1'800'000'000);  // 2027-01-15 09:00:00 there
  EXPECT_EQ(terminal::near_time(1'800'000'000, now), "09:00:00");
  EXPECT_EQ(terminal::near_time(1'800'000'000 - 86'400, now), "2027-01-14 09:00:00");
  EXPECT_EQ(terminal::in_local_times("until 2027-01-15 10:00:00 UTC, or UTC 2027-01-14 10:00:00 UTC", now),
            "until 11:00:00, or UTC 2027-01-14 11:00:00");
  ASSERT_EQ(::unsetenv("TZ"), 0);
  ::tzset();
}

TEST(Times, Durations_HaveTheirTwoBiggestUnits) {
  const auto length = [](std::int64_t count) { return terminal::length(std::chrono::seconds{count}); };
  EXPECT_EQ(length(59), "59 s");
  EXPECT_EQ(length(300), "5 min");
  EXPECT_EQ(length(312), "5 min 12 s");
  EXPECT_EQ(length(7260), "2 h 1 min");
  EXPECT_EQ(length(3 * 86400 + 4 * 3600 + 59), "3 d 4 h");
}

TEST(Output, Csv_HoldsEveryColumnWhole_AndQuotesWhatItMust) {
  EXPECT_EQ(terminal::render_csv(two_campaigns()), "id,name,secret\n3,\"sweep, \"\"fine\"\"\",1.5\n40," + std::string(200, 'x') + ",\n");
}

TEST(Output, Json_HasTypedValues_AndNullForWhatIsNotThere) {
  const auto json = Json::parse(terminal::render_json(two_campaigns()));
  ASSERT_TRUE(json.has_value()) << json.error();
  const auto& items = (*json)["items"].items();
  ASSERT_EQ(items.size(), 2U);
  EXPECT_EQ(items[0]["id"].whole(), 3);
  EXPECT_EQ(items[0]["name"].text(), "sweep, \"fine\"");
  EXPECT_EQ(items[0]["secret"].number(), 1.5);
  EXPECT_TRUE(items[1]["secret"].is_null());
}

TEST(Output, Colours_AreOnlyWhereTheScreenHasThem) {
  EXPECT_EQ(terminal::painted(terminal::Ink::bad, "no", terminal::Screen{80, true, false}), "no");
  EXPECT_EQ(terminal::painted(terminal::Ink::bad, "no", terminal::Screen{80, true, true}), "\x1b[31mno\x1b[0m");
  EXPECT_EQ(terminal::painted(terminal::Ink::bad, "  ", terminal::Screen{80, true, true}), "  ");
}

TEST(Output, Bar_IsFullOnlyWhenAllIsDone) {
  EXPECT_EQ(terminal::bar(0, 12), "[          ]");
  EXPECT_EQ(terminal::bar(0.5, 12), "[#####     ]");
  EXPECT_EQ(terminal::bar(0.9999, 12), "[######### ]");
  EXPECT_EQ(terminal::bar(1, 12), "[##########]");
}

TEST(Json, WhatIsNotThere_IsNull) {
  const auto json = Json::parse(R"({"a": {"b": 7}, "list": [1, 2.5, "x", true]})");
  ASSERT_TRUE(json.has_value());
  EXPECT_EQ((*json)["a"]["b"].integer(), 7);
  EXPECT_TRUE((*json)["x"]["y"]["z"].is_null());
  EXPECT_EQ((*json)["list"].items().size(), 4U);
  EXPECT_FALSE(Json::parse("{").has_value());
  EXPECT_EQ(dump(*json, Layout::one_line), R"({"a":{"b":7},"list":[1,2.5,"x",true]})");
}

TEST(Ranges, EveryFormOf2009_IsUnderstood) {
  const auto range = [](std::string_view text) { return gridstat::parse_range(text); };
  EXPECT_EQ(range("3")->first, 3);
  EXPECT_EQ(range("3")->last, 3);
  EXPECT_EQ(range("3-7")->last, 7);
  EXPECT_EQ(range("3-*")->first, 3);
  EXPECT_FALSE(range("3-*")->last.has_value());
  EXPECT_EQ(range("*-7")->last, 7);
  EXPECT_TRUE(range("*-*").has_value());
}

TEST(Ranges, WhatIsNone_IsRefused) {
  for (const auto* text : {"", "*", "7-3", "a-b", "3-", "-3", "3--4", "3-7-9"})
    EXPECT_FALSE(gridstat::parse_range(text).has_value()) << text;
}

TEST(ClientsJson, BracketsInBrackets_AreAnError_HoweverManyTheyAre) {
  EXPECT_TRUE(Json::parse(std::string(64, '[') + std::string(64, ']')));
  EXPECT_EQ(Json::parse(std::string(200'000, '[') + std::string(200'000, ']')).error(), "it is nested deeper than 64 levels");
}

}  // namespace
}  // namespace gleaner::clients
