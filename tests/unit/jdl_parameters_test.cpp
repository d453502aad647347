#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <sstream>

#include "lib/jdl/parameter.hpp"
#include "lib/jdl/parameter_reader.hpp"
#include "lib/jdl/parameter_stream.hpp"

namespace gleaner::jdl {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using namespace std::string_literals;

struct Reading {
  std::vector<std::string> parameters;
  std::vector<std::string> problems;  // as they are shown
};

Reading read_all(std::istream& input) {
  Reading reading;
  ParameterReader reader{input};
  while (true) {
    const auto next = reader.next();
    if (!next) {
      auto line = render(std::span{&next.error(), 1}, "p");
      line.pop_back();
      reading.problems.push_back(std::move(line));
    } else if (*next) {
      reading.parameters.emplace_back(**next);
    } else {
      return reading;
    }
  }
}

Reading read_all(std::string text) {
  std::istringstream input{std::move(text)};
  return read_all(input);
}

TEST(ParameterFile, BlankLinesAndComments_AreSkipped) {
  const auto reading = read_all("# the first\n1 a\n\n   \t\n2 b # not a comment\n  # nor this\n\r\n3");
  EXPECT_THAT(reading.parameters, ElementsAre("1 a", "2 b # not a comment", "  # nor this", "3"));
  EXPECT_THAT(reading.problems, IsEmpty());
}

TEST(ParameterFile, AnEmptyFile_HasNoParameters) {
  for (const auto* text : {"", "\n", "\xEF\xBB\xBF", "# x"}) EXPECT_THAT(read_all(text).parameters, IsEmpty());
}

TEST(ParameterFile, ByteOrderMark_AndWindowsLineEnds_AreTakenOff) {
  EXPECT_THAT(read_all("\xEF\xBB\xBF"
                       "1 é\r\n2\r\n3\r")
                  .parameters,
              ElementsAre("1 é", "2", "3"));
}

TEST(ParameterFile, ACarriageReturnAlone_IsAnErrorWithItsLine_AndNotOneTask) {
  EXPECT_THAT(read_all("1\r2\r3\r").problems, ElementsAre(HasSubstr("p:1:2: a carriage return is alone here: lines end in LF or CRLF")));
  const auto reading = read_all("a\r\n# é\rb\nc\r\r\nd");
  EXPECT_THAT(reading.parameters, ElementsAre("a", "d"));
  EXPECT_THAT(reading.problems, ElementsAre(HasSubstr("p:2:4: a carriage return"), HasSubstr("p:3:2: a carriage return")));
  // The lines of a large file that has no other line ends.
  std::string large;
  for (int i = 0; i < 100'000; ++i) large += "word\r";
  EXPECT_THAT(read_all(large).problems, ElementsAre(HasSubstr("p:1:5: a carriage return")));
}

TEST(ParameterLines, OfNdjson_WithACarriageReturnAlone_AreRefusedWithTheirLine) {
  std::vector<Parameter> parameters;
  ParameterStream stream{[&](Parameter&& one) { parameters.push_back(std::move(one)); }};
  const auto fed = stream.feed("\"1\"\r\n\r\n[\"2\",\r\"a\"]\n");
  ASSERT_FALSE(fed);
  EXPECT_EQ(fed.error().place, (Position{3, 6}));
  EXPECT_THAT(fed.error().message, HasSubstr("a carriage return is alone here"));
  EXPECT_EQ(parameters.size(), 1U);
}

TEST(ParameterFile, EveryWrongLine_IsReported_AndTheOthersAreRead) {
  const auto reading = read_all("1\né 'open\nok\na\xFFz\nx\0y\n\\\n6"s);
  EXPECT_THAT(reading.parameters, ElementsAre("1", "ok", "6"));
  EXPECT_THAT(reading.problems, ElementsAre("p:2:3: this single quote is never closed (quotes and backslashes count as in a shell)",
                                            "p:4:2: the byte \\xff is not UTF-8: write the parameters in UTF-8",
                                            "p:5:2: there is a NUL byte in this parameter",
                                            "p:6:1: this backslash has nothing after it (quotes and backslashes count as in a shell)"));
}

class LongLine : public testing::TestWithParam<std::size_t> {};
TEST_P(LongLine, IsAnErrorBeyond64kB_AndReadingGoesOnBehindIt) {
  const std::string line(GetParam(), 'x');
  const auto reading = read_all("a\n" + line + "\nb");
  if (GetParam() <= kMostParameterBytes) {
    EXPECT_THAT(reading.parameters, ElementsAre("a", line, "b"));
  } else {
    EXPECT_THAT(reading.parameters, ElementsAre("a", "b"));
    EXPECT_THAT(reading.problems, ElementsAre("p:2: this parameter is longer than 64 kB: write it to a file, and give its path"));
  }
  EXPECT_EQ(read_all(line).problems.size(), GetParam() <= kMostParameterBytes ? 0u : 1u);
}
INSTANTIATE_TEST_SUITE_P(Sizes, LongLine, testing::Values(65535, 65536, 65537, 262142, 262143, 262144, 262145, 600000, 2000000));

TEST(ParameterFile, ManyLines_ComeInOrder_WithTheirNumbers) {
  std::string text = "# head\n";
  for (int i = 0; i < 50000; ++i) text += fmt::format("{} some text\n", i);
  std::istringstream input{text};
  ParameterReader reader{input};
  for (int i = 0; i < 50000; ++i) {
    const auto next = reader.next();
    ASSERT_TRUE(next && *next);
    ASSERT_EQ(**next, fmt::format("{} some text", i));
    ASSERT_EQ(reader.line(), static_cast<std::size_t>(i) + 2);
  }
  EXPECT_EQ(*reader.next(), std::nullopt);
  EXPECT_EQ(*reader.next(), std::nullopt);
}

TEST(ParameterFile, AStreamThatFails_IsReportedOnce) {
  std::istringstream input{"1\n"};
  input.setstate(std::ios::badbit);
  const auto reading = read_all(input);
  EXPECT_THAT(reading.parameters, IsEmpty());
  EXPECT_THAT(reading.problems, ElementsAre("p:1: the parameters cannot be read beyond this line"));
}

std::string encoded(const Parameter& parameter) {
  std::string line;
  append_ndjson(line, parameter);
  return line;
}

TEST(ParameterNdjson, ALine_IsAString_AndArguments_AreAnArray) {
  EXPECT_EQ(encoded(Parameter{"1 'a b' é"}), "\"1 'a b' é\"\n");
  EXPECT_EQ(encoded(Parameter{"\"\\\n\t\x01"}), "\"\\\"\\\\\\n\\t\\u0001\"\n");
  EXPECT_EQ(encoded(Arguments{"x y", "", "\""}), "[\"x y\",\"\",\"\\\"\"]\n");
  EXPECT_EQ(encoded(Arguments{}), "[]\n");
}

TEST(ParameterNdjson, WhatIsWritten_IsReadBack) {
  for (const auto& parameter :
       {Parameter{""}, Parameter{"plain"}, Parameter{"a \\\" \\\\"}, Parameter{Arguments{}}, Parameter{Arguments{"'", "\n", "\\"}}}) {
    auto line = encoded(parameter);
    line.pop_back();
    EXPECT_EQ(parse_ndjson(line).value(), parameter) << line;
  }
}

TEST(ParameterNdjson, NumbersAreTakenAsWritten) {
  EXPECT_EQ(parse_ndjson("[1, 2.50, -0, 1e3]").value(), Parameter(Arguments{"1", "2.50", "-0", "1e3"}));
  EXPECT_EQ(parse_ndjson(" 12 \r").value(), Parameter{"12"});
}

TEST(ParameterNdjson, WhatIsNoParameter_IsRefused) {
  for (const auto* line : {"", " ", "null", "true", "{}", "[[1]]", "[null]", "\"a", "\"a\" 1", "\"a\\\"", "\"a\\x\"", "'a'", "\"it's\"",
                           "\"\\u0000\"", "\"\\ud800\"", "\"\xFF\"", "[\"\xFF\"]", "nonsense"})
    EXPECT_FALSE(parse_ndjson(line)) << line;
  EXPECT_FALSE(parse_ndjson(std::string_view{"\"a\"\0\"b\"", 7}));
  EXPECT_FALSE(parse_ndjson('"' + std::string(kMostParameterBytes + 1, 'x') + '"'));
}

TEST(ParameterStream, PiecesCutAnywhere_GiveTheSameParameters) {
  const std::string text = "\"a\\u00e9 b\"\n\n[\"1\",\"2\"]\r\n3\n\"é\"";
  for (std::size_t size = 1; size <= text.size(); ++size) {
    std::vector<Parameter> parameters;
    ParameterStream stream{[&](Parameter&& parameter) { parameters.push_back(std::move(parameter)); }};
    for (std::size_t at = 0; at < text.size(); at += size) ASSERT_TRUE(stream.feed(std::string_view{text}.substr(at, size)));
    ASSERT_TRUE(stream.finish());
    ASSERT_EQ(parameters, (std::vector<Parameter>{"aé b", Arguments{"1", "2"}, "3", "é"})) << size;
    EXPECT_EQ(stream.parameters(), 4u);
  }
}

TEST(ParameterStream, TheFirstWrongLine_IsNamed) {
  ParameterStream stream{[](Parameter&&) {}};
  const auto fed = stream.feed("\"a\"\n\nnull\n\"b\"\n");
  ASSERT_FALSE(fed);
  EXPECT_EQ(fed.error().place.line, 3u);
  EXPECT_THAT(fed.error().message, HasSubstr("a JSON string, or an array of strings and numbers"));
}

TEST(ParameterStream, ALineWithoutEnd_DoesNotFillTheMemory) {
  ParameterStream stream{[](Parameter&&) {}};
  const std::string piece(64 * 1024, 'x');
  auto fed = stream.feed("\"");
  std::size_t pieces = 0;
  for (; fed && pieces < 100; ++pieces) fed = stream.feed(piece);
  EXPECT_LT(pieces, 10u);
  EXPECT_THAT(fed.error().message, HasSubstr("longer than 64 kB"));
}

TEST(Parameter, ALine_IsSplitAsAShellDoes) {
  EXPECT_EQ(arguments_of(Parameter{R"(1 'a b' "c\"d" $HOME * '' x\ y)"}).value(), (Arguments{"1", "a b", "c\"d", "$HOME", "*", "", "x y"}));
  EXPECT_EQ(arguments_of(Parameter{Arguments{"a b"}}).value(), (Arguments{"a b"}));
  EXPECT_EQ(arguments_of(Parameter{"é \"x"}).error().column, 3u);
}

TEST(Parameter, TheTasksName_IsItsFirstArgument) {
  EXPECT_EQ(task_name(Parameter{"  'my task' 2"}), "my task");
  EXPECT_EQ(task_name(Parameter{Arguments{"a b", "c"}}), "a b");
  EXPECT_EQ(task_name(Parameter{""}), "");
  EXPECT_EQ(task_name(Parameter{Arguments{}}), "");
}

TEST(Parameter, ItsSize_IsLimited_AllArgumentsTogether) {
  EXPECT_TRUE(check(Parameter{Arguments(16, std::string(4000, 'x'))}));
  EXPECT_FALSE(check(Parameter{Arguments(17, std::string(4000, 'x'))}));
  EXPECT_TRUE(check(Parameter{Arguments{std::string(kMostParameterBytes, 'x')}}));
}

}  // namespace
}  // namespace gleaner::jdl
