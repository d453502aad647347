#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/decisions/figures.hpp"
#include "lib/decisions/history.hpp"
#include "tests/random_figures.hpp"

namespace gleaner::decisions {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Le;
using testing::Not;
using testing::SizeIs;

Reason reached(std::int64_t limit, const std::string& user, double used) {
  return reason::LimitReached{.limit = {.id = limit, .target = {.user = user}, .most = 10, .used = used}};
}

TEST(ShortWords, AreThereForEveryReason_AndTheirSubjectIsBounded) {
  tests::RandomFigures random{tests::test_seed()};
  for (int round = 0; round < 20; ++round) {
    for (const auto& reason : random.reasons()) {
      const auto subject = subject_of(reason);
      EXPECT_THAT(subject, SizeIs(Le(200U)));
      const auto words = short_words(name_of(reason), subject);
      EXPECT_FALSE(words.empty());
      // A name with an underscore is no word; a limit's and a key's are as their owners wrote them.
      if (subject.empty() && words.find("max_jobs") == std::string::npos) {
        EXPECT_THAT(words, Not(HasSubstr("_"))) << name_of(reason);
      }
    }
  }
}

TEST(ShortWords, OfALimit_NameIt_AndTwoLimitsAreTwoSubjects) {
  EXPECT_EQ(subject_of(reached(7, "u01", 10)), "limit 7 (user u01)");
  EXPECT_EQ(subject_of(reached(7, "u01", 10)), subject_of(reached(7, "u01", 11))) << "other figures of the same limit";
  EXPECT_NE(subject_of(reached(7, "u01", 10)), subject_of(reached(8, "u01", 10)));
  EXPECT_EQ(short_words("limit_reached", "limit 7 (user u01)"), "limit 7 (user u01)");
  EXPECT_EQ(short_words("limit_reached", ""), "a limit") << "of a version that kept no subject";
}

TEST(ShortWords, OfALaunch_HaveItsBound) {
  EXPECT_EQ(subject_of(reason::Launched{.bound = bound::Offer{}}), "offer");
  EXPECT_EQ(short_words("launched", "offer"), "jobs sent, all that was free");
  EXPECT_EQ(short_words("launched", "limit 7 (user u01)"), "jobs sent, up to limit 7 (user u01)");
  EXPECT_EQ(short_words("launched", "of_a_later_version"), "jobs sent, of a later version");
}

TEST(ShortWords, OfAReasonOfALaterVersion_AreItsName) { EXPECT_EQ(short_words("moon_too_full", ""), "moon too full"); }

TEST(Subject, ThatIsLong_EndsWithAWholeCharacter) {
  std::string name;
  while (name.size() < 300) name += "é";
  for (const auto* shift : {"", "x"}) {
    const auto subject = subject_of(reached(7, shift + name, 10));
    EXPECT_THAT(subject.size(), AllOf(testing::Ge(199U), Le(200U)));
    EXPECT_NE(static_cast<unsigned char>(subject.back()), 0xC3U) << "the first byte of two";
  }
}

}  // namespace
}  // namespace gleaner::decisions
