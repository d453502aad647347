#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include <fmt/format.h>

#include "lib/jdl/parse.hpp"
#include "lib/jdl/tree.hpp"

namespace gleaner::jdl {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const KnownClusters kKnown{.enabled = {"alpha", "beta"}, .disabled = {"gamma"}};

/// The lines that a user reads.
std::vector<std::string> errors(std::string_view text, const KnownClusters* known = nullptr) {
  const auto campaign = parse(text, {}, known);
  std::vector<std::string> lines;
  if (campaign) return lines;
  for (const auto& problem : campaign.error()) {
    auto line = render(std::span{&problem, 1}, "c");
    line.pop_back();
    lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<std::string> errors_on_alpha(std::string_view top) {
  return errors(fmt::format("{{\"name\": \"n\", \"exec_file\": \"a\", \"clusters\": {{\"alpha\": {{}}}},\n{}}}", top));
}

TEST(JdlErrors, EveryProblem_IsReportedAtOnce_WithItsPlace) {
  EXPECT_THAT(errors(R"({
  "name": "",
  "nb_jobs": 0,
  "waltime": "1:00:00",
  "clusters": {
    "alpha": {
      "walltime": "1:99:00",
      "exec_file": "run"
    },
    "betta": {},
    "gamma": {"exec_file": "run"}
  }
})",
                     &kKnown),
              ElementsAre("c:2:11: name: it is empty; write a name to know the campaign by",
                          "c:4:3: waltime: there is no key 'waltime' (did you mean 'walltime'?)",
                          "c:7:19: clusters.alpha.walltime: '1:99:00' is not a walltime; write h:m:s, e.g. 1:30:00",
                          "c:11:5: clusters.gamma: the cluster 'gamma' is disabled: leave it out, or ask the administrator"));
}

TEST(JdlErrors, TextThatAShellOfTheClusterWouldRead_IsReportedWithItsPlace) {
  EXPECT_THAT(
      errors(R"j({"name": "n", "exec_file": "$(these) `are` \"the task's\"", "clusters": {"alpha": {
  "project": "$(cmd)",
  "exec_directory": "/tmp/`id`",
  "cluster_job_type": "devel,\\",
  "properties": "mem > 1) OR (1 = 1",
  "resources": "{$x = 1}/core=1"
}, "beta": {"resources": "{$x = 1}/core=p1"}}})j"),
      ElementsAre(
          "c:2:14: clusters.alpha.project: '$(cmd)' is not a project: $ at character 1 cannot be in it; write letters, digits, blanks and _ . : @ / + , = % -, a letter, a digit or _ first",
          "c:3:21: clusters.alpha.exec_directory: '/tmp/`id`' is not a folder for tasks: ` at character 6 cannot be in it; write a path without quotes and backslashes, such as $HOME/results or /scratch/$USER",
          "c:4:23: clusters.alpha.cluster_job_type: '\\' is not a type of jobs: \\ at character 1 cannot be in it; write letters, digits, blanks and _ . : @ / + , * = % -, as in devel, inner=12 or token:licence=2",
          "c:5:17: clusters.alpha.properties: 'mem > 1) OR (1 = 1' is not a condition on resources: ')' is found where AND, OR or the end is expected, at character 8; write a condition such as mem >= 8 AND host LIKE 'node-1%'",
          "c:6:16: clusters.alpha.resources: '{$x = 1}/core=1' is not a resource request: in its braces: $ cannot be in it, at character 1; write a condition such as mem >= 8 AND host LIKE 'node-1%'",
          HasSubstr("c:7:26: clusters.beta.resources: '{$x = 1}/core=p1' is not a resource request: in its braces: $ cannot be in it")));
}

TEST(JdlErrors, BracketsInBrackets_AreReported_HoweverManyTheyAre) {
  const std::string open(200'000, '[');
  const auto whole = open + std::string(200'000, ']');
  EXPECT_THAT(errors(open), ElementsAre(HasSubstr("nested too deeply")));
  EXPECT_THAT(errors("{\"name\": " + whole + "}"), ElementsAre(HasSubstr("nested too deeply")));
  EXPECT_THAT(errors("{\"params\": [" + whole + "]}"), ElementsAre(HasSubstr("nested too deeply")));
  EXPECT_FALSE(from_json("{\"name\": " + whole + "}"));
  EXPECT_FALSE(parse_ndjson(open));
  EXPECT_FALSE(parse_ndjson(whole));
}

TEST(JdlErrors, TooMuchOfAnything_EndsTheReading_AndIsReported) {
  const auto repeated = [](std::string_view part, std::size_t times) {
    std::string text;
    for (std::size_t i = 0; i < times; ++i) text += part;
    return text;
  };
  EXPECT_THAT(errors("{\"params\": [" + repeated("1,", kMostValues) + "1]}"),
              ElementsAre(HasSubstr("there are more than 250000 values in this file: put the parameters into a file of their own")));
  EXPECT_THAT(errors("{" + repeated("\"k\": 1,", kMostKeys) + "\"k\": 1}"),
              ElementsAre(HasSubstr("there are more than 5000 keys in this object")));
  EXPECT_THAT(errors("{\"" + std::string(kLongestKey + 1, 'k') + "\": 1}"), ElementsAre(HasSubstr("this key is longer than 1000 bytes")));
  std::string sections;
  for (std::size_t i = 0; i < kMostKeys + 10; ++i) sections += fmt::format("c{} {{ }}\n", i);
  EXPECT_THAT(errors(sections), ElementsAre(HasSubstr("there are more than 5000 sections in this file")));
  EXPECT_THAT(errors("{\"name\": \"n\", \"clusters\": {\"alpha\": {\"exec_file\": \"" + std::string(70'000, 'x') + "\"}}}"),
              ElementsAre(HasSubstr("it is longer than 64 kB: put it into a script on the cluster")));
  EXPECT_THAT(errors_on_alpha("\"parameter_names\": [" + repeated("\"a\",", 100) + "\"a\"]"),
              ElementsAre(HasSubstr("there are 101 names; there may be 100")));
}

TEST(JdlErrors, OfVeryManyProblems_TheFirstThousandAreReported_AndTheirNumber) {
  std::string params;
  for (int i = 0; i < 20'000; ++i) params += "{},";
  const auto lines = errors_on_alpha("\"params\": [" + params + "1]");
  ASSERT_EQ(lines.size(), 1001U);
  EXPECT_THAT(lines.back(), HasSubstr("and 19000 more problems from here on"));
}

/// One byte, then characters of two.
std::string long_key(std::size_t bytes) {
  std::string key{"a"};
  while (key.size() + 2 <= bytes) key += "é";
  return key;
}

TEST(JdlErrors, ThePathOfAProblem_IsCutBetweenTwoCharacters_HoweverLongItsKeysAre) {
  const auto key = long_key(kLongestKey);
  std::string open;
  for (int i = 0; i < 14; ++i) open += fmt::format("\"{}\": {{", key);
  std::string members;
  for (int i = 0; i < 4'000; ++i) members += "\"ab\": 1,";
  const auto campaign = parse("{" + open + members + "\"ab\": 1" + std::string(15, '}'), {.doubts = Doubts::refused});
  ASSERT_FALSE(campaign);
  std::map<std::string, int> paths;
  for (const auto& problem : campaign.error()) ++paths[problem.path];
  EXPECT_GT(paths[long_key(300) + "…"], 900);
  for (const auto& [path, count] : paths) EXPECT_LT(path.size(), 310U);
}

TEST(JdlErrors, MoreAttemptsThanTheGridAllows_AreRefused_WithTheBound) {
  const auto lines = [](std::string_view attempts, std::optional<int> bound) {
    const auto campaign =
        parse(fmt::format("{{\"name\": \"n\", \"exec_file\": \"a\", \"clusters\": {{\"alpha\": {{}}}},\n\"max_attempts\": {}}}", attempts),
              {.most_attempts = bound});
    return campaign ? std::string{"right"} : render(campaign.error(), "c");
  };
  EXPECT_EQ(lines("51", 50), "c:2:17: max_attempts: '51' is more than this grid allows; write 50 at most, or leave it out\n");
  EXPECT_EQ(lines("50", 50), "right");
  EXPECT_EQ(lines("51", std::nullopt), "right") << "the bound is not known to gridsub";
  EXPECT_EQ(lines("0", 50), "c:2:17: max_attempts: '0' is too small; write a whole number from 1 to 100000\n");
  EXPECT_EQ(lines("\"many\"", 50), "c:2:17: max_attempts: 'many' is not a whole number; write a whole number from 1 to 100000\n");
  EXPECT_THAT(errors(R"({"name": "n", "exec_file": "a", "clusters": {"alpha": {"max_attempts": 3}}})"),
              ElementsAre("c:1:56: clusters.alpha.max_attempts: there is no key 'max_attempts' of a cluster: it belongs on the top level"));
}

TEST(JdlErrors, MaxFails_IsANumberOfTasksOrAPartOfThem) {
  const auto read = [](std::string_view value) {
    const auto campaign =
        parse(fmt::format("{{\"name\": \"n\", \"exec_file\": \"a\", \"clusters\": {{\"alpha\": {{}}}},\n\"max_fails\": {}}}", value));
    return campaign ? fmt::format("{}", campaign->scheduling.max_fails.value()) : render(campaign.error(), "c");
  };
  EXPECT_EQ(read("50"), "50");
  EXPECT_EQ(read("\"50\""), "50");
  EXPECT_EQ(read("0"), "0");
  EXPECT_EQ(read("1"), "1");
  EXPECT_EQ(read("\"10%\""), "0.1");
  EXPECT_EQ(read("\"12.5 %\""), "0.125");
  EXPECT_EQ(read("0.1"), "0.1");
  EXPECT_EQ(read("\"0.1\""), "0.1");
  constexpr std::string_view kRight{"write a number of tasks, such as 50, or a part of them, such as \"10%\" or 0.1\n"};
  const auto wrong = [&](std::string_view shown, std::string_view why) {
    return fmt::format("c:2:14: max_fails: '{}' {}; {}", shown, why, kRight);
  };
  EXPECT_EQ(read("\"many\""), wrong("many", "is no number"));
  EXPECT_EQ(read("\"\""), wrong("", "is no number"));
  EXPECT_EQ(read("true"), wrong("true", "is no number"));
  EXPECT_EQ(read("[5]"), wrong("[ … ]", "is no number"));
  EXPECT_EQ(read("-1"), wrong("-1", "is negative"));
  EXPECT_EQ(read("2.5"), wrong("2.5", "is no number of tasks"));
  EXPECT_EQ(read("\"100%\""), wrong("100%", "is no limit: no more tasks than all can fail"));
  EXPECT_EQ(read("1e300"), wrong("1e300", "is no number of tasks"));
}

TEST(JdlErrors, AnUnknownCluster_FarFromAllNames_GetsTheList) {
  EXPECT_THAT(errors(R"({"name": "n", "exec_file": "a", "clusters": {"somewhere": {}}})", &kKnown),
              ElementsAre("c:1:46: clusters.somewhere: there is no cluster 'somewhere'; the clusters are alpha, beta"));
}

TEST(JdlErrors, KeysThatEveryCampaignNeeds_AreAskedFor) {
  EXPECT_THAT(errors("\n {}"),
              ElementsAre("c:2:2: name: it is missing: every campaign has a name; write \"name\": \"…\"",
                          "c:2:2: clusters: it is missing: every campaign names its clusters; write \"clusters\": { \"CLUSTER\": { } }"));
  EXPECT_THAT(errors(R"({"name": "n", "clusters": {}})"),
              ElementsAre("c:1:27: clusters: it is empty: a campaign has at least one cluster"));
  EXPECT_THAT(errors(R"({"name": "n", "clusters": ["alpha"]})"), ElementsAre(HasSubstr("clusters: it is an array; write an object")));
  EXPECT_THAT(errors(R"({"name": "n", "clusters": {"alpha": "x"}})"),
              ElementsAre(HasSubstr("clusters.alpha: it is a string; write an object")));
}

TEST(JdlErrors, TwoSourcesOfParameters_AreNamedBoth) {
  EXPECT_THAT(errors_on_alpha(R"("nb_jobs": 3, "Param_File": "x")"),
              ElementsAre("c:2:15: Param_File: 'nb_jobs' and 'Param_File' both say the parameters: keep one of them"));
}

TEST(JdlErrors, UnbuiltFields_AreRefusedByName) {
  EXPECT_THAT(errors_on_alpha(R"("max_duration": "9", "desktop_computing": "true")"),
              ElementsAre("c:2:1: max_duration: 'max_duration' is not supported by this version",
                          "c:2:22: desktop_computing: 'desktop_computing' is not supported by this version"));
  EXPECT_THAT(errors_on_alpha(R"("jobs_type": "desktop_computing")"),
              ElementsAre("c:2:14: jobs_type: 'desktop_computing' is not supported by this version; write normal, or leave it out"));
  EXPECT_THAT(errors_on_alpha(R"("type": "nightly")"), ElementsAre(HasSubstr("'nightly' is not supported by this version")));
}

TEST(JdlErrors, Grouping_IsTheCampaigns_AndOneOfThreeWords) {
  EXPECT_THAT(
      errors_on_alpha(R"("temporal_grouping": "yes")"),
      ElementsAre("c:2:22: temporal_grouping: 'yes' is not right here; write true: short tasks share jobs, false, or auto: once they "
                  "are known to be short"));
  EXPECT_THAT(errors_on_alpha(R"("dimensional_grouping": "yes", "resources": "/nodes=1")"),
              ElementsAre("c:2:25: dimensional_grouping: 'yes' is neither true nor false; true: a job carries out as many tasks at a time "
                          "as it has cores"));
  EXPECT_THAT(errors_on_alpha(R"("dimensional_grouping": true, "temporal_grouping": false, "resources": "/nodes=1")"),
              ElementsAre(HasSubstr("tasks run side by side in jobs that take several: write \"temporal_grouping\": true, too")));
  for (const auto& [resources, why] :
       {std::pair{"/core=1", "the cores of '/core=1' may be on several nodes"},
        std::pair{"/core=8", "the cores of '/core=8' may be on several nodes"},
        std::pair{"/nodes=1/core=1", "has room for one task at a time"},
        std::pair{"/nodes=2/core=4", "'/nodes=2/core=4' may be several nodes"},
        std::pair{"/switch=2/nodes=1/core=4", "may be several nodes"}, std::pair{"/nodes=ALL", "'/nodes=ALL' may be several nodes"},
        std::pair{"/nodes=1+/nodes=1", "may be several nodes"}})
    EXPECT_THAT(errors_on_alpha(fmt::format(R"("dimensional_grouping": true, "resources": "{}")", resources)),
                ElementsAre(AllOf(HasSubstr("c:2:25: dimensional_grouping: on alpha, "), HasSubstr(why), HasSubstr("/nodes=1/core=8"))));
  EXPECT_THAT(errors_on_alpha(R"("temporal_grouping": [true])"), ElementsAre(HasSubstr("temporal_grouping: ")));
}

TEST(JdlErrors, UnknownValues_GetTheClosestKnownOne) {
  EXPECT_THAT(errors_on_alpha(R"("type": "best-efort")"),
              ElementsAre("c:2:9: type: 'best-efort' is not a type of jobs; write best-effort or normal (did you mean 'best-effort'?)"));
  EXPECT_THAT(errors_on_alpha(R"("type": "test")"), ElementsAre(HasSubstr("a test campaign is declared by \"test_mode\": true")));
  EXPECT_THAT(errors_on_alpha(R"("jobs_type": "norml")"), ElementsAre(HasSubstr("did you mean 'normal'?")));
}

TEST(JdlErrors, AClustersKeyInAnotherCase_GetsItsSpelling) {
  EXPECT_THAT(errors(R"({"name": "n", "clusters": {"alpha": {"Exec_File": "a", "exec_file": "a"}}})"),
              ElementsAre("c:1:38: clusters.alpha.Exec_File: there is no key 'Exec_File' (did you mean 'exec_file'?)"));
}

TEST(JdlErrors, ACampaignsKeyInACluster_IsSentToTheTopLevel) {
  EXPECT_THAT(errors(R"({"name": "n", "exec_file": "a", "clusters": {"alpha": {"nb_jobs": 3}}})"),
              ElementsAre(HasSubstr("there is no key 'nb_jobs' of a cluster: it belongs on the top level")));
}

TEST(JdlErrors, AWrongDefault_IsReportedOnce_NotForEachCluster) {
  EXPECT_EQ(errors(R"({"name": "n", "exec_file": 3, "walltime": "x", "clusters": {"alpha": {}, "beta": {}}})").size(), 2u);
}

TEST(JdlErrors, ANumberAsWalltime_IsAWholeNumberOfSeconds) {
  EXPECT_THAT(errors_on_alpha(R"("walltime": 0)"),
              ElementsAre("c:2:13: walltime: '0' is too small; write a whole number from 1 to 316224000"));
  EXPECT_THAT(errors_on_alpha(R"("max_walltime": 90.5)"), ElementsAre(HasSubstr("max_walltime: '90.5' is not a whole number")));
}

TEST(JdlErrors, AWalltimeInResources_IsCheckedAsOneOfItsOwn) {
  EXPECT_THAT(errors_on_alpha(R"("resources": "/core=1,walltime=1:99:00")"),
              ElementsAre("c:2:14: resources: '1:99:00' is not a walltime; write h:m:s, e.g. 1:30:00"));
  EXPECT_THAT(errors_on_alpha(R"("walltime": 3600, "resources": "/core=1,walltime=1:99:00")"),
              ElementsAre(HasSubstr("resources: '1:99:00' is not a walltime")));
}

TEST(JdlErrors, WrongResources_SayWhat) {
  EXPECT_THAT(errors_on_alpha(R"("resources": "/nodes")"), ElementsAre(HasSubstr("resources: '/nodes' is not a resource request: ")));
  EXPECT_THAT(errors_on_alpha(R"("resources": "/core=1,2")"), ElementsAre(HasSubstr("write the walltime as")));
}

TEST(JdlErrors, WrongTypesOfValues_AreReported) {
  EXPECT_THAT(errors_on_alpha(R"("project": 3)"), ElementsAre("c:2:12: project: '3' is a number, not a string; write \"3\""));
  EXPECT_THAT(errors_on_alpha(R"("project": null)"), ElementsAre(HasSubstr("'null' is null, not a string; leave it out")));
  EXPECT_THAT(errors_on_alpha(R"("max_jobs": 1.5)"), ElementsAre(HasSubstr("'1.5' is not a whole number")));
  EXPECT_THAT(errors_on_alpha(R"("max_jobs": [])"), ElementsAre(HasSubstr("'[]' is not a number")));
  EXPECT_THAT(errors_on_alpha(R"("max_jobs": -1)"), ElementsAre(HasSubstr("'-1' is too small")));
  EXPECT_THAT(errors_on_alpha(R"("nb_jobs": -1)"), ElementsAre(HasSubstr("'-1' is too small")));
  EXPECT_THAT(errors_on_alpha(R"("nb_jobs": 99999999999999999999999)"), ElementsAre(HasSubstr("is too large")));
  EXPECT_THAT(errors_on_alpha(R"("test_mode": "yes")"), ElementsAre("c:2:14: test_mode: 'yes' is neither true nor false"));
  EXPECT_THAT(errors_on_alpha(R"("exec_directory": "a\nb")"), ElementsAre(HasSubstr("has a line end or another control character")));
  EXPECT_THAT(errors_on_alpha(R"("project": "a\u0000b")"), ElementsAre(HasSubstr("control character")));
  EXPECT_THAT(errors_on_alpha(R"("cluster_job_type": "devel,,x")"), ElementsAre(HasSubstr("has an empty part")));
  EXPECT_THAT(errors_on_alpha(R"("cluster_job_type": "besteffort")"), ElementsAre(HasSubstr("does not belong here")));
  EXPECT_THAT(errors_on_alpha(R"("cluster_job_type": ["devel", ""])"), ElementsAre(HasSubstr("has an empty part")));
  EXPECT_THAT(errors_on_alpha(R"("cluster_job_type": ["a;b"])"), ElementsAre(HasSubstr("; at character 2 cannot be in it")));
  EXPECT_THAT(errors_on_alpha(R"("cluster_job_type": [7])"), ElementsAre(HasSubstr("'7' is a number, not a string")));
}

TEST(JdlErrors, WrongParams_AreReportedOneByOne) {
  EXPECT_THAT(
      errors_on_alpha("\"params\": [\"a 'b\", true, \"ok\",\n [\"x\", null], \"c\\u0000\"]"),
      ElementsAre(HasSubstr("c:2:12: params[0]: this single quote is never closed"),
                  HasSubstr("c:2:20: params[1]: 'true' is not a parameter"), HasSubstr("c:3:8: params[3]: 'null' is null, not an argument"),
                  HasSubstr("c:3:15: params[4]: there is a NUL byte")));
  EXPECT_THAT(errors_on_alpha(R"("params": "1 2")"), ElementsAre(HasSubstr("it is a string; write an array")));
  EXPECT_THAT(errors_on_alpha(R"("params": [])"), ElementsAre(HasSubstr("at least one task")));
}

TEST(JdlErrors, ATestOnSomeClustersOnly_IsRefused) {
  EXPECT_THAT(errors(R"({"name": "n", "exec_file": "a", "clusters": {"alpha": {"test_mode": true}, "beta": {}}})"),
              ElementsAre(HasSubstr("clusters.beta.test_mode: a campaign is a test on all its clusters or on none")));
}

TEST(JdlErrors, ColumnsCountCharacters_NotBytes) {
  EXPECT_THAT(errors(R"({"name": "été 😀", "exec_file": "a", "clusters": {"alpha": {}}, "weight": 1})"),
              ElementsAre(testing::StartsWith("c:1:64: weight: ")));
}

TEST(JdlErrors, VeryManyProblems_AreCutShort) {
  std::string params = "\"params\": [null";
  for (int i = 0; i < 3000; ++i) params += ", null";
  const auto lines = errors_on_alpha(params + "]");
  ASSERT_EQ(lines.size(), 1001u);
  EXPECT_THAT(lines.back(), HasSubstr("and 2001 more problems from here on"));
}

TEST(JdlErrors, ManyCommentsThatAreNeverClosed_AreReadOnce) {
  std::string text{"{"};
  for (int i = 0; i < 1'000'000; ++i) text += " /*";
  EXPECT_THAT(errors(text), ElementsAre("c:1:3: this comment is never closed: write */ at its end"));
}

TEST(JdlErrors, TheApiGetsThemAsJson) {
  const std::vector<Problem> problems{{{7, 15}, "clusters.alpha.walltime", "1:99:00", "'1:99:00' is not a walltime"}};
  EXPECT_EQ(to_json(problems),
            R"([{"line":7,"column":15,"path":"clusters.alpha.walltime","value":"1:99:00","message":"'1:99:00' is not a walltime"}])");
  EXPECT_EQ(to_json(std::span<const Problem>{}), "[]");
}

TEST(JdlErrors, AnExcerpt_IsShort_AndPrintable) {
  EXPECT_EQ(excerpt("a\x01"
                    "b\xff"
                    "é"),
            "a\\x01b\\xffé");
  EXPECT_EQ(excerpt(std::string(100, 'x')), std::string(60, 'x') + "…");
}

struct Mistake {
  std::string name;
  std::string text;
  std::string told;
};
class JsonSyntax : public testing::TestWithParam<Mistake> {};
TEST_P(JsonSyntax, IsExplained) { EXPECT_THAT(errors(GetParam().text), ElementsAre("c:" + GetParam().told)); }

INSTANTIATE_TEST_SUITE_P(
    Mistakes, JsonSyntax,
    testing::Values(
        Mistake{"TrailingComma", "{\"name\": \"n\",\n}", "1:13: there is nothing between this comma and the '}': take the comma out"},
        Mistake{"TrailingCommaInArray", "{\"params\": [1, 2, ]}",
                "1:17: there is nothing between this comma and the ']': take the comma out"},
        Mistake{"TwoCommas", "{\"a\": 1,, \"b\": 2}", "1:9: there is nothing between this comma and the one before: take it out"},
        Mistake{"MissingComma", "{\"name\": \"n\"\n \"x\": 1}", "2:2: a ',' or '}' is missing before this"},
        Mistake{"MissingCommaInArray", "{\"params\": [\"a\" \"b\"]}", "1:17: a ',' or ']' is missing before this"},
        Mistake{"MissingColon", "{\"name\" \"n\"}", "1:9: a ':' is missing before this"},
        Mistake{"EqualsSign", "{\"name\" = \"n\"}", "1:9: in JSON a key and its value are separated by ':'"},
        Mistake{"Semicolon", "{\"name\": \"n\"; }", "1:13: in JSON members are separated by ',', not ';'"},
        Mistake{"MissingQuote", "{\"name\": \"n,\n \"x\": 1}",
                "1:10: this string has no closing '\"' on its line (a line end in a string is written \\n)"},
        Mistake{"MissingQuoteAtTheEnd", "{\"name\": \"n}",
                "1:10: this string has no closing '\"' on its line (a line end in a string is written \\n)"},
        Mistake{"Tab", "{\"name\": \"a\tb\"}", "1:12: a control character in a string is written \\u0009 or \\t"},
        Mistake{"BadEscape", "{\"name\": \"a\\qb\"}", "1:12: '\\q' is not an escape of JSON; a backslash itself is written \\\\"},
        Mistake{"SingleQuotes", "{'name': 1}", "1:2: JSON has its strings in double quotes: write \" instead of '"},
        Mistake{"UnquotedKey", "{name: 1}", "1:2: a key is written in double quotes: \"name\""},
        Mistake{"UnquotedValue", "{\"name\": essai}", "1:10: a text is written in double quotes: \"essai\""},
        Mistake{"UnquotedValueLikeALiteral", "{\"name\": nbody}", "1:10: a text is written in double quotes: \"nbody\""},
        Mistake{"PythonTrue", "{\"test_mode\": True}", "1:15: 'True' is written true in JSON"},
        Mistake{"PythonNone", "{\"x\": None}", "1:7: 'None' is written null in JSON"},
        Mistake{"MissingValue", "{\"name\": }", "1:10: a value is missing after the ':'"},
        Mistake{"UnclosedComment", "{\n \"a\": /* a comment\n}", "2:7: this comment is never closed: write */ at its end"},
        Mistake{"BehindAComment", "{ // \"a\n  \"name\" \"n\"}", "2:10: a ':' is missing before this"},
        Mistake{"BehindADollar", "{\"a\": \"\\$x\\$\" \"b\"}", "1:15: a ',' or '}' is missing before this"},
        Mistake{"UnclosedBrace", "{\n \"clusters\": {\n", "2:14: this '{' is never closed: the file ends before its '}'"},
        Mistake{"UnclosedBracket", "{\"params\": [1, 2", "1:12: this '[' is never closed: the file ends before its ']'"},
        Mistake{"SomethingBehind", "{} {}", "1:4: there is something behind the end of the campaign: one file, one { … }"},
        Mistake{"NotAnObject", "[1]", "1:1: a campaign is an object: { \"name\": …, \"clusters\": { … } }"},
        Mistake{"TooDeep", "{\"a\": " + std::string(100, '[') + "}", "1:22: values are nested too deeply here"},
        Mistake{"Walltime", "{\"walltime\": 1:30:00}", "1:15: ',' or '}' is expected before ':'"},
        Mistake{"Empty", " \n ", "1:1: it is empty; write a campaign: { \"name\": …, \"clusters\": { … } }"},
        Mistake{"NotUtf8", "{\"name\": \"\xE9t\"}", "1:11: the byte \\xe9 is not UTF-8: save the file as UTF-8"},
        Mistake{"Nul", std::string("{\n\0}", 4), "2:1: there is a NUL byte here: this is not a text file"}),
    [](const auto& mistake) { return mistake.param.name; });

}  // namespace
}  // namespace gleaner::jdl
