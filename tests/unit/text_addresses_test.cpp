#include <gtest/gtest.h>

#include "lib/text/address_range.hpp"

/// Ranges of addresses.
namespace gleaner::text {
namespace {

bool has(std::string_view range, std::string_view address) {
  const auto parsed = AddressRange::parse(range);
  EXPECT_TRUE(parsed) << range;
  return parsed && parsed->contains(address);
}

TEST(AddressRanges, AnAddressAlone_HasItself) {
  EXPECT_TRUE(has("10.0.0.7", "10.0.0.7"));
  EXPECT_FALSE(has("10.0.0.7", "10.0.0.8"));
  EXPECT_TRUE(has("::1", "0:0:0:0:0:0:0:1"));
  EXPECT_FALSE(has("::1", "::2"));
}

TEST(AddressRanges, ABeginning_HasAllThatBeginsSo) {
  EXPECT_TRUE(has("10.1.0.0/16", "10.1.255.9"));
  EXPECT_FALSE(has("10.1.0.0/16", "10.2.0.0"));
  EXPECT_TRUE(has("192.168.4.0/22", "192.168.7.255"));
  EXPECT_FALSE(has("192.168.4.0/22", "192.168.8.0"));
  EXPECT_TRUE(has("fd00::/8", "fdff::1"));
  EXPECT_FALSE(has("fd00::/8", "fe80::1"));
  EXPECT_TRUE(has("0.0.0.0/0", "8.8.8.8"));
  EXPECT_FALSE(has("0.0.0.0/0", "::1")) << "all of IPv4 is not all of IPv6";
}

TEST(AddressRanges, AnAddressOfIPv4_IsTheSameWithinIPv6) {
  EXPECT_TRUE(has("10.0.0.0/8", "::ffff:10.1.2.3"));
  EXPECT_TRUE(has("::ffff:10.0.0.7", "10.0.0.7"));
}

TEST(AddressRanges, WhatIsNoAddress_IsNoRange_AndInNone) {
  for (const auto* text :
       {"", "localhost", "10.0.0", "10.0.0.7/33", "10.0.0.7/", "10.0.0.7/-1", "10.0.0.7/16", "::/129", "10.0.0.0/8/8", "*"})
    EXPECT_FALSE(AddressRange::parse(text)) << text;
  EXPECT_FALSE(has("0.0.0.0/0", "unix"));
  EXPECT_FALSE(has("0.0.0.0/0", ""));
}

}  // namespace
}  // namespace gleaner::text
