#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "lib/text/utc.hpp"

namespace gleaner::text {
namespace {

using std::chrono::sys_seconds;

sys_seconds at(std::int64_t seconds) { return sys_seconds{std::chrono::seconds{seconds}}; }

TEST(Utc, HasOneForm_ToTheSecond) {
  EXPECT_EQ(utc(at(1'795'198'496)), "2026-11-20T18:14:56Z");
  EXPECT_EQ(utc(std::chrono::sys_time<std::chrono::microseconds>{std::chrono::microseconds{1'999'999}}), "1970-01-01T00:00:01Z");
}

TEST(Utc, OtherOffsets_AndPartsOfASecond_AreRead) {
  EXPECT_EQ(read_utc("2026-11-20T18:14:56Z"), at(1'795'198'496));
  EXPECT_EQ(read_utc("2026-11-20T19:14:56+01:00"), at(1'795'198'496));
  EXPECT_EQ(read_utc("2026-11-20T12:44:56-05:30"), at(1'795'198'496));
  EXPECT_EQ(read_utc("2026-11-20T18:14:56.999Z"), at(1'795'198'496));
  EXPECT_EQ(read_utc("2024-02-29T00:00:00Z"), at(1'709'164'800));
}

TEST(Utc, WhatIsNoTime_IsNotRead) {
  for (const auto* wrong : {"",
                            "soon",
                            "1795198496",
                            "2026-11-20",
                            "2026-11-20T18:14:56",
                            "2026-11-20 18:14:56Z",
                            "2026-11-20T18:14:56Z ",
                            "2026-02-29T00:00:00Z",
                            "2026-13-01T00:00:00Z",
                            "2026-11-20T24:00:00Z",
                            "2026-11-20T18:14:60Z",
                            "2026-11-20T18:14:56.Z",
                            "2026-11-20T18:14:56+1:00",
                            "2026-11-20T18:14:56 01:00",
                            "-026-11-20T18:14:56Z",
                            "2026-11-20T1a:14:56Z",
                            "2026/11/20T18:14:56Z",
                            "2026-11-20T-0:14:56Z",
                            "2026-11-20T18:-0:56Z",
                            "2026-11-20T18:14:-0Z",
                            "2026-11-20T18:14:56+-0:00",
                            "-000-11-20T18:14:56Z"})
    EXPECT_EQ(read_utc(wrong), std::nullopt) << wrong;
}

RC_GTEST_PROP(Utc, EveryTime_IsReadAsItWasWritten, ()) {
  constexpr std::int64_t kYear9999 = 253'402'300'799;
  const auto time = at(*rc::gen::inRange<std::int64_t>(0, kYear9999));
  RC_ASSERT(read_utc(utc(time)) == time);
}

}  // namespace
}  // namespace gleaner::text
