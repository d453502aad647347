#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "lib/grid/evidence.hpp"
#include "lib/grid/stderr_line.hpp"
#include "lib/text/clean.hpp"

namespace gleaner::grid {
namespace {

TEST(StderrLine, IsReadFromItsNote) {
  EXPECT_EQ(read_stderr_line("No,such,file%3A,mesh_88"), "No such file: mesh_88");
  EXPECT_EQ(read_stderr_line(noted_stderr_line("a, b%\tc")), "a, b% c");
  EXPECT_EQ(read_stderr_line(""), "");
}

TEST(StderrLine, CutInACharacter_LosesThatCharacter) {
  EXPECT_EQ(read_stderr_line("erreur,%C3%A9"), "erreur é");
  EXPECT_EQ(read_stderr_line("erreur,%C3"), "erreur ");
  EXPECT_EQ(read_stderr_line("%E2%82"), "");
}

TEST(StderrLine, OfWhoeverNamesAFile_IsPlainTextOrNone) {
  EXPECT_EQ(read_stderr_line("%1B[31mred%00%0Aline"), "[31mred line");
  EXPECT_EQ(read_stderr_line("broken%2"), "");
  EXPECT_EQ(read_stderr_line(std::string(101, 'a')), "");
}

RC_GTEST_PROP(StderrLine, OfAnyBytes_IsNotedAsANameAndReadAsText, (const std::string& line)) {
  const auto noted = noted_stderr_line(line);
  RC_ASSERT(noted.size() <= kLongestStderrLine);
  RC_ASSERT(noted.find_first_of("/\n ") == std::string::npos);
  const auto read = read_stderr_line(noted);
  RC_ASSERT(text::clean_text(read) == read);
  if (std::ranges::all_of(line, [](char c) { return c >= ' ' && c <= '~'; })) RC_ASSERT(line.starts_with(read));
}

RC_GTEST_PROP(StderrLine, AnyNote_IsReadAsText, ()) {
  const auto noted = *rc::gen::container<std::string>(rc::gen::element('a', ',', '%', '1', 'C', 'F', '.', '\n', '\xC3'));
  const auto read = read_stderr_line(noted);
  RC_ASSERT(text::clean_text(read) == read);
}

TEST(StderrLine, FollowsTheProfileOfAnEnd_AndOnlyAnEnd) {
  const EvidenceIndex index{std::vector<std::string>{"3.0.7.1001.e1.xno.go", "4.0.8.1002.e3.1200.c900.m4000.xbad,.g1=2", "5.0.9.1003.e1.x",
                                                     "6.0.10.1004.s.xtext"}};
  EXPECT_EQ(index.stderr_line_of(JobId{7}), "no.go");
  EXPECT_EQ(index.stderr_line_of(JobId{8}), "bad .g1=2");
  EXPECT_EQ(index.given_by(JobId{8}), "");
  const auto measured = index.of({.task = TaskNumber{4}, .attempt = 0, .job = JobId{8}, .remote = RemoteJobId{1002}});
  EXPECT_EQ(measured.status, 3);
  EXPECT_EQ(measured.peak_kib, 4000);
  EXPECT_EQ(index.stderr_line_of(JobId{9}), "");
  EXPECT_EQ(index.stderr_line_of(JobId{10}), "");
  EXPECT_EQ(index.stderr_line_of(JobId{99}), "");
}

RC_GTEST_PROP(StderrLine, OfAnEnd_IsReadAsItWasWritten, ()) {
  EvidenceFile file{TaskNumber{*rc::gen::inRange(0, 1000)}, *rc::gen::inRange(0, 9), JobId{*rc::gen::inRange(1, 1000)}, RemoteJobId{5}};
  file.evidence.witness = Witness::ended;
  file.evidence.status = *rc::gen::inRange(1, 256);
  if (*rc::gen::arbitrary<bool>()) file.evidence.duration = std::chrono::milliseconds{*rc::gen::inRange(0, 100'000)};
  file.stderr_line = *rc::gen::element<std::string>("", "No such file: a.g1=2", "x.x", "é: 50 %", ".c3.m4");
  const auto read = read_evidence_name(file.name());
  RC_ASSERT(read.has_value());
  RC_ASSERT(read->stderr_line == file.stderr_line);
  RC_ASSERT(read->evidence == file.evidence);
}

}  // namespace
}  // namespace gleaner::grid
