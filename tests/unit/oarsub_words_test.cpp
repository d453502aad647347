#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lib/grid/oarsub_words.hpp"
#include "lib/grid/resource_request.hpp"
#include "sim/minioar/command_line.hpp"

namespace gleaner::grid {
namespace {

using ::testing::HasSubstr;

/// The values that reach oarsub: the command line of OAR's API (oarapi.pl), read by the two shells that read it there. Their variables give
/// their own names, so that a folder too can be compared.
std::vector<std::string> through_the_api(const std::vector<std::string>& values) {
  std::string words;
  for (const auto& value : values) words += fmt::format(" \"--x={}\"", minioar::escape_before(value, "\""));
  const auto inner = fmt::format("bash --noprofile --norc -c \"printf '%s\\\\0' {}\"", minioar::escape_before(words, "\""));
  const auto command = "export HOME='$HOME' USER='$USER' LOGNAME='$LOGNAME'; " + minioar::escape_before(inner, "`$");
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe{::popen(command.c_str(), "r"), ::pclose};
  std::string output;
  std::array<char, 4096> buffer{};
  for (std::size_t got = 0; (got = std::fread(buffer.data(), 1, buffer.size(), pipe.get())) > 0;) output.append(buffer.data(), got);
  constexpr std::string_view kOption = "--x=";
  std::vector<std::string> read;
  for (std::size_t begin = 0, end = 0; (end = output.find('\0', begin)) != std::string::npos; begin = end + 1)
    read.push_back(output.substr(begin + kOption.size(), end - begin - kOption.size()));
  return read;
}

rc::Gen<std::string> text_of(std::vector<std::string> pieces) {
  return rc::gen::map(rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(std::move(pieces))),
                      [](const std::vector<std::string>& chosen) {
                        std::string text;
                        for (const auto& piece : chosen) text += piece;
                        return text;
                      });
}

/// Text that shells, SQL and Perl like to read, among harmless letters.
rc::Gen<std::string> hostile() {
  return text_of({"a", "B7", "_", ".", "/", "-", " ", "=", ",",   "$(id)", "$HOME", "$USER", "$x", "`id`", "\\", "\"", "'",  "!!", ";",
                  "&", "|",  "<", ">", "(", ")", "*", "?", "[a]", "{b,c}", "~",     "#",     "%",  "\t",   "é",  "€",  "--", "/*"});
}

/// A condition that is right, but for what may be in its quotes.
std::string a_condition(int depth) {
  const auto value = [] {
    switch (*rc::gen::inRange(0, 4)) {
      case 0: return fmt::format("{}", *rc::gen::inRange(-5, 1000));
      case 1: return "'" + *hostile() + "'";
      case 2: return "\"" + *text_of({"mem", "a b", "$x", "`", "\\", "é"}) + "\"";
      default: return std::string{"mem"};
    }
  };
  switch (depth == 0 ? 0 : *rc::gen::inRange(0, 5)) {
    case 0: return fmt::format("host {} {}", *rc::gen::element<std::string>("=", "<>", "!=", ">=", "LIKE", "not like", "<"), value());
    case 1: return fmt::format("{} IN ({}, {})", value(), value(), value());
    case 2: return fmt::format("NOT ({})", a_condition(depth - 1));
    case 3: return fmt::format("{} AND ({} OR mem BETWEEN 1 AND {})", a_condition(depth - 1), a_condition(depth - 1), value());
    default: return fmt::format("mem / 2 - -1 > {} or cpu IS NOT NULL", value());
  }
}

struct Field {
  const char* name;
  std::optional<std::string> (*wrong)(std::string_view);
  std::string (*generate)();
};
std::string with_a_letter_changed(std::string text) {
  if (!text.empty() && *rc::gen::inRange(0, 3) == 0)
    text.insert(*rc::gen::inRange<std::size_t>(0, text.size() + 1),
                *rc::gen::element<std::string>("$", "`", "\\", "\"", "'", ")", "(", ";", "-", "}", "x"));
  return text;
}
const std::array<Field, 3> kFields{
    Field{"project", wrong_project,
          [] {
            return with_a_letter_changed("p" + *text_of({"a", "B7", "_", ".", "/", "-", " ", "=", ",", "@", "%", ":"}));
          }},
    Field{"cluster_job_type", wrong_job_type,
          [] {
            return with_a_letter_changed("t" + *text_of({"a", "B7", "_", ".", "/", "-", " ", "=", ",", "*", "@", "%", ":"}));
          }},
    Field{"properties", wrong_properties, [] { return with_a_letter_changed(a_condition(2)); }}};

/// Many texts go through one shell, which costs as much as they all.
TEST(OarsubWords, WhatIsAccepted_ArrivesByteForByte) {
  for (const auto& field : kFields) {
    std::vector<std::string> accepted;
    std::size_t refused = 0;
    rc::check(field.name, [&] {
      for (int i = 0; i < 5; ++i) {
        auto text = field.generate();
        if (field.wrong(text)) ++refused;
        else accepted.push_back(std::move(text));
      }
    });
    EXPECT_GT(accepted.size(), 50U) << field.name;
    EXPECT_GT(refused, 20U) << field.name;
    EXPECT_EQ(through_the_api(accepted), accepted) << field.name;
  }
}

/// Whatever the bytes are: what holds one of them is refused, or arrives.
TEST(OarsubWords, EveryByte_IsRefusedOrArrives) {
  for (const auto& field : kFields) {
    std::vector<std::string> accepted;
    for (int byte = 1; byte < 256; ++byte) {
      const std::string one(1, static_cast<char>(byte));
      for (const auto& text : {"a" + one, "a" + one + "b", "host = '" + one + "'", "host = 1 " + one + " 2"}) {
        if (!field.wrong(text)) accepted.push_back(text);
      }
    }
    EXPECT_EQ(through_the_api(accepted), accepted) << field.name;
  }
}

TEST(OarsubWords, BracesOfAResourceRequest_AreConditions) {
  std::vector<std::string> accepted;
  rc::check("braces", [&] {
    for (int i = 0; i < 5; ++i) {
      auto text = "{" + with_a_letter_changed(a_condition(1)) + "}/nodes=1/core=2";
      if (ResourceRequest::parse(text)) accepted.push_back(std::move(text));
    }
  });
  EXPECT_GT(accepted.size(), 10U);
  EXPECT_EQ(through_the_api(accepted), accepted);
  EXPECT_THAT(ResourceRequest::parse("{$(id) > 8}/core=1").error(), HasSubstr("in its braces: $ cannot be in it"));
  EXPECT_FALSE(ResourceRequest::parse("{}/core=1"));
  EXPECT_FALSE(ResourceRequest::parse("/core=1\n/core=1"));
}

/// The two of the shells that made a normal job of a best-effort one.
TEST(OarsubWords, WhatAShellWouldRead_IsRefused_WithItsPlace) {
  EXPECT_EQ(*wrong_project("a$(id)"),
            "$ at character 2 cannot be in it; write letters, digits, blanks and _ . : @ / + , = % -, a letter, a digit or _ first");
  EXPECT_THAT(*wrong_project("swallow\\"), HasSubstr("\\ at character 8"));
  EXPECT_THAT(*wrong_project("it's"), HasSubstr("' at character 3"));
  EXPECT_THAT(*wrong_project("--type=normal"), HasSubstr("- at character 1"));
  EXPECT_THAT(*wrong_job_type("x\""), HasSubstr("\" at character 2"));
  EXPECT_THAT(*wrong_directory("/é`id`"), HasSubstr("` at character 3"));
  EXPECT_THAT(*wrong_directory("$HOME/$(id)"), HasSubstr("$ at character 7 begins none of $HOME, $USER and $LOGNAME"));
  EXPECT_THAT(*wrong_directory("/a\nb"), HasSubstr("\\x0a at character 3"));
  for (const std::string folder : {"$HOMER", "$HOME_", "${HOME", "${x:=y}", "$", "$$", "/a'", "/a\""})
    EXPECT_TRUE(wrong_directory(folder)) << folder;
  for (const std::string folder : {"$HOME", "${HOME}x/{CAMPAIGN_ID}", "~/a b;c", "/scratch/$USER/$LOGNAME.d", "/é/€", "{HOME}/x"})
    EXPECT_FALSE(wrong_directory(folder)) << folder;
  for (const std::string folder : {"results", "./x", "$USER/x", "~ada/x", "{CAMPAIGN_ID}", "-", ""})
    EXPECT_EQ(wrong_exec_directory(folder), "it is relative; begin it with /, ~/ or $HOME, as in $HOME/results or /scratch/$USER")
        << folder;
  EXPECT_THAT(*wrong_exec_directory("results/`id`"), HasSubstr("` at character 9"));
  for (const std::string folder : {"/", "~", "~/x", "$HOME", "${HOME}x", "{HOME}/x", "/a b; & | < > ( ) * ? [x] ~ # !", "/-"})
    EXPECT_FALSE(wrong_exec_directory(folder)) << folder;
  for (const std::string type : {"devel", "token:licence=2", "timesharing=*", "postpone=2030-01-31 08:00:00"})
    EXPECT_FALSE(wrong_job_type(type)) << type;
}

TEST(OarsubWords, PropertiesAreAConditionAndNothingElse) {
  for (const std::string text :
       {"mem > 8", "host IN ('a','b') OR core < 99", "NOT (mem < 4)", "mem BETWEEN 1 AND 99 and cpu is not null", "mem/2 > 4.5",
        "cluster = 'it''s'", "\"mem\" = 16", "host || 'x' = 'nx'", "true", "host LIKE '%[a-z]?!*;&|<>#'", "-1 < mem", "host='é'"})
    EXPECT_FALSE(wrong_properties(text)) << text << ": " << *wrong_properties(text);
  const std::array<std::pair<std::string, std::string>, 16> wrong{
      {{"mem > $x", "$ cannot be in it, at character 7"},
       {"host = '$x'", "$ cannot be in a quoted text, at character 9"},
       {"host = 'a\\'", "\\ cannot be in a quoted text, at character 10"},
       {"host = 'a", "this quote is never closed, at character 8"},
       {"1=1) OR (1=1", "')' is found where AND, OR or the end is expected, at character 4"},
       {"(mem > 1", "it ends where ) is expected, at character 9"},
       {"mem > 1 -- x", "SQL's comments cannot be in it, at character 9"},
       {"mem > 1 /* x */", "SQL's comments"},
       {"mem > 1; drop table jobs", "; cannot be in it, at character 8"},
       {"pg_sleep(100) = 1", "no function can be called, at character 9"},
       {"mem IN (select 1)", "'1' is found where , or ) is expected, at character 16"},
       {"mem >", "it ends where a property, a number or a text in single quotes is expected, at character 6"},
       {"mem >>> 1", "'>' is found where"},
       {"é > 1", "a letter that no name has stands at character 1"},
       {"mem = 1e5", "'1e5' is not a number, at character 7"},
       {"mem = 1 AND AND", "'AND' is found where"}}};
  for (const auto& [text, why] : wrong) {
    const auto found = wrong_properties(text);
    ASSERT_TRUE(found) << text;
    EXPECT_THAT(*found, HasSubstr(why)) << text;
    EXPECT_THAT(*found, HasSubstr("; write a condition such as mem >= 8 AND host LIKE 'node-1%'"));
  }
}

TEST(OarsubWords, ADeepOrLongCondition_IsRefused_WhateverItsDepth) {
  EXPECT_FALSE(wrong_properties(std::string(50, '(') + "1=1" + std::string(50, ')')));
  EXPECT_THAT(*wrong_properties(std::string(51, '(') + "1=1" + std::string(51, ')')), HasSubstr("more than 50 brackets"));
  EXPECT_THAT(*wrong_properties(std::string(200'000, '(')), HasSubstr("longer than 8000 bytes"));
  EXPECT_THAT(*wrong_directory("/" + std::string(5000, 'a')), HasSubstr("longer than 4095 bytes"));
  EXPECT_THAT(*wrong_project(std::string(81, 'a')), HasSubstr("longer than 80 bytes"));
}

/// Each job of such a type would hold its resources for its walltime, again and again.
TEST(OarsubWords, TypesOfJobsThatExecuteNothing_AreRefusedByName) {
  for (const auto* type : {"noop", "noop=1", " noop"}) {
    ASSERT_TRUE(wrong_job_type(type)) << type;
    EXPECT_THAT(*wrong_job_type(type), HasSubstr("OAR executes nothing of such a job")) << type;
    EXPECT_THAT(*wrong_job_type(type), HasSubstr("leave noop out")) << type;
  }
  EXPECT_THAT(wrong_job_type("desktop_computing").value_or(""), HasSubstr("agents on desktop computers fetch such a job"));
  for (const auto* type : {"deploy", "cosystem", "cosystem=front", "container", "inner=12", "placeholder=a", "allowed=a",
                           "timesharing=user", "idempotent", "noops"})
    EXPECT_FALSE(wrong_job_type(type)) << type;
}

}  // namespace
}  // namespace gleaner::grid
