#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <cstdint>
#include <limits>
#include <string>

#include "lib/text/numbers.hpp"

namespace gleaner::text {
namespace {

constexpr auto kMalformed = NumberError::malformed;
constexpr auto kOutOfRange = NumberError::out_of_range;

TEST(WholeNumber, IsDigits_WithAMinusWhereTheTypeHasASign) {
  EXPECT_EQ(whole_number("0"), 0);
  EXPECT_EQ(whole_number("007"), 7);
  EXPECT_EQ(whole_number("-12"), -12);
  EXPECT_EQ(whole_number("-0"), 0);
  EXPECT_EQ(whole_number<unsigned>("12"), 12U);
  EXPECT_EQ(whole_number<unsigned>("-1").error(), kMalformed);
}

TEST(WholeNumber, AnythingElse_IsMalformed) {
  for (const auto* text : {"", "-", "+1", " 1", "1 ", "1\n", "--1", "- 1", "1.0", "1e3", "0x10", "1,000", "one", "99999999999999999999x"}) {
    EXPECT_EQ(whole_number(text).error(), kMalformed) << '\'' << text << '\'';
  }
  EXPECT_EQ(whole_number(std::string_view{"1\0", 2}).error(), kMalformed);
}

TEST(WholeNumber, ThatTheTypeOrTheCallerCannotTake_IsOutOfRange) {
  EXPECT_EQ(whole_number("9223372036854775807"), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(whole_number("9223372036854775808").error(), kOutOfRange);
  EXPECT_EQ(whole_number("-9223372036854775808"), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(whole_number("-9223372036854775809").error(), kOutOfRange);
  EXPECT_EQ(whole_number<std::uint16_t>("65535"), 65535);
  EXPECT_EQ(whole_number<std::uint16_t>("65536").error(), kOutOfRange);
  EXPECT_EQ(whole_number<int>("1", 1, 7), 1);
  EXPECT_EQ(whole_number<int>("7", 1, 7), 7);
  EXPECT_EQ(whole_number<int>("0", 1, 7).error(), kOutOfRange);
  EXPECT_EQ(whole_number<int>("8", 1, 7).error(), kOutOfRange);
}

TEST(WholeNumber, AtTheBeginning_IsTakenOff) {
  std::string_view text{"12.-3x"};
  EXPECT_EQ(take_whole_number(text), 12);
  EXPECT_EQ(text, ".-3x");
  EXPECT_EQ(take_whole_number(text).error(), kMalformed);
  EXPECT_EQ(text, ".-3x");
  text.remove_prefix(1);
  EXPECT_EQ(take_whole_number<int>(text), -3);
  EXPECT_EQ(text, "x");
  text = "99999999999999999999x";
  EXPECT_EQ(take_whole_number(text).error(), kOutOfRange);
  EXPECT_EQ(text, "99999999999999999999x");
}

TEST(RealNumber, IsDecimalAndFinite) {
  EXPECT_EQ(real_number("1.5"), 1.5);
  EXPECT_EQ(real_number("-1.5e3"), -1500.0);
  EXPECT_EQ(real_number("7"), 7.0);
  EXPECT_EQ(real_number(".5"), 0.5);
  EXPECT_EQ(real_number("1e308"), 1e308);
}

TEST(RealNumber, AnythingElse_IsMalformed_OrOutOfRange) {
  for (const auto* text : {"", "-", ".", "+1.5", " 1.5", "1.5 ", "1,5", "0x1p3", "1e", "1.5x", "inf", "-inf", "nan", "infinity", "1.5.5"}) {
    EXPECT_EQ(real_number(text).error(), kMalformed) << '\'' << text << '\'';
  }
  EXPECT_EQ(real_number("1e999").error(), kOutOfRange);
  EXPECT_EQ(real_number("-1e999").error(), kOutOfRange);
  EXPECT_EQ(real_number("1e-999").error(), kOutOfRange);
}

RC_GTEST_PROP(NumberProperty, ThatIsWritten_IsReadBack, (std::int64_t whole)) { RC_ASSERT(whole_number(std::to_string(whole)) == whole); }

RC_GTEST_PROP(NumberProperty, AnyText_IsReadOrRefused, (const std::string& text)) {
  const auto digits = text.substr(text.starts_with('-') ? 1 : 0);
  const bool is_number = !digits.empty() && digits.find_first_not_of("0123456789") == std::string::npos;
  RC_ASSERT((whole_number(text) || whole_number(text).error() == NumberError::out_of_range) == is_number);
}

}  // namespace
}  // namespace gleaner::text
