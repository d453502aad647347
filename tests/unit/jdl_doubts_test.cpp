#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <span>
#include <string>
#include <vector>

#include "lib/jdl/parse.hpp"
#include "lib/jdl/tree.hpp"

/// Files that users of CiGri write, and the parts of them that are ignored.
namespace gleaner::jdl {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const KnownClusters kGrid{.enabled = {"alpha", "beta"}, .disabled = {}};

std::vector<std::string> rendered(const std::vector<Problem>& problems) {
  std::vector<std::string> all;
  for (const auto& problem : problems) {
    all.push_back(render(std::span{&problem, 1}, "c"));
    all.back().pop_back();
  }
  return all;
}

std::vector<std::string> paths(const std::vector<Problem>& problems) {
  std::vector<std::string> all;
  for (const auto& problem : problems) all.push_back(problem.path);
  return all;
}

Parsed parsed_with(std::string_view more, std::string_view clusters = R"("alpha": {})") {
  const auto text = fmt::format("{{\"name\": \"n\", \"exec_file\": \"a\", \"clusters\": {{{}}},\n{}}}", clusters, more);
  auto parsed = parse_with_warnings(text, {}, &kGrid);
  EXPECT_TRUE(parsed) << text << "\n" << (parsed ? "" : render(parsed.error(), "c"));
  const auto strict = parse(text, {.doubts = Doubts::refused}, &kGrid);
  EXPECT_EQ(strict.has_value(), parsed && parsed->warnings.empty());
  if (!strict && parsed) {
    EXPECT_EQ(paths(strict.error()), paths(parsed->warnings));
  }
  return parsed ? std::move(*parsed) : Parsed{};
}

std::vector<std::string> doubts(std::string_view more, std::string_view clusters = R"("alpha": {})") {
  return rendered(parsed_with(more, clusters).warnings);
}

TEST(JdlDoubts, AKeyThatIsNearToNone_IsReported_AndHasNoEffect) {
  EXPECT_THAT(doubts(R"("comment": "for Ada", "priority": 3)"), ElementsAre("c:2:1: comment: there is no key 'comment': it has no effect"));
  EXPECT_THAT(doubts(R"("nb_jobs": 2)", R"("alpha": {"zzzz": 1})"), ElementsAre(HasSubstr("clusters.alpha.zzzz: there is no key 'zzzz'")));
  EXPECT_FALSE(parse(R"({"name": "n", "exec_file": "a", "waltime": "1", "clusters": {"alpha": {}}})"));
}

TEST(JdlDoubts, KeysWithoutEffectInCigri_AreReported_UnlessTheyHoldItsDefault) {
  EXPECT_THAT(doubts(R"("checkpointing_type": "blcr", "temporal_grouping_batch_duration": 900)"),
              ElementsAre("c:2:1: checkpointing_type: 'checkpointing_type' has no effect, as in CiGri",
                          "c:2:31: temporal_grouping_batch_duration: 'temporal_grouping_batch_duration' has no effect, as in CiGri"));
  EXPECT_THAT(doubts(R"("checkpointing_type": "None")"), IsEmpty());
  EXPECT_THAT(doubts(R"("nb_jobs": 1)", R"("alpha": {"temporal_grouping": true})"),
              ElementsAre(HasSubstr("'temporal_grouping' has no effect for one cluster: write it for the whole campaign")));
}

TEST(JdlDoubts, AnUnknownClusterBesideAKnownOne_IsLeftOut) {
  const auto parsed = parsed_with(R"("nb_jobs": 1)", R"("alpa": {"walltime": "wrong"}, "beta": {})");
  EXPECT_THAT(rendered(parsed.warnings),
              ElementsAre("c:1:46: clusters.alpa: there is no cluster 'alpa' (did you mean 'alpha'?): it is left out"));
  ASSERT_EQ(parsed.file.clusters.size(), 1U);
  EXPECT_EQ(parsed.file.clusters[0].name, "beta");
  EXPECT_FALSE(parse(R"({"name": "n", "exec_file": "a", "clusters": {"alpa": {}, "gamma": {}}})", {}, &kGrid));
}

TEST(JdlDoubts, Params_AreTakenBeforeACountAndAFile) {
  const auto parsed = parsed_with(R"("nb_jobs": 3, "params": ["1"], "Param_File": "x")");
  EXPECT_EQ(std::get<Params>(parsed.file.parameters).values.size(), 1U);
  EXPECT_THAT(rendered(parsed.warnings),
              ElementsAre("c:2:1: nb_jobs: 'nb_jobs' has no effect: the parameters are those of 'params'",
                          "c:2:32: Param_File: 'Param_File' has no effect: the parameters are those of 'params'"));
}

TEST(JdlDoubts, OfAKeyStatedTwice_TheLastCounts) {
  const auto twice = parsed_with(R"("walltime": "1:0:0", "Walltime": "2:0:0", "walltime": "3:0:0")");
  EXPECT_THAT(rendered(twice.warnings),
              ElementsAre("c:2:22: walltime: 'Walltime' is stated twice: remove one of them; the last one counts",
                          "c:2:43: walltime: 'walltime' is stated twice: remove one of them; the last one counts"));
  EXPECT_EQ(twice.file.clusters.at(0).walltime, grid::Seconds{10'800});
  const auto cluster = parsed_with(R"("nb_jobs": 1)", R"("alpha": {"max_jobs": 1}, "alpha": {"max_jobs": 2}, "beta": {})");
  EXPECT_THAT(rendered(cluster.warnings), ElementsAre(HasSubstr("clusters.alpha: 'alpha' is stated twice")));
  ASSERT_EQ(cluster.file.clusters.size(), 2U);
  EXPECT_EQ(cluster.file.clusters.at(0).max_jobs, 2);
  const auto classic = parse_with_warnings("DEFAULT {\n name = n ;\n nbJobs = 3 ;\n nbJobs = 4 ;\n}\nalpha { execFile = x ; }\n");
  ASSERT_TRUE(classic) << render(classic.error(), "c");
  EXPECT_THAT(rendered(classic->warnings), ElementsAre(HasSubstr("c:4:2: DEFAULT.nbJobs: 'nbJobs' is stated twice")));
  EXPECT_EQ(std::get<Count>(classic->file.parameters).tasks, 4);
}

TEST(JdlDoubts, OfTwoWalltimes_TheKeyCounts_NotTheResources) {
  for (const auto* const keys : {R"("resources": "/core=1,walltime=2:00:00", "walltime": "1:00:00")",
                                 R"("walltime": 3600, "resources": "/core=1,walltime=2:00:00")"}) {
    const auto parsed = parsed_with(keys);
    EXPECT_THAT(rendered(parsed.warnings),
                ElementsAre(HasSubstr("the walltime is stated twice: 1:00:00 by walltime, and 2:00:00 in resources; keep "
                                      "one of them: that of walltime counts")));
    EXPECT_EQ(parsed.file.clusters.at(0).walltime, grid::Seconds{3600});
  }
}

TEST(JdlDoubts, ACampaignWithoutTasks_IsReported) {
  const auto parsed = parsed_with(R"("nb_jobs": 0)");
  EXPECT_THAT(rendered(parsed.warnings), ElementsAre(HasSubstr("c:2:12: nb_jobs: there are no tasks")));
  EXPECT_EQ(std::get<Count>(parsed.file.parameters).tasks, 0);
}

TEST(JdlDoubts, KeysOfOutputsWithoutEffectInCigri_HaveNone) {
  EXPECT_THAT(doubts(R"("output_gathering_method": "irods", "output_directory": "r", "output_file": "{1}")"),
              ElementsAre(HasSubstr("output_gathering_method: 'irods' is not supported by this version")));
  EXPECT_THAT(doubts(R"("nb_jobs": 1, "output_gathering_method": "collector")"), ElementsAre(HasSubstr("needs output_files")));
  const auto alone = parsed_with(R"("output_file": "{1}")", R"("alpha": {}, "beta": {"output_directory": "r"})");
  EXPECT_THAT(rendered(alone.warnings), ElementsAre(HasSubstr("output_file: output_file needs output_directory")));
  EXPECT_THAT(alone.file.clusters.at(0).output_files, IsEmpty());
  EXPECT_THAT(alone.file.clusters.at(1).output_files, ElementsAre("{1}"));
}

TEST(JdlDoubts, AWalltimeInResources_IsTheClusters) {
  const auto parsed =
      parsed_with(R"("resources": "/nodes=1/core=2, walltime = 0:10:00")", R"("alpha": {}, "beta": {"walltime": "0:20:00"})");
  EXPECT_THAT(parsed.warnings, IsEmpty());
  EXPECT_EQ(parsed.file.clusters.at(0).resources.text(), "/nodes=1/core=2");
  EXPECT_EQ(parsed.file.clusters.at(0).walltime, grid::Seconds{600});
  EXPECT_EQ(parsed.file.clusters.at(1).walltime, grid::Seconds{1200});
  const auto own = parsed_with(R"("walltime": "1:0:0")", R"("alpha": {"resources": "/core=2,walltime=0:5"}, "beta": {})");
  EXPECT_EQ(own.file.clusters.at(0).walltime, grid::Seconds{300});
  EXPECT_EQ(own.file.clusters.at(1).walltime, grid::Seconds{3600});
  EXPECT_EQ(parsed_with(R"("resources": "/core=1,walltime=1:0:0", "walltime": 3600)").file.clusters.at(0).walltime, grid::Seconds{3600});
  EXPECT_EQ(parsed_with(R"("resources": "/core=p1,walltime=p2*60")").file.clusters.at(0).walltime_expression, "p2*60");
}

TEST(JdlDoubts, AWalltimeIsANumberOfSeconds_OrATime_AndAnUnlikelyOneIsReported) {
  const auto file = parsed_with(R"("walltime": 5400, "max_walltime": 7200)").file;
  EXPECT_EQ(file.clusters.at(0).walltime, grid::Seconds{5400});
  EXPECT_EQ(file.clusters.at(0).max_walltime, grid::Seconds{7200});
  EXPECT_EQ(parsed_with(R"("walltime": "2")").file.clusters.at(0).walltime, grid::Seconds{7200});
  EXPECT_THAT(doubts(R"("walltime": 2)"), ElementsAre("c:2:13: walltime: 2 is a number of seconds; for hours, write \"2:00:00\""));
  EXPECT_THAT(doubts(R"("walltime": "3600")"),
              ElementsAre("c:2:13: walltime: '3600' is a number of hours, as OAR reads it; for seconds, write 1:00:00"));
}

TEST(JdlDoubts, AMinDurationInQuotes_IsANumberOfHours_WhichIsReported) {
  EXPECT_EQ(parsed_with(R"("min_duration": 30)").file.scheduling.min_duration, grid::Seconds{30});
  EXPECT_EQ(parsed_with(R"("min_duration": "30")").file.scheduling.min_duration, std::chrono::hours{30});
  EXPECT_THAT(doubts(R"("min_duration": "30")"), Contains(HasSubstr("'30' is a number of hours; write 0:00:30 for seconds, or 30:00:00")));
  EXPECT_THAT(doubts(R"("min_duration": "0")"), IsEmpty());
  EXPECT_THAT(doubts(R"("min_duration": "0:00:30")"), IsEmpty());
}

TEST(JdlDoubts, ADollarAfterABackslash_IsADollar) {
  const auto file = parse(R"({"name": "n", "exec_file": "\$HOME/x \\$y \\\$z \"\$\"", "clusters": {"alpha": {}}, "params": ["\$1"]})");
  ASSERT_TRUE(file) << render(file.error(), "c");
  EXPECT_EQ(file->clusters[0].exec_file, R"($HOME/x \$y \$z "$")");
  EXPECT_EQ(std::get<Params>(file->parameters).values[0], Parameter{"$1"});
}

TEST(JdlDoubts, Comments_AreSkipped_AndNotWithinStrings) {
  const auto file = parse(R"(/* ada's
   own */ # and more
{ // a name
  "name": "n", # "another": 1,
  "exec_file": "a // b # c /* d */", /* "x": { */ "clusters": {"alpha": /**/ {}} // the end
} // behind it)");
  ASSERT_TRUE(file) << render(file.error(), "c");
  EXPECT_EQ(file->clusters[0].exec_file, "a // b # c /* d */");
  const auto wrong =
      parse("{ /* é */ \"name\": \"n\", // x\n \"exec_file\": \"a\", /*\n*/ \"nb_jobs\": \"x\", \"clusters\": {\"alpha\": {}}}");
  ASSERT_FALSE(wrong);
  EXPECT_THAT(rendered(wrong.error()), ElementsAre("c:3:15: nb_jobs: 'x' is not a whole number; write a whole number from 0 to 100000000"));
}

/// A comment anywhere between two tokens changes nothing, and no place either if it has no line end.
RC_GTEST_PROP(JdlDoubtsProperty, CommentsBetweenTokens_ChangeNothing, ()) {
  const std::vector<std::string> tokens{"{",         "\"name\"",
                                        ":",         "\" # /* // \\\" \"",
                                        ",",         "\"exec_file\"",
                                        ":",         "\"\\\\$a\"",
                                        ",",         "\"nb_jobs\"",
                                        ":",         "3",
                                        ",",         "\"clusters\"",
                                        ":",         "{",
                                        "\"alpha\"", ":",
                                        "{",         "}",
                                        "}",         "}"};
  std::string plain;
  std::string commented;
  for (const auto& token : tokens) {
    commented += *rc::gen::element<std::string>("", " ", "/* \" { */", "// it's \"\n", "# }\n", "/**/", "\n");
    plain += token;
    commented += token;
  }
  const auto expected = parse(plain);
  const auto read = parse(commented);
  RC_ASSERT(expected.has_value());
  RC_ASSERT(read.has_value());
  RC_ASSERT(*read == *expected);
}

TEST(JdlDoubts, KeysThatHaveNoEffectTogether_AreReported_WithBothNames) {
  EXPECT_THAT(doubts(R"("nb_jobs": 2, "memory_mb": 4000, "temporal_grouping": true)"),
              ElementsAre(HasSubstr("temporal_grouping with memory_mb: memory_mb gives each task a request of its own")));
  for (const auto* alone : {R"("replicas": "allowed")", R"("memory_mb": 4000)", R"("replicas": "allowed", "temporal_grouping": true)",
                            R"("replicas": "allowed", "memory_mb": 9, "temporal_grouping": false)"})
    EXPECT_THAT(doubts(std::string{R"("nb_jobs": 2, )"} + alone), IsEmpty()) << alone;
}

}  // namespace
}  // namespace gleaner::jdl
