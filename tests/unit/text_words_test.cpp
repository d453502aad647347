#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <cstdio>
#include <string>
#include <vector>

#include "lib/text/percent.hpp"
#include "lib/text/words.hpp"

namespace gleaner::text {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> words(std::string_view line) {
  auto split = split_words(line);
  if (!split) {
    ADD_FAILURE() << split.error().what << " at " << split.error().position;
    return {};
  }
  return *split;
}

/// The words of the line as /bin/sh splits it, printed by `printf '%s\0'`.
std::vector<std::string> words_of_the_shell(const std::string& line) {
  const std::string script =
      "eval \"set -- \"\"$(cat <<'GLEANER_END'\n" + line + "\nGLEANER_END\n)\"; for w; do printf '%s\\0' \"$w\"; done";
  const std::string command = "sh -c " + quote(script);
  FILE* pipe = popen(command.c_str(), "r");
  std::string output;
  std::array<char, 4096> buffer{};
  for (std::size_t got = 0; (got = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) {
    output.append(buffer.data(), got);
  }
  EXPECT_EQ(pclose(pipe), 0);
  std::vector<std::string> found;
  for (std::size_t at = 0; at < output.size();) {
    const std::size_t end = output.find('\0', at);
    found.push_back(output.substr(at, end - at));
    at = end + 1;
  }
  return found;
}

TEST(PercentEncoded, KeepsLettersDigitsAndWhatIsPlain_AndEncodesEachOtherByte) {
  EXPECT_EQ(percent_encoded("aZ09-_.", "-_."), "aZ09-_.");
  EXPECT_EQ(percent_encoded("a b/50%", ""), "a%20b%2F50%25");
  EXPECT_EQ(percent_encoded("\u00e9", ""), "%C3%A9") << "two bytes, of which neither is a letter in any locale";
  EXPECT_EQ(percent_encoded(std::string_view{"\0\xff", 2}, ""), "%00%FF");
}

TEST(PercentDecoded, Escapes_BecomeTheirBytes_InEitherCase) {
  EXPECT_EQ(percent_decoded("a%20b%2Fc%c3%A9"), "a b/c\xc3\xa9");
  EXPECT_EQ(percent_decoded("a+b"), "a+b");
  EXPECT_EQ(percent_decoded(""), "");
}

TEST(PercentDecoded, BrokenEscapes_AreRefused) {
  for (const auto* text : {"%", "%2", "a%", "%zz", "%4", "x%g0", "%4g"}) EXPECT_EQ(percent_decoded(text), std::nullopt) << text;
}

RC_GTEST_PROP(PercentEncoded, AnyBytes_ComeBackAfterDecoding, (const std::string& bytes)) {
  RC_ASSERT(percent_decoded(percent_encoded(bytes)) == bytes);
}

TEST(Words, BlanksSeparate_AndManyCountAsOne) {
  EXPECT_THAT(words("  a \t b\nc  "), ElementsAre("a", "b", "c"));
  EXPECT_THAT(words(""), IsEmpty());
  EXPECT_THAT(words(" \t\n"), IsEmpty());
}

TEST(Words, QuotesKeepBlanks_AndMayBeEmpty_AndJoin) {
  EXPECT_THAT(words(R"('a b' "c d" '' "" e'f'"g")"), ElementsAre("a b", "c d", "", "", "efg"));
}

TEST(Words, BackslashQuotesTheNextLetter) {
  EXPECT_THAT(words(R"(a\ b \\ \' \")"), ElementsAre("a b", "\\", "'", "\""));
  EXPECT_THAT(words("a\\\nb"), ElementsAre("ab"));
}

TEST(Words, InDoubleQuotes_BackslashQuotesOnlyWhatItQuotesInAShell) {
  EXPECT_THAT(words(R"("a\"b" "\\" "\$x" "\`" "\n" "a'b")"), ElementsAre("a\"b", "\\", "$x", "`", "\\n", "a'b"));
  EXPECT_THAT(words("\"a\\\nb\""), ElementsAre("ab"));
}

TEST(Words, NothingElseCounts) {
  EXPECT_THAT(words("$HOME ~ *.txt a;b |c # d `e` >f & {1,2}"),
              ElementsAre("$HOME", "~", "*.txt", "a;b", "|c", "#", "d", "`e`", ">f", "&", "{1,2}"));
}

TEST(Words, AsTheyAreWritten_KeepTheirQuotes) {
  EXPECT_THAT(split_written_words("  'a b'\t$HOME/\"x y\" \\  z").value(), ElementsAre("'a b'", "$HOME/\"x y\"", "\\ ", "z"));
  EXPECT_THAT(split_written_words(" ").value(), ElementsAre());
  EXPECT_EQ(split_written_words("ab 'cd").error().position, 3U);
}

RC_GTEST_PROP(WordsProperty, AsTheyAreWritten_AreReadAsTheLineIs, ()) {
  const auto line = *rc::gen::container<std::string>(rc::gen::elementOf(std::string{"ab$* \t'\"\\"}));
  const auto read = split_words(line);
  const auto written = split_written_words(line);
  RC_ASSERT(read.has_value() == written.has_value());
  if (!read) return;
  RC_ASSERT(read->size() == written->size());
  for (std::size_t i = 0; i < read->size(); ++i) RC_ASSERT(split_words((*written)[i]).value() == std::vector{(*read)[i]});
}

TEST(Words, AnOpenQuoteIsAnErrorAtItsPlace) {
  EXPECT_EQ(split_words("ab 'cd").error().position, 3U);
  EXPECT_EQ(split_words("\"cd\\\"").error().position, 0U);
  EXPECT_EQ(split_words("ab\\").error().position, 2U);
  EXPECT_NE(split_words("ab\\").error().what.find("backslash"), std::string::npos);
}

TEST(Words, QuoteLeavesPlainWordsAlone) {
  EXPECT_EQ(quote("run-1.sh"), "run-1.sh");
  EXPECT_EQ(quote(""), "''");
  EXPECT_EQ(quote("it's"), R"('it'\''s')");
}

RC_GTEST_PROP(Words, QuotedWordsComeBackByteForByte, (const std::vector<std::string>& originals)) {
  std::string line;
  for (const auto& word : originals) {
    line += quote(word) + ' ';
  }
  const auto split = split_words(line);
  RC_ASSERT(split.has_value());
  RC_ASSERT(*split == originals);
}

RC_GTEST_PROP(Words, AnyBytesSplitOrFailInsideTheLine, (const std::string& line)) {
  const auto split = split_words(line);
  if (!split) {
    RC_ASSERT(split.error().position < line.size());
  }
}

/// Letters that mean nothing to a shell beyond quoting, so that a shell can be the judge.
TEST(Words, AShellAgrees) {
  for (const std::string line :
       {R"(a 'b c' "d\e" \f)", R"("\\\"'" '"\' x)", R"(''a""b\ c)", R"('é'\é"\é")", "a\\\nb c", "\"x\\\ny\" '\\\n'"}) {
    EXPECT_EQ(words(line), words_of_the_shell(line)) << line;
  }
}

}  // namespace
}  // namespace gleaner::text
