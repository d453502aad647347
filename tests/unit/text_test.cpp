#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "lib/text/clean.hpp"
#include "lib/text/csv.hpp"
#include "lib/text/digest.hpp"
#include "lib/text/json_depth.hpp"
#include "lib/text/ranges.hpp"
#include "lib/text/suggest.hpp"

namespace gleaner::text {
namespace {

using namespace std::string_literals;

TEST(Text, ThatIsUtf8_StaysAsItIs) { EXPECT_EQ(clean_text("für 3 € 🙂"), "für 3 € 🙂"); }

TEST(Text, ALatin1Byte_BecomesTheReplacementCharacter) { EXPECT_EQ(clean_text("caf\351!"), "caf\uFFFD!"); }

TEST(Text, OverlongForms_Surrogates_AndWhatIsPastTheLastCharacter_AreReplaced_ByteByByte) {
  EXPECT_EQ(clean_text("\xC0\xAF"), "\uFFFD\uFFFD");
  EXPECT_EQ(clean_text("\xED\xA0\x80"), "\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(clean_text("\xF4\x90\x80\x80"), "\uFFFD\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(clean_text("\xE2\x82"), "\uFFFD\uFFFD") << "cut off";
}

TEST(Text, ControlCharacters_AreLeftOut) { EXPECT_EQ(clean_text("a\0b\x1b[31mc\rd\x7f"s + "e\u009Bf\u0085"), "ab[31mcdef"); }

TEST(Text, NewlinesAndTabs_StayOnlyWhenAskedFor) {
  EXPECT_EQ(clean_text("one\ntwo\tthree"), "one two three");
  EXPECT_EQ(clean_text("one\ntwo\tthree", {.lines = Lines::kept}), "one\ntwo\tthree");
}

TEST(Text, ThatIsTooLong_IsCutBetweenTwoCharacters) {
  EXPECT_EQ(clean_text("ab€", {.most_bytes = 4}), "ab");
  EXPECT_EQ(clean_text("€ab", {.keep = Keep::end, .most_bytes = 4}), "ab");
  EXPECT_EQ(clean_text("€ab", {.keep = Keep::end, .most_bytes = 5}), "€ab");
  EXPECT_EQ(clean_text(std::string(10'000, 'x')).size(), kMostTextBytes);
}

/// Random bytes, most of them such as begin or continue a character, or control something.
std::string random_bytes() {
  const auto special = rc::gen::element('\0', '\n', '\t', '\r', '\x1b', '\x7f', '\x80', '\x9f', '\xa0', '\xbf', '\xc0', '\xc2', '\xdf',
                                        '\xe0', '\xed', '\xef', '\xf0', '\xf4', '\xff');
  return *rc::gen::container<std::string>(rc::gen::oneOf(rc::gen::arbitrary<char>(), special));
}

TextRule random_rule() {
  return {.lines = *rc::gen::element(Lines::joined, Lines::kept),
          .keep = *rc::gen::element(Keep::beginning, Keep::end),
          .most_bytes = *rc::gen::inRange<std::size_t>(0, 120)};
}

RC_GTEST_PROP(TextProperty, RandomBytes_BecomeUtf8_WithoutControlCharacters_AndNotTooLong, ()) {
  const auto rule = random_rule();
  const auto text = clean_text(random_bytes(), rule);
  RC_ASSERT(text.size() <= rule.most_bytes);
  for (std::size_t at = 0; at < text.size();) {
    const auto length = character_length(text, at);
    RC_ASSERT(length > 0U);
    const auto first = static_cast<unsigned char>(text[at]);
    const bool control = first < 0x20 || first == 0x7F || (first == 0xC2 && static_cast<unsigned char>(text[at + 1]) < 0xA0);
    RC_ASSERT(!control || (rule.lines == Lines::kept && (first == '\n' || first == '\t')));
    at += length;
  }
}

RC_GTEST_PROP(TextProperty, WhatIsCleanAlready_IsNotChanged, ()) {
  const auto rule = random_rule();
  const auto text = clean_text(random_bytes(), rule);
  RC_ASSERT(clean_text(text, rule) == text);
}

RC_GTEST_PROP(TextProperty, ALimit_TakesNothingButAnEnd, ()) {
  const auto raw = random_bytes();
  auto rule = random_rule();
  const auto cut = clean_text(raw, rule);
  rule.most_bytes = raw.size() * 3;
  const auto whole = clean_text(raw, rule);
  const bool at_its_end = rule.keep == Keep::beginning ? whole.starts_with(cut) : whole.ends_with(cut);
  RC_ASSERT(at_its_end);
}

constexpr std::array<std::string_view, 4> kKnown{"walltime", "resources", "exec_file", "properties"};

TEST(Csv, AFieldThatASpreadsheetWouldRun_BeginsWithAnApostrophe_AndANumberStaysOne) {
  EXPECT_EQ(csv_field("=HYPERLINK(\"http://mal\")"), "\"'=HYPERLINK(\"\"http://mal\"\")\"");
  for (const auto* text : {"=1+2", "+cmd|' /C calc'!A0", "-2+3", "@SUM(1)", "\t=1"}) EXPECT_EQ(csv_field(text), std::string{"'"} + text);
  for (const auto* text : {"-5", "-1.5e3", "7", "a=b", "x@y", ""}) EXPECT_EQ(csv_field(text), text);
  for (const auto* text : {"--verbose", "-n 5", "--size=2x2", "-o ../a_b/c.d"})
    EXPECT_EQ(csv_field(text), text) << "an option runs nothing";
  for (const auto* text : {"-2+3+cmd|' /C calc'!A0", "--HYPERLINK(A1)", "-x!A1", "+verbose"})
    EXPECT_EQ(csv_field(text), std::string{"'"} + text);
}

TEST(Suggest, NearName_IsProposed_FarOneIsNot) {
  EXPECT_EQ(closest("waltime", kKnown), "walltime");
  EXPECT_EQ(closest("WALLTIME", kKnown), "walltime");
  EXPECT_EQ(closest("execfile", kKnown), "exec_file");
  EXPECT_FALSE(closest("colour", kKnown));
  EXPECT_FALSE(closest("x", {}));
  EXPECT_EQ(did_you_mean("ressources", kKnown), " (did you mean 'resources'?)");
  EXPECT_EQ(did_you_mean("colour", kKnown), "");
}

RC_GTEST_PROP(DigestProperty, IsTheSame_ForTheSameValuesOnly,
              (const std::vector<int>& numbers, const std::vector<int>& others, double part, const std::string& text)) {
  const auto of = [](const std::vector<int>& all, double fraction, const std::string& words) {
    Digest digest;
    for (const auto number : all) digest.add(number);
    return digest.add(fraction).add(words).value();
  };
  RC_ASSERT(of(numbers, part, text) == of(numbers, part, text));
  RC_ASSERT((of(numbers, part, text) == of(others, part, text)) == (numbers == others));
  RC_ASSERT(of(numbers, part + 1, text) != of(numbers, part, text) || part + 1 == part);
  RC_ASSERT(of(numbers, part, text + "a") != of(numbers, part, text));
}

TEST(Digest, OfAStruct_CountsEveryMember) {
  struct Inner {
    std::string text;
    std::optional<std::chrono::sys_seconds> time;
  };
  struct Outer {
    int number = 0;
    std::variant<double, Inner> part = {};
  };
  const auto of = [](const Outer& outer) { return Digest{}.add(outer).value(); };
  const std::set<std::uint64_t> digests{of({0, 0.0}),
                                        of({1, 0.0}),
                                        of({0, 1.0}),
                                        of({0, Inner{"", {}}}),
                                        of({0, Inner{"a", {}}}),
                                        of({0, Inner{"", std::chrono::sys_seconds{}}})};
  EXPECT_EQ(digests.size(), 6U);
  EXPECT_EQ(of({1, Inner{"a", {}}}), of({1, Inner{"a", {}}}));
}

TEST(Digest, AddedUp_ShowsThatTwoValuesWereExchanged) {
  const auto of = [](int cluster, int free) { return Digest{}.add(cluster).add(free).value(); };
  for (int i = 0; i < 100; ++i) EXPECT_NE(of(1, i) + of(2, i + 1), of(1, i + 1) + of(2, i)) << i;
}

TEST(JsonDepth, CountsWhatIsOpenTogether_OutsideStrings) {
  EXPECT_FALSE(is_nested_deeper("", 0));
  EXPECT_TRUE(is_nested_deeper("[]", 0));
  EXPECT_FALSE(is_nested_deeper(R"({"a": ["[[[", "\"[[[", {}], "b": [[]]})", 3));
  EXPECT_TRUE(is_nested_deeper(R"({"a": ["[[[", "\"[[[", {}], "b": [[]]})", 2));
  EXPECT_FALSE(is_nested_deeper("[[]],[[]],[[]]]]]][[]]", 2));
  EXPECT_TRUE(is_nested_deeper(std::string(200'000, '{')));
}

TEST(Ranges, AreWrittenAsPeopleDo_AndBounded) {
  EXPECT_EQ(ranges_text({}, 3), "");
  EXPECT_EQ(ranges_text({7}, 3), "7");
  EXPECT_EQ(ranges_text({11, 0, 1, 2, 7, 10, 9, 7}, 3), "0-2, 7, 9-11");
  EXPECT_EQ(ranges_text({0, 2, 4, 6, 7, 8}, 2), "0, 2 and 4 more");
  EXPECT_EQ(ranges_text({0, 2}, 0), "and 2 more");
}

TEST(Ranges, OfNumbers_AreReadInAnyOrder_AndJoinedWhereTheyTouch) {
  const auto read = [](std::string_view text) { return to_text(parse_ranges(text).value()); };
  EXPECT_EQ(read("7"), "7");
  EXPECT_EQ(read("7,9-12"), "7,9-12");
  EXPECT_EQ(read(" 9-12 , 7, 8-8,3"), "3,7-12");
  EXPECT_EQ(read("0-5,2-3,4-9"), "0-9");
  EXPECT_EQ(read("100-*"), "100-*");
  EXPECT_EQ(read("*-7"), "0-7");
  EXPECT_EQ(read("5-*,900,*-1"), "0-1,5-*");
  EXPECT_EQ(read("0-999999"), "0-999999");
  EXPECT_EQ(parse_ranges("3-*").value(), (std::vector<Range>{{3, kOpenEnd}}));
}

TEST(Ranges, ThatAreNone_AreRefusedWithTheirPartAndWhatIsRight) {
  const auto wrong = [](std::string_view text) { return parse_ranges(text).error(); };
  EXPECT_EQ(wrong(""), "no number is given: 7, 9-12, 100-* and *-7 are");
  for (const std::string_view part : {"x", "-7", "7-", "-", "1-2-3", "+1", "1.5", "*", "99999999999999999999", "-1-5"})
    EXPECT_EQ(wrong(fmt::format("3,{}", part)), fmt::format("'{}' is no number or range: 7, 9-12, 100-* and *-7 are", part));
  EXPECT_EQ(wrong("3,,4"), "'' is no number or range: 7, 9-12, 100-* and *-7 are");
  EXPECT_EQ(wrong("12-9"), "'12-9' ends before it begins: write 9-12");
  EXPECT_EQ(wrong("\x1b[31m"), "'[31m' is no number or range: 7, 9-12, 100-* and *-7 are");
  EXPECT_EQ(wrong(std::string(100, 'a')), fmt::format("'{}…' is no number or range: 7, 9-12, 100-* and *-7 are", std::string(40, 'a')));
}

RC_GTEST_PROP(RangesProperty, AreReadAsTheyAreWritten, (const std::vector<std::uint16_t>& numbers)) {
  RC_PRE(!numbers.empty());
  std::string text;
  for (const auto number : numbers) text += (text.empty() ? "" : ",") + std::to_string(number);
  const auto ranges = parse_ranges(text).value();
  RC_ASSERT(parse_ranges(to_text(ranges)).value() == ranges);
  std::size_t size = 0;
  for (const auto& [first, last] : ranges) size += static_cast<std::size_t>(last - first + 1);
  RC_ASSERT(size == std::set<std::uint16_t>(numbers.begin(), numbers.end()).size());
}

RC_GTEST_PROP(RangesProperty, AreShort_HoweverManyNumbersThereAre, (const std::vector<int>& numbers)) {
  RC_ASSERT(ranges_text({numbers.begin(), numbers.end()}, 5).size() < 200U);
}

}  // namespace
}  // namespace gleaner::text
