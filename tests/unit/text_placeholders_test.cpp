#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "lib/text/placeholders.hpp"
#include "lib/text/shell_text.hpp"
#include "lib/text/words.hpp"

/// The places of words in a command, and what a shell reads in a parameter.
namespace gleaner::text {
namespace {

using ::testing::HasSubstr;

/// The command with each place as `<word>`, and `"` where it is within double quotes.
std::string places(std::string_view command, const std::vector<std::string>& names = {}) {
  return with_places_filled(command, find_placeholders(command, names),
                            [](const Placeholder& place) { return fmt::format("<{}{}>", place.word, place.in_double_quotes ? "\"" : ""); });
}

TEST(Placeholders, AreBracesWithANumber_OrWithNothing) {
  EXPECT_EQ(places("cp {1} {2} {10} {}"), "cp <1> <2> <10> <0>");
  EXPECT_EQ(places("{1}"), "<1>");
  for (const auto* none : {"{0}", "{01}", "{-1}", "{1000}", "{1,2}", "{1..3}", "{ }", "{HOME}", "{", "}{", "{1", "${1}", "$HOME ${#}"})
    EXPECT_EQ(places(none), none);
}

TEST(Placeholders, WithinSingleQuotes_AreNone_AndWithinDoubleQuotesTheyAre) {
  EXPECT_EQ(places("a '{1}' \"{1} '{2}'\" {3}"), "a '{1}' \"<1\"> '<2\">'\" <3>");
  EXPECT_EQ(places("awk '{print $1} {}' {1}"), "awk '{print $1} {}' <1>");
  EXPECT_EQ(places("it\\'s {1}"), "it\\'s <1>");
}

TEST(Placeholders, InASubstitution_AreOutsideOfTheQuotesAroundIt) {
  EXPECT_EQ(places(R"s("$(cat {1} "{2}")" "{3}")s"), R"s("$(cat <1> "<2">")" "<3">")s");
  EXPECT_EQ(places(R"("`cat {1}`{2}")"), R"("`cat <1>`<2">")");
  EXPECT_EQ(places(R"s((cd {1}; "{2})"))s"), R"s((cd <1>; "<2">)"))s");
}

TEST(Placeholders, AfterABackslash_StandForThemselves) {
  EXPECT_EQ(places(R"(find . -exec rm \{} \; {1})"), R"(find . -exec rm {} \; <1>)");
  EXPECT_EQ(places(R"("\{1}" \{2} \\{3} \{x})"), R"("{1}" {2} \\<3> \{x})");
}

TEST(Placeholders, OfNames_AreNumbered) {
  const std::vector<std::string> names{"mesh", "cells"};
  EXPECT_EQ(places("run {cells} {mesh} {other}", names), "run <2> <1> {other}");
  EXPECT_EQ(with_numbered_places("run {cells} {2} {} \\{mesh} \\{1} \\{} '{mesh}'", names), "run {2} {2} {} {mesh} \\{1} \\{} '{mesh}'");
}

TEST(Placeholders, OfALongCommandWithoutOne_AreFoundInTime) {
  const std::string braces(64 * 1024, '{');
  EXPECT_TRUE(find_placeholders(braces).empty());
}

RC_GTEST_PROP(PlaceholdersProperty, OfAnyCommand_AreInItsOrder_AndReplacedByThemselves_GiveItBack, ()) {
  const auto command = *rc::gen::container<std::string>(rc::gen::elementOf(std::string{"a {}12$'\"\\`()"}));
  const auto found = find_placeholders(command);
  std::string again;
  std::size_t begin = 0;
  for (const auto& place : found) {
    RC_ASSERT(place.begin >= begin);
    RC_ASSERT(place.end <= command.size());
    RC_ASSERT(command[place.end - 1] == '}');
    again += command.substr(begin, place.end - begin);
    begin = place.end;
  }
  RC_ASSERT(again + command.substr(begin) == command);
  RC_ASSERT(with_numbered_places(command, {}) == command);
}

TEST(ShellText, ABackslashThatWasForOarsubsShell_IsGone_OneLevelOfIt) {
  EXPECT_EQ(without_oarsub_backslashes(R"(cd \$HOME && awk '{print \$1}' "\${A}")"), R"(cd $HOME && awk '{print $1}' "${A}")");
  EXPECT_EQ(without_oarsub_backslashes(R"(echo \\\$5 \\\\\$6)"), R"(echo \$5 \\$6)");
  EXPECT_EQ(without_oarsub_backslashes(R"(echo \\$HOME \\ \n \" $A \)"), R"(echo \\$HOME \\ \n \" $A \)") << "no other backslash";
  EXPECT_EQ(first_oarsub_dollar(R"(a $B \\$C \$HOME/x \$D)"), R"(\$HOME)");
  EXPECT_EQ(first_oarsub_dollar(R"(a \\\$ b)"), R"(\\\$)");
  EXPECT_EQ(first_oarsub_dollar(R"(a $B \\$C \)"), "");
}

std::string would(std::string_view line) { return shell_would(line).value_or("-"); }

TEST(ShellText, WhatAShellWouldReplace_IsNamed) {
  EXPECT_EQ(would("1 $HOME/x"), "replace $HOME by the value of that variable");
  EXPECT_EQ(would("\"${OAR_JOB_ID}\""), "replace ${OAR_JOB_ID} by the value of that variable");
  EXPECT_EQ(would("$1"), "replace $1 by the value of that variable");
  EXPECT_EQ(would("a $(date) b"), "replace $(date) by what this command writes");
  EXPECT_EQ(would("~/data x"), "replace the ~ of ~/data by a home");
  EXPECT_EQ(would("1 src/*.c"), "replace src/*.c by the names of the files that it matches");
  EXPECT_EQ(would("a [bc] d"), "replace [bc] by the names of the files that it matches");
  EXPECT_EQ(would("{1,2}"), "write {1,2} out as several words");
  EXPECT_EQ(would("a; b"), "end the command there, and begin another one");
  EXPECT_EQ(would("a >b"), "read or write a file at >b");
  EXPECT_EQ(would("1 #a"), "skip #a as a comment");
  EXPECT_THAT(would("$" + std::string(200, 'x')), HasSubstr("replace $xxx"));
  EXPECT_LT(would("$" + std::string(200, 'x')).size(), 100U);
}

TEST(ShellText, WhatBothReadAlike_IsNoDifference) {
  for (const auto* same :
       {"1 2", "'$HOME *.c'", "\\$HOME \\*", "\"a*b ~ ; #\"", "a~ b#c 5$ $", "'it'\\''s' \"\\$x\"", "a=b {x} {} [ a", ""})
    EXPECT_EQ(would(same), "-") << same;
}

}  // namespace
}  // namespace gleaner::text
