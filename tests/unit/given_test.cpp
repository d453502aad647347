#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "lib/grid/evidence.hpp"
#include "lib/grid/given.hpp"

namespace gleaner::grid {
namespace {

using testing::HasSubstr;

std::string wrong(std::string_view noted) {
  const auto given = read_given(noted);
  return given ? std::string{} : given.error();
}

TEST(Document000, NumbersThatATaskGave_AreReadFromItsNote_AndTheLastOfANameCounts) {
  EXPECT_EQ(read_given("size=100,hours=2.5,size=-3e2").value(), (Given{{"hours", 2.5}, {"size", -300}}));
  EXPECT_EQ(read_given("").value(), Given{});
}

TEST(Document000, ANoteThatIsNoNumbers_IsNamedWithWhatWouldBeRight) {
  EXPECT_EQ(wrong("size"), "it gives 'size', which is no name=number: a task writes words such as size=100 into $CIGRI_GIVES");
  EXPECT_EQ(wrong("%7B%22size%22%3A,100%7D"),
            "it gives '{\"size\":', which is no name=number: a task writes words such as size=100 into $CIGRI_GIVES");
  EXPECT_THAT(wrong("size=many"), HasSubstr("it gives size='many', which is not a number"));
  EXPECT_THAT(wrong("size=inf"), HasSubstr("size='inf'"));
  EXPECT_THAT(wrong("size=1e999"), HasSubstr("size='1e999'"));
  EXPECT_THAT(wrong("size=%00%C3%A9"), HasSubstr("size='?"
                                                 "?"
                                                 "?'"));
  EXPECT_THAT(wrong("=3"), HasSubstr("'=3'"));
  EXPECT_THAT(wrong(kGivenTooLong), HasSubstr("more than 150 bytes"));
  EXPECT_THAT(wrong(stored_given("a=1\n")), HasSubstr("cannot be read"));
  EXPECT_THAT(wrong(stored_given(std::string(151, '1'))), HasSubstr("cannot be read"));
}

TEST(Document000, TheNameOfAnEnd_HasWhatItsTaskGave_WithAndWithoutItsProfile) {
  const EvidenceIndex index{std::vector<std::string>{"3.0.7.1001.e0.gsize=1.5", "4.0.8.1002.e0.1200.c900.m4000.gsize=2,a=3",
                                                     "5.0.9.1003.e0.77", "6.0.10.1004.e1.gsize=2", "7.0.11.1005.e0.g/"}};
  EXPECT_EQ(index.given_by(JobId{7}), "size=1.5");
  EXPECT_EQ(index.given_by(JobId{8}), "size=2,a=3");
  const auto measured = index.of({.task = TaskNumber{4}, .attempt = 0, .job = JobId{8}, .remote = RemoteJobId{1002}});
  EXPECT_EQ(measured.duration, std::chrono::milliseconds{1200});
  EXPECT_EQ(measured.peak_kib, 4000);
  EXPECT_EQ(index.given_by(JobId{9}), "");
  EXPECT_EQ(index.given_by(JobId{11}), kGivenUnreadable);
  EXPECT_EQ(index.given_by(JobId{99}), "");
}

RC_GTEST_PROP(Document000, AnEndWithWhatItsTaskGave_IsReadAsItWasWritten, ()) {
  EvidenceFile file{TaskNumber{*rc::gen::inRange(0, 1000)}, *rc::gen::inRange(0, 9), JobId{*rc::gen::inRange(1, 1000)}, RemoteJobId{5}};
  file.evidence.witness = Witness::ended;
  if (*rc::gen::arbitrary<bool>()) file.evidence.duration = std::chrono::milliseconds{*rc::gen::inRange(0, 100'000)};
  file.given = *rc::gen::element<std::string>("", "a=1", "g=1.5,.g=2", "e.g=3", "x=%2E", "a=1e5,b=-2");
  const auto read = read_evidence_name(file.name());
  RC_ASSERT(read.has_value());
  RC_ASSERT(read->given == file.given);
  RC_ASSERT(read->evidence == file.evidence);
}

RC_GTEST_PROP(Document000, AnyNote_GivesNumbersOrASentence, ()) {
  const auto noted = *rc::gen::container<std::string>(rc::gen::element('a', '=', ',', '%', '1', '2', 'F', '.', '-', 'e', '+'));
  const auto given = read_given(stored_given(noted));
  if (!given) RC_ASSERT(!given.error().empty());
}

}  // namespace
}  // namespace gleaner::grid
