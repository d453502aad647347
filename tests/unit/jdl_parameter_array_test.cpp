#include <gmock/gmock.h>

#include <algorithm>

#include "lib/jdl/parameter_array.hpp"

namespace gleaner::jdl {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Read {
  std::vector<Parameter> parameters{};
  std::optional<Problem> problem{};
};

/// Reads the text in pieces of so many bytes.
Read read(std::string_view text, std::size_t piece = 3, std::size_t most = 1000) {
  Read result;
  const auto next = [&] {
    const auto part = text.substr(0, piece);
    text.remove_prefix(part.size());
    return part;
  };
  const auto read = read_parameter_array(next, [&](Parameter&& parameter) {
    result.parameters.push_back(std::move(parameter));
    return result.parameters.size() < most;
  });
  if (!read) result.problem = read.error();
  return result;
}

TEST(ParameterArray, HasLinesNumbersAndArguments_HoweverItIsCut) {
  const std::string text = " [\"1 'a b'\", 2.50,\n [\"x\", 3, \"caf\\u00e9\"], [] ]\n";
  for (std::size_t piece = 1; piece <= text.size(); ++piece) {
    const auto got = read(text, piece);
    EXPECT_FALSE(got.problem) << piece << got.problem->message;
    EXPECT_THAT(got.parameters,
                ElementsAre(Parameter{"1 'a b'"}, Parameter{"2.50"}, Parameter{Arguments{"x", "3", "café"}}, Parameter{Arguments{}}));
  }
  EXPECT_TRUE(read("[]").parameters.empty());
  EXPECT_EQ(read("\xEF\xBB\xBF[\"a\"]", 100).parameters.size(), 1U) << "a byte-order mark is no part of the text";
}

TEST(ParameterArray, TextThatIsNone_IsReportedWithItsPlace) {
  const auto message = [](std::string_view text) { return read(text).problem.value_or(Problem{}).message; };
  EXPECT_THAT(message(R"({"params": ["1"]})"), HasSubstr("write an array of parameters"));
  EXPECT_THAT(message("\"1\""), HasSubstr("write an array of parameters"));
  EXPECT_THAT(message("[true]"), HasSubstr("this is true or false"));
  EXPECT_THAT(message("[\"a\", null]"), HasSubstr("this is null"));
  EXPECT_THAT(message("[[[\"a\"]]]"), HasSubstr("an array within the arguments"));
  EXPECT_THAT(message("[\"a\" \"b\"]"), HasSubstr("this is not JSON"));
  EXPECT_THAT(message("[\"a\"] [\"b\"]"), HasSubstr("this is not JSON"));
  EXPECT_THAT(message("[\"a\""), HasSubstr("this is not JSON"));
  EXPECT_THAT(message(""), HasSubstr("this is not JSON"));
  EXPECT_THAT(message("[\"a 'b\"]"), HasSubstr("quote"));
  EXPECT_THAT(message(std::string_view{"[\"a\"]\0[\"b\"]", 11}), HasSubstr("NUL"));
  EXPECT_THAT(message(std::string_view{"[\0\"a\"]", 6}), HasSubstr("NUL"));
  EXPECT_THAT(message("[\"a\\u0000\"]"), HasSubstr("NUL"));
  EXPECT_THAT(message("[\"\xff\"]"), HasSubstr("UTF-8"));
  const auto problem = read("[\"a\",\n \"b\",\n  tru]").problem.value_or(Problem{});
  EXPECT_EQ(problem.place.line, 3U);
}

TEST(ParameterArray, AParameterThatIsTooLong_EndsTheReading_InConstantMemory) {
  std::size_t given = 0;
  const std::string piece(64 * 1024, 'x');
  const auto next = [&]() -> std::string_view {
    given += piece.size();
    return given == piece.size() ? std::string_view{"[\""} : given > (std::size_t{64} << 20U) ? std::string_view{} : piece;
  };
  const auto read = read_parameter_array(next, [](Parameter&&) { return true; });
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message, HasSubstr("longer than 64 kB"));
  EXPECT_LT(given, std::size_t{1} << 20U);
}

TEST(ParameterArray, Sink_MayStopTheReading) {
  const auto got = read("[\"1\", \"2\", \"3\", wrong", 1000, 2);
  EXPECT_FALSE(got.problem);
  EXPECT_EQ(got.parameters.size(), 2U);
}

}  // namespace
}  // namespace gleaner::jdl
