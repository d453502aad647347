#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include "lib/grid/evidence.hpp"

namespace gleaner::grid {
void PrintTo(const Evidence& evidence, std::ostream* out) {
  *out << "witness " << static_cast<int>(evidence.witness) << ", status " << evidence.status << ", holder " << evidence.holder.value();
}

namespace {

/// The evidence that a folder shows for a job of task 3, in its attempt 0, that OAR knows as 1001.
Evidence shown(const std::vector<std::string>& names, std::int64_t job = 7, std::int64_t remote = 1001) {
  return EvidenceIndex{names}.of({.task = TaskNumber{3}, .attempt = 0, .job = JobId{job}, .remote = RemoteJobId{remote}});
}

TEST(Evidence, TheNameOfAJobsFile_StatesItsOutcome) {
  EXPECT_EQ(shown({"3.0.7.1001.s"}).witness, Witness::started);
  EXPECT_EQ(shown({"3.0.7.1001.e0"}), (Evidence{.witness = Witness::ended, .status = 0}));
  EXPECT_EQ(shown({"3.0.7.1001.e137"}), (Evidence{.witness = Witness::ended, .status = 137}));
  EXPECT_EQ(shown({"3.0.7.1001.d.5"}), (Evidence{.witness = Witness::duplicate, .holder = JobId{5}}));
  EXPECT_EQ(shown({"3.0.7.1001.d.0"}), (Evidence{.witness = Witness::duplicate, .holder = JobId{0}}));
  EXPECT_EQ(shown({"3.0.7.1001.u"}).witness, Witness::unclaimed);
}

/// It claimed its attempt, and spent it.
TEST(Evidence, OfAFolderThatCannotBeUsed_IsABadRequest_WhateverOarRecorded) {
  const auto noted = shown({"3.0.7.1001.f", "3.0.7.1001.d.7", "3.0.8.1002.d.7"});
  EXPECT_EQ(noted, (Evidence{.witness = Witness::ended, .status = 113, .no_folder = true}));
  for (const RemoteEnd& record :
       {RemoteEnd{.record = Record::exited, .status = 113, .started = true}, RemoteEnd{.record = Record::preempted, .started = true},
        RemoteEnd{.record = Record::walltime, .started = true}, RemoteEnd{.record = Record::forgotten}})
    EXPECT_EQ(end_of(record, noted, Deletion::none), JobEnd::bad_request);
  EXPECT_TRUE(has_claimed(noted));
  EXPECT_EQ(shown({"3.0.7.1001.f", "3.0.8.1002.d.7"}, 8, 1002).holder_status, 113) << "the twin's task pays as well";
  EXPECT_EQ(shown({"3.0.7.1001.f0"}).witness, Witness::nothing);
  const EvidenceFile file{TaskNumber{3}, 0, JobId{7}, RemoteJobId{1001}, noted};
  EXPECT_EQ(file.name(), "3.0.7.1001.f");
}

TEST(Evidence, InAPool_TheEndStatesHowLongTheTaskTook_AndWhetherItsWalltimeEndedIt) {
  const auto ended = shown({"3.0.7.1001.e4.1250"});
  EXPECT_EQ(ended, (Evidence{.witness = Witness::ended, .status = 4, .duration = std::chrono::milliseconds{1250}}));
  const auto overran = shown({"3.0.7.1001.w.60000"});
  EXPECT_TRUE(overran.overran);
  EXPECT_EQ(end_of({.record = Record::exited, .status = 113}, overran, Deletion::none), JobEnd::walltime);
  EXPECT_TRUE(shown({"3.0.7.1001.w"}).overran) << "bash before version 5 has no clock of milliseconds";
  EXPECT_EQ(shown({"3.0.7.1001.e4x"}).witness, Witness::nothing);
  EXPECT_EQ(shown({"3.0.7.1001.w1"}).witness, Witness::nothing);
}

TEST(Evidence, OfAMeasuredEnd_StatesTheTasksUseOfProcessorsAndMemory_WhereTheNodeCouldMeasureIt) {
  using std::chrono::milliseconds;
  const Evidence plain{.witness = Witness::ended, .status = 0, .duration = milliseconds{1250}};
  auto both = plain, memory = plain, processors = plain;
  both.cpu = processors.cpu = milliseconds{900};
  both.peak_kib = memory.peak_kib = 20480;
  EXPECT_EQ(shown({"3.0.7.1001.e0.1250.c900.m20480"}), both);
  EXPECT_EQ(shown({"3.0.7.1001.e0.1250.c900"}), processors);
  EXPECT_EQ(shown({"3.0.7.1001.e0.1250.m20480"}), memory);
  EXPECT_EQ(shown({"3.0.7.1001.m"}).witness, Witness::nothing);
}

TEST(Evidence, Document003_OfAMeasuredEnd_StatesHowMuchTheTaskReadAndWrote) {
  using std::chrono::milliseconds;
  const Evidence plain{.witness = Witness::ended, .status = 0, .duration = milliseconds{1250}};
  auto moved = plain, all = plain;
  moved.moved_kib = all.moved_kib = 4096;
  all.cpu = milliseconds{900};
  all.peak_kib = 20480;
  EXPECT_EQ(shown({"3.0.7.1001.e0.1250.i4096"}), moved);
  EXPECT_EQ(shown({"3.0.7.1001.e0.1250.c900.m20480.i4096"}), all);
  EXPECT_EQ(shown({"3.0.7.1001.e0.1250.c900.m20480.i4096.gcells=3"}), all);
  const Evidence ended{.witness = Witness::ended, .status = 0};
  for (const std::string end : {".1250.i", ".1250.i-4", ".1250.i4x", ".1250.i4.c900", ".1250.i9999999999999999", ".i4"})
    EXPECT_EQ(shown({"3.0.7.1001.e0" + end}), ended) << end;
}

/// A node's clock is set while a task runs; a folder of a user has what the user puts there. A task that ended must not run again.
TEST(Evidence, OfAnEndWithATimeThatMakesNoSense_IsTheEnd_WithoutATime) {
  const Evidence ended{.witness = Witness::ended, .status = 3};
  for (const std::string end : {".-3589499.c20", ".-3589499", ".1250.c-20", ".1250.m1.c2", ".1250.c", ".c5", ".1250.c5.m", ".1250x", ".",
                                ".x", ".999999999999999", ".99999999999999999999", ".5.c999999999999999"}) {
    EXPECT_EQ(shown({"3.0.7.1001.e3" + end}), ended) << end;
    EXPECT_TRUE(shown({"3.0.7.1001.w" + end}).overran) << end;
  }
  const std::vector<std::string> names{"3.0.11.700.e0.9223372036854775807", "4.0.12.700.e0.9223372036854775807", "5.0.13.700.e0.250"};
  EXPECT_EQ(EvidenceIndex{names}.carried_by(RemoteJobId{700}), std::chrono::milliseconds{250});
}

TEST(Evidence, InAPool_TheTimeOfACarriersTasks_IsTheSumOfTheirs) {
  const std::vector<std::string> names{"3.0.11.700.e0.1500", "4.0.12.700.e3.250", "5.1.13.700.w.2000", "6.0.14.700.s",  "7.0.15.700.e0",
                                       "8.0.16.701.e0.9000", "3.0.claim",         "4.0.claim",         "9.0.17.700.d.3"};
  const EvidenceIndex index{names};
  EXPECT_EQ(index.carried_by(RemoteJobId{700}), std::chrono::milliseconds{3750});
  EXPECT_EQ(index.carried_by(RemoteJobId{702}), std::chrono::milliseconds{0});
}

TEST(Evidence, OfAJobWithoutAFile_IsNothing) {
  EXPECT_EQ(shown({}).witness, Witness::nothing);
  EXPECT_EQ(shown({"3.0.claim", "3.1.8.1001.e0", "4.0.70.1002.s", "3.0.9.1003.u"}).witness, Witness::nothing);
}

TEST(Evidence, OfAJobWithoutAFile_WhoseAttemptAnotherJobClaimed_IsThatOfADuplicate) {
  EXPECT_EQ(shown({"3.0.8.1002.s"}), (Evidence{.witness = Witness::duplicate, .holder = JobId{8}}));
  EXPECT_EQ(shown({"3.0.8.1002.e0"}), (Evidence{.witness = Witness::duplicate, .holder = JobId{8}, .holder_status = 0}));
}

TEST(Evidence, OfADuplicate_HasTheStatusOfTheJobThatHoldsTheClaim_OnceItHasEnded) {
  EXPECT_EQ(shown({"3.0.7.1001.d.8", "3.0.8.1002.s"}), (Evidence{.witness = Witness::duplicate, .holder = JobId{8}}));
  EXPECT_EQ(shown({"3.0.7.1001.d.8", "3.0.8.1002.e4"}), (Evidence{.witness = Witness::duplicate, .holder = JobId{8}, .holder_status = 4}));
}

TEST(Evidence, OfARunThatWasCut_BeforeOARRanTheJobAgain_IsAnEarlierOnes) {
  EXPECT_FALSE(shown({"3.0.7.1001.s"}).earlier);
  EXPECT_TRUE(shown({"3.0.7.1000.s"}).earlier);
  EXPECT_FALSE(shown({"3.0.7.0.s"}).earlier) << "its wrapper did not know its id";
  EXPECT_TRUE(shown({"3.0.7.1000.s", "3.0.7.1001.d.7"}).earlier);
  EXPECT_TRUE(shown({"3.0.7.1000.e0"}).earlier) << "a carrier may continue";
}

TEST(Evidence, OfTwoRunsOfAJob_IsThatOfTheRunThatShowsMost_InAnyOrder) {
  const std::vector<std::pair<std::vector<std::string>, Witness>> cases{
      {{"3.0.7.1.e3", "3.0.7.2.d.7"}, Witness::ended},    {{"3.0.7.1.s", "3.0.7.2.d.7"}, Witness::started},
      {{"3.0.7.1.s", "3.0.7.2.e0"}, Witness::ended},      {{"3.0.7.1.u", "3.0.7.2.s"}, Witness::started},
      {{"3.0.7.1.u", "3.0.7.2.d.9"}, Witness::duplicate}, {{"3.0.7.1.d.9", "3.0.7.2.s"}, Witness::started},
      {{"3.0.7.1.d.7", "3.0.7.2.d.7"}, Witness::nothing}};
  for (auto [names, witness] : cases) {
    EXPECT_EQ(shown(names).witness, witness) << names[0] << " " << names[1];
    std::ranges::reverse(names);
    EXPECT_EQ(shown(names).witness, witness) << names[0] << " " << names[1];
  }
}

TEST(Evidence, NamesThatAreNotOurs_AreNone) {
  for (const char* name : {"",
                           ".",
                           "3.0.claim",
                           "3.0.7.1",
                           "3.0.7.1.",
                           "3.0.7.1.x",
                           "3.0.7.1.e",
                           "3.0.7.1.e256",
                           "3.0.7.1.e-1",
                           "3.0.7.1.e01",
                           "3.0.7.1.e3 ",
                           " 3.0.7.1.s",
                           "3.0.7.1.s.old",
                           "3.0.7.1.d",
                           "3.0.7.1.d.",
                           "3.0.7.1.d.x",
                           "-0.0.7.1.s",
                           "3.-1.7.1.s",
                           "+3.0.7.1.s",
                           "03.0.7.1.s",
                           "3.2147483648.7.1.s",
                           "3.0.99999999999999999999.1.s",
                           "3.0.7.1.s\n",
                           "3..7.1.s"})
    EXPECT_FALSE(read_evidence_name(name)) << name;
}

RC_GTEST_PROP(EvidenceNames, AreReadBack, ()) {
  EvidenceFile file{TaskNumber{*rc::gen::inRange<std::int64_t>(-1000, 1'000'000'000)},
                    *rc::gen::inRange(0, 1'000'000),
                    JobId{*rc::gen::inRange<std::int64_t>(0, 1'000'000'000'000)},
                    RemoteJobId{*rc::gen::inRange<std::int64_t>(0, 1'000'000'000)},
                    {}};
  file.evidence.witness = *rc::gen::element(Witness::started, Witness::ended, Witness::duplicate, Witness::unclaimed);
  if (file.evidence.witness == Witness::ended) file.evidence.status = *rc::gen::inRange(0, 256);
  if (file.evidence.witness == Witness::ended && *rc::gen::arbitrary<bool>()) {
    const auto some = [] { return *rc::gen::inRange<std::int64_t>(0, 300'000'000'000); };
    file.evidence.duration = std::chrono::milliseconds{some()};
    if (*rc::gen::arbitrary<bool>()) file.evidence.cpu = std::chrono::milliseconds{some()};
    if (*rc::gen::arbitrary<bool>()) file.evidence.peak_kib = some();
    if (*rc::gen::arbitrary<bool>()) file.evidence.moved_kib = some();
  }
  if (file.evidence.witness == Witness::duplicate) file.evidence.holder = JobId{*rc::gen::inRange<std::int64_t>(0, 1'000'000)};
  const auto read = read_evidence_name(file.name());
  RC_ASSERT(read.has_value());
  RC_ASSERT(read->name() == file.name());
  RC_ASSERT(read->evidence == file.evidence);
}

/// The part after the dot of an end may be no time.
bool is_whole(const EvidenceFile& file, const std::string& name) {
  return file.name() == name || (file.evidence.witness == Witness::ended && name.starts_with(file.name() + "."));
}

RC_GTEST_PROP(EvidenceNames, OfAnyBytes_AreReadOrNot_AndWhatIsReadIsTheWholeName, (const std::string& name)) {
  if (const auto file = read_evidence_name(name)) RC_ASSERT(is_whole(*file, name));
}

RC_GTEST_PROP(EvidenceNames, OfNearlyTheRightBytes_Too, ()) {
  auto name = std::string{"12.0.7.1001."} + *rc::gen::element<std::string>("s", "u", "e0", "e255", "d.9", "e0.15.c7.m9");
  for (int i = *rc::gen::inRange(1, 4); i > 0; --i)
    name[*rc::gen::inRange<std::size_t>(0, name.size())] = *rc::gen::elementOf(std::string{"0123456789.esudcm-\n\xff"});
  if (const auto file = read_evidence_name(name)) RC_ASSERT(is_whole(*file, name));
}

RC_GTEST_PROP(EvidenceIndexes, ShowTheSame_WhateverTheOrderOfTheNames, ()) {
  auto names = *rc::gen::container<std::vector<std::string>>(rc::gen::map(
      rc::gen::tuple(rc::gen::inRange(1, 5), rc::gen::inRange(1, 3),
                     rc::gen::element<std::string>("s", "u", "e0", "e1", "e113", "d.1", "d.2", "d.3", "x")),
      [](const auto& parts) { return fmt::format("3.0.{}.{}.{}", std::get<0>(parts), std::get<1>(parts), std::get<2>(parts)); }));
  std::vector<std::string> reversed(names.rbegin(), names.rend());
  for (std::int64_t job = 0; job < 6; ++job) RC_ASSERT(shown(names, job, 1) == shown(reversed, job, 1));
}

}  // namespace
}  // namespace gleaner::grid
