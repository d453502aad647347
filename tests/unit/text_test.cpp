#include "lib/grid/text.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

namespace gleaner::grid {
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

TEST(Text, ControlCharacters_AreLeftOut) {
  EXPECT_EQ(clean_text("a\0b\x1b[31mc\rd\x7f"s + "e\u009Bf\u0085"), "ab[31mcdef");
}

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
  const auto special = rc::gen::element('\0', '\n', '\t', '\r', '\x1b', '\x7f', '\x80', '\x9f', '\xa0', '\xbf', '\xc0', '\xc2', '\xdf', '\xe0', '\xed', '\xef', '\xf0', '\xf4', '\xff');
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

}  // namespace
}  // namespace gleaner::grid
