#include "lib/http/uri.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "lib/text/percent.hpp"

namespace gleaner::http {
namespace {

RC_GTEST_PROP(ParseQuery, AnyPairs_ComeBackInTheirOrder, (const Query& pairs)) {
  std::string query;
  for (const auto& [name, value] : pairs)
    query += (query.empty() ? "" : "&") + text::percent_encoded(name) + "=" + text::percent_encoded(value);
  RC_ASSERT(parse_query(query) == pairs);
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
