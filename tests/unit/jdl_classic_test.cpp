#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <string>

#include "lib/jdl/parse.hpp"
#include "sim/combinations/jdl_values.hpp"

namespace gleaner::jdl {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

CampaignFile parsed(std::string_view text) {
  auto campaign = parse(text);
  if (!campaign) throw std::runtime_error{render(campaign.error(), "c")};
  return std::move(*campaign);
}

std::vector<std::string> errors(std::string_view text) {
  const auto campaign = parse(text);
  std::vector<std::string> lines;
  if (campaign) return lines;
  for (const auto& problem : campaign.error()) {
    auto line = render(std::span{&problem, 1}, "c");
    line.pop_back();
    lines.push_back(std::move(line));
  }
  return lines;
}

TEST(JdlClassic, TheSpecificationsForm_IsRead) {
  const auto campaign = parsed(R"(# a campaign
DEFAULT{
    name = essai3 ;
    paramFile = param.txt ;   # where they are
#   nbJobs = 10 ;
}
cluster1{
    execFile = /home/u/test.sh -x "a b" ;
    execDir  = ~/results ;
    walltime = 01:30:00 ;
    resources = {mem > 4}/nodes=2/cpu=1 ;
    priority = 2 ;
}
cluster-2.b { execFile = "prog \"x;y\" # \\ no comment" ; })");
  EXPECT_EQ(campaign.name, "essai3");
  EXPECT_EQ(std::get<ParamFile>(campaign.parameters).path, "param.txt");
  ASSERT_EQ(campaign.clusters.size(), 2u);
  const auto& first = campaign.clusters[0];
  EXPECT_EQ(first.name, "cluster1");
  EXPECT_EQ(first.place, (Position{7, 1}));
  EXPECT_EQ(first.exec_file, "/home/u/test.sh -x \"a b\"");
  EXPECT_EQ(first.exec_directory, "~/results");
  EXPECT_EQ(first.walltime, grid::Seconds{5400});
  EXPECT_EQ(first.resources.text(), "{mem > 4}/nodes=2/cpu=1");
  EXPECT_EQ(first.priority, 2);
  EXPECT_EQ(campaign.clusters[1].exec_file, "prog \"x;y\" # \\ no comment");
}

TEST(JdlClassic, SectionsMayComeInAnyOrder_OnOneLine) {
  const auto campaign = parsed("a { execFile = x ; walltime = 2 ; } DEFAULT { nbJobs = 3 ; name = n ; }");
  EXPECT_EQ(std::get<Count>(campaign.parameters).tasks, 3);
  EXPECT_EQ(campaign.clusters.at(0).walltime, grid::Seconds{7200});
}

TEST(JdlClassic, AClustersKeyInDefault_IsForAll) {
  const auto campaign = parsed("DEFAULT { name = n ; execFile = x ; type = normal ; }\na { }\nb { execFile = y ; }");
  EXPECT_EQ(campaign.clusters.at(0).exec_file, "x");
  EXPECT_EQ(campaign.clusters.at(0).kind, JobKind::normal);
  EXPECT_EQ(campaign.clusters.at(1).exec_file, "y");
}

TEST(JdlClassic, WindowsLineEnds_AreTolerated) {
  EXPECT_EQ(parsed("DEFAULT {\r\n name = n ;\r\n}\r\na {\r\n execFile = x ;\r\n}\r\n").clusters.at(0).exec_file, "x");
}

TEST(JdlClassic, ACarriageReturnAlone_IsAnErrorWithItsPlace_InEachForm) {
  EXPECT_THAT(errors("# mine\rDEFAULT { name = n ; nbJobs = 3 ; }\ra { execFile = x ; }"),
              ElementsAre(HasSubstr("1:7: a carriage return is alone here")));
  EXPECT_THAT(errors("{ \"name\": \"n\",\n# c\r\"nb_jobs\": 3, \"clusters\": {} }"),
              ElementsAre(HasSubstr("2:4: a carriage return is alone here")));
}

TEST(JdlClassic, EveryBadLine_IsReportedWithItsPlace) {
  EXPECT_THAT(
      errors(R"(DEFAULT {
  name = n
  nbjobs = 3 ;
  hello ;
}
alpha {
  execfile = x ;
  walltime = soon ;
  weight = 2 ;
  nbJobs = 3 ;
}
bad name { execFile = x ; }
alpha { execFile = x ; }
)"),
      ElementsAre(
          "c:2:11: DEFAULT.name: the ';' behind 'n' is missing", "c:3:3: DEFAULT.nbjobs: there is no key 'nbjobs' (did you mean 'nbJobs'?)",
          "c:4:3: DEFAULT: 'hello' is not a 'key = value ;'",
          "c:6:1: alpha.execFile: it is missing: write the command that each task runs, here or in DEFAULT",
          "c:7:3: alpha.execfile: there is no key 'execfile' (did you mean 'execFile'?)",
          "c:8:14: alpha.walltime: 'soon' is not a walltime; write h:m:s, e.g. 1:30:00, or an expression that gives seconds (there is no 'soon')",
          "c:9:3: alpha.weight: 'weight' is not supported by this version: write resources, e.g. /nodes=1/core=2",
          "c:10:3: alpha.nbJobs: 'nbJobs' belongs in the section DEFAULT",
          "c:12:1: 'bad name' is not the name of a section: letters, digits and _ - . * + only",
          "c:13:1: alpha: there are two sections 'alpha': make them one"));
}

TEST(JdlClassic, AMissingSemicolonBeforeTheBrace_DoesNotSwallowTheNextSection) {
  EXPECT_THAT(errors("DEFAULT { name = n }\na { execFile = x ; }"), ElementsAre("c:1:21: DEFAULT.name: the ';' behind 'n' is missing"));
}

TEST(JdlClassic, AnUnclosedSection_IsReported) {
  EXPECT_THAT(errors("DEFAULT { name = n ; }\na {\n execFile = x ;\n"), ElementsAre("c:2:3: a: the '{' of section 'a' is never closed"));
}

TEST(JdlClassic, ASectionThatBeginsInsideOfAnother_IsReadAllTheSame) {
  EXPECT_THAT(errors("DEFAULT {\n name = n ;\na {\n execFile = x ;\n}"),
              ElementsAre("c:1:9: DEFAULT: the '{' of section 'DEFAULT' is never closed"));
}

TEST(JdlClassic, AMissingDefault_IsReportedByItsValue) {
  EXPECT_THAT(errors("a { execFile = x ; }"),
              ElementsAre("c:1:1: DEFAULT.name: it is missing: every campaign has a name; write DEFAULT { name = … ; }"));
  EXPECT_THAT(errors("default { name = n ; }\na { execFile = x ; }"),
              ElementsAre("c:1:1: default: write DEFAULT, in capitals, instead of 'default'"));
}

TEST(JdlClassic, ACampaignWithoutClusters_IsRefused) {
  EXPECT_THAT(errors("DEFAULT { name = n ; }"),
              ElementsAre(HasSubstr("there is no cluster's section: a campaign has at least one; write CLUSTER { execFile = … ; }")));
}

TEST(JdlClassic, QuotedValues_MustBeWhole) {
  EXPECT_THAT(errors("DEFAULT { name = \"n ; }\na { execFile = x ; }"),
              ElementsAre("c:1:18: DEFAULT.name: this value has no closing '\"' on its line"));
  EXPECT_THAT(errors("DEFAULT { name = \"n\" x ; }\na { execFile = x ; }"),
              ElementsAre(HasSubstr("there is something behind the closing '\"'")));
}

TEST(JdlClassic, TextOutsideOfSections_IsReported) {
  EXPECT_THAT(errors("hello\nDEFAULT { name = n ; }\na { execFile = x ; }\n}"),
              ElementsAre("c:1:1: 'hello' is outside of any section; a section is written: name { key = value ; }",
                          "c:4:1: '}' is outside of any section; a section is written: name { key = value ; }"));
}

TEST(JdlClassic, TwoSourcesOfParameters_AreNamedBoth) {
  EXPECT_THAT(errors("DEFAULT { name = n ; nbJobs = 2 ; paramFile = f ; }\na { execFile = x ; }"),
              ElementsAre(HasSubstr("DEFAULT.paramFile: 'nbJobs' and 'paramFile' both say the parameters")));
}

/// A value of a key as the classic form writes it: words without quotes.
std::string classic_value(std::string_view json) {
  if (!json.starts_with('"')) return std::string{json};
  return std::string{json.substr(1, json.size() - 2)};
}

/// The members of an object in JSON, as the classic form writes them.
std::string classic_members(std::string_view json) {
  const auto colon = json.find(": ");
  return colon == std::string_view::npos ? ""
                                         : fmt::format("{} = {} ;\n", json.substr(1, colon - 2), classic_value(json.substr(colon + 2)));
}

TEST(JdlClassic, Document003_EveryKeyOfACampaign_IsSaidInThisFormToo) {
  for (const auto& [key, value, companions] : combinations::kValues) {
    const auto more = companions.empty() ? "" : fmt::format(", {}", companions);
    auto json = parsed(fmt::format(R"({{"name": "n", "params": ["1", "2"], "exec_file": "x", "{}": {}{}, "clusters": {{"alpha": {{}}}}}})",
                                   key, value, more));
    auto classic =
        parsed(fmt::format("DEFAULT {{\n name = n ;\n params = [\"1\", \"2\"] ;\n execFile = x ;\n {} = {} ;\n {} }}\nalpha {{ }}", key,
                           classic_value(value), classic_members(companions)));
    EXPECT_EQ(to_json(classic), to_json(json)) << key << " = " << value;
  }
}

TEST(JdlClassic, KeysWithUnderscores_MayBeWrittenWithCapitals) {
  const auto campaign =
      parsed("DEFAULT { name = n ; nbJobs = 3 ; maxAttempts = 4 ; campaign_priority = low ; }\na { execFile = x ; maxJobs = 2 ; }");
  EXPECT_EQ(campaign.scheduling.max_attempts, 4);
  EXPECT_EQ(campaign.clusters.at(0).max_jobs, 2);
  EXPECT_THAT(errors("DEFAULT { name = n ; nbJobs = 3 ; }\na { execFile = x ; maxJob = 2 ; MaxJobs = 2 ; clusters = {} ; }"),
              ElementsAre("c:2:20: a.maxJob: there is no key 'maxJob' (did you mean 'max_jobs'?)",
                          "c:2:33: a.MaxJobs: there is no key 'MaxJobs' (did you mean 'max_jobs'?)",
                          "c:2:47: a.clusters: there is no key 'clusters'"));
}

TEST(JdlClassic, AnArray_MayTakeSeveralLines_AndIsReadToItsBracket) {
  const auto campaign = parsed(R"(DEFAULT { name = n ; params = [ "a;b",   # the first
    "c]", ["d", "e}"] ] ; }
a { execFile = {1} x ; prologue = ["date # now"] ; })");
  EXPECT_EQ(std::get<Params>(campaign.parameters).values.size(), 3U);
  EXPECT_EQ(campaign.clusters.at(0).exec_file, "{1} x");
  EXPECT_THAT(campaign.clusters.at(0).prologue, ElementsAre("date # now"));
}

TEST(JdlClassic, AWrongArray_IsReportedWithItsPlace) {
  const auto file = [](std::string_view params) {
    return fmt::format("DEFAULT {{ name = n ;\n params = {} }}\na {{ execFile = x ; }}", params);
  };
  EXPECT_THAT(errors(file("[1, 2")), ElementsAre("c:2:11: DEFAULT.params: this '[' is never closed"));
  EXPECT_THAT(
      errors("a { execFile = x ; }\nDEFAULT { name = n ;\n params = [1, 2"),
      ElementsAre("c:2:9: DEFAULT: the '{' of section 'DEFAULT' is never closed", "c:3:11: DEFAULT.params: this '[' is never closed"));
  EXPECT_THAT(errors(file("[1, x] ;")), ElementsAre("c:2:15: a text is written in double quotes: \"x\""));
  EXPECT_THAT(errors(file("[\"1\"] 2 ;")), ElementsAre("c:2:17: DEFAULT.params: there is something behind the closing bracket"));
  EXPECT_THAT(errors(file("[\"1\"]")), ElementsAre("c:2:17: DEFAULT.params: the ';' behind '[ … ]' is missing"));
}

TEST(JdlClassic, Document003_TheKeyResource_IsUnderstood_WithANote) {
  for (const auto* text : {"DEFAULT { name = n ; nbJobs = 3 ; }\na { execFile = x ; resource = /nodes=2 ; }",
                           R"({"name": "n", "nb_jobs": 3, "clusters": {"a": {"exec_file": "x", "resource": "/nodes=2"}}})"}) {
    const auto read = parse_with_warnings(text);
    ASSERT_TRUE(read) << render(read.error(), "c");
    EXPECT_EQ(read->file.clusters.at(0).resources.text(), "/nodes=2");
    ASSERT_EQ(read->warnings.size(), 1U);
    EXPECT_THAT(render(read->warnings, "c"), HasSubstr("resource: the key is called 'resources' today: write that; it is understood"));
  }
  EXPECT_THAT(
      errors("DEFAULT { name = n ; nbJobs = 3 ; resources = /core=1 ; }\na { execFile = x ; resource = /core=2 ; resources = /core=3 ; }"),
      ElementsAre(HasSubstr("'resources' means the same as 'resource', which is stated too: write one of them")));
}

}  // namespace
}  // namespace gleaner::jdl
