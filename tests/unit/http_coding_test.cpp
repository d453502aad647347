#include "lib/http/coding.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

#include <fmt/format.h>

#include "tests/unit/gunzip.hpp"

namespace gleaner::http {
namespace {

TEST(Coding, AcceptEncoding_IsReadWithItsWeights) {
  for (const auto* yes :
       {"gzip", "GZIP", "x-gzip", "br, gzip", "br;q=1.0, gzip;q=0.8, *;q=0.1", "gzip;q=0.001", "*", "*;q=0.5", "gzip ; Q=1",
        "deflate,\tgzip", "identity;q=0.5, gzip", "identity, gzip", "identity;q=0, *", "gzip;level=9;q=0.5", ",,gzip"})
    EXPECT_TRUE(prefers_gzip(yes)) << yes;
  for (const auto* no :
       {"",      " ",       "identity", "br",       "gzip;q=0",  "gzip; q=0.000",        "*;q=0", "gzip;q=0, *", "*, gzip;q=0", "xgzip",
        "gzip2", "gzip;q=", "gzip;q=x", "gzip;q=2", "gzip;q=-1", "identity, gzip;q=0.5", "gz ip", ",",           ";",           "q=1"})
    EXPECT_FALSE(prefers_gzip(no)) << no;
}

RC_GTEST_PROP(Coding, OfAnyText_GivesThatTextAgain, (const std::string& text)) { RC_ASSERT(tests::gunzipped(gzipped(text)) == text); }

TEST(Coding, OfALargeText_GivesItAgain_AndTheSameBytesEachTime) {
  std::string text;
  for (int i = 0; text.size() < (std::size_t{4} << 20U); ++i)
    text += fmt::format("{{\"id\":{},\"state\":\"in_treatment\"}},", i * 7919 % 100'003);
  EXPECT_EQ(tests::gunzipped(gzipped(text)), text);
  EXPECT_EQ(gzipped(text), gzipped(text));
  EXPECT_LT(gzipped(text).size(), text.size() / 4);
}

}  // namespace
}  // namespace gleaner::http
