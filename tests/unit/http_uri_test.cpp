#include "lib/http/uri.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace gleaner::http {
namespace {

TEST(PercentDecode, Escapes_BecomeTheirBytes) {
  EXPECT_EQ(percent_decode("a%20b%2Fc%c3%A9"), "a b/c\xc3\xa9");
  EXPECT_EQ(percent_decode("a+b"), "a+b");
  EXPECT_EQ(percent_decode(""), "");
}

TEST(PercentDecode, BrokenEscapes_AreRefused) {
  for (const auto* text : {"%", "%2", "a%", "%zz", "%4", "x%g0"}) EXPECT_EQ(percent_decode(text), std::nullopt) << text;
}

RC_GTEST_PROP(PercentEncode, AnyBytes_ComeBackAfterDecoding, (const std::string& bytes)) {
  RC_ASSERT(percent_decode(percent_encode(bytes)) == bytes);
}

RC_GTEST_PROP(ParseQuery, AnyPairs_ComeBackInTheirOrder, (const Query& pairs)) {
  std::string text;
  for (const auto& [name, value] : pairs) text += (text.empty() ? "" : "&") + percent_encode(name) + "=" + percent_encode(value);
  RC_ASSERT(parse_query(text) == pairs);
}

RC_GTEST_PROP(ParseQuery, AnyText_IsReadWithoutHarm, (const std::string& text)) { (void)parse_query(text); }

TEST(ParseQuery, OddForms_AreKeptAsTyped) {
  EXPECT_EQ(parse_query("a&b=&=c&&d=1=2&e=%zz&f=x+y"), (Query{{"a", ""}, {"b", ""}, {"", "c"}, {"d", "1=2"}, {"e", "%zz"}, {"f", "x y"}}));
}

TEST(SplitTarget, FirstQuestionMark_Divides) {
  EXPECT_EQ(split_target("/jobs?x=1?y"), (std::pair<std::string_view, std::string_view>{"/jobs", "x=1?y"}));
  EXPECT_EQ(split_target("/jobs"), (std::pair<std::string_view, std::string_view>{"/jobs", ""}));
}

}  // namespace
}  // namespace gleaner::http
