#include <gtest/gtest.h>

#include <fmt/format.h>

#include "lib/grid/oarsub_words.hpp"
#include "lib/jdl/parse.hpp"

namespace gleaner::jdl {
namespace {

CampaignFile parsed(std::string_view text, const Defaults& defaults = {}) {
  auto campaign = parse(text, defaults);
  if (!campaign) throw std::runtime_error{render(campaign.error(), "campaign.jdl")};
  return std::move(*campaign);
}

ClusterSection only_cluster(std::string_view text, const Defaults& defaults = {}) { return parsed(text, defaults).clusters.at(0); }

/// A campaign on one cluster, with something on the top level.
std::string on_alpha(std::string_view top) {
  return fmt::format(R"({{"name": "n", "exec_file": "$HOME/run.sh", "clusters": {{"alpha": {{}}}}{}{}}})", top.empty() ? "" : ", ", top);
}

TEST(JdlJson, AMinimalCampaign_GetsTheDefaults) {
  const auto campaign = parsed(on_alpha(""));
  EXPECT_EQ(campaign.name, "n");
  EXPECT_EQ(campaign.type, CampaignType::default_);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(campaign.parameters));
  ASSERT_EQ(campaign.clusters.size(), 1u);
  const auto& alpha = campaign.clusters[0];
  EXPECT_EQ(alpha.name, "alpha");
  EXPECT_EQ(alpha.exec_file, "$HOME/run.sh");
  EXPECT_EQ(alpha.exec_directory, "$HOME");
  EXPECT_EQ(alpha.resources.text(), "/core=1");
  EXPECT_EQ(alpha.walltime, grid::Seconds{3600});
  EXPECT_EQ(alpha.kind, JobKind::best_effort);
  EXPECT_EQ(alpha.max_jobs, std::nullopt);
  EXPECT_EQ(alpha.priority, 1);
  EXPECT_TRUE(alpha.properties.empty() && alpha.project.empty() && alpha.job_types.empty());
}

TEST(JdlJson, TheDefaultsGiven_AreUsedWhereTheFileSetsNone) {
  const auto alpha = only_cluster(on_alpha(""), {.resources = "/resource_id=2", .walltime = grid::Seconds{60}, .type = {}});
  EXPECT_EQ(alpha.resources.text(), "/resource_id=2");
  EXPECT_EQ(alpha.walltime, grid::Seconds{60});
}

TEST(JdlJson, EveryField_IsRead) {
  const auto campaign = parsed(R"({
    "name": "all", "project": "grid", "param_file": "~/p.txt", "jobs_type": "normal",
    "clusters": {
      "beta": {"exec_file": "run {CAMPAIGN_ID}", "exec_directory": "~/w", "resources": "/nodes=2/core=4", "walltime": "1:30:00",
               "properties": "mem > 4", "project": "other", "cluster_job_type": "devel, night", "type": "normal",
               "max_jobs": 12, "priority": "7"}}})");
  EXPECT_EQ(campaign.project, "grid");
  EXPECT_EQ(std::get<ParamFile>(campaign.parameters).path, "~/p.txt");
  const auto& beta = campaign.clusters.at(0);
  EXPECT_EQ(beta.exec_file, "run {CAMPAIGN_ID}");
  EXPECT_EQ(beta.exec_directory, "~/w");
  EXPECT_EQ(beta.resources.resources(), 8);
  EXPECT_EQ(beta.walltime, grid::Seconds{5400});
  EXPECT_EQ(beta.properties, "mem > 4");
  EXPECT_EQ(beta.project, "other");
  EXPECT_EQ(beta.job_types, (std::vector<std::string>{"devel", "night"}));
  EXPECT_EQ(beta.kind, JobKind::normal);
  EXPECT_EQ(beta.max_jobs, 12);
  EXPECT_EQ(beta.priority, 7);
}

TEST(JdlJson, AKeyOnTheTopLevel_IsTheDefaultOfTheClustersThatDoNotSayIt) {
  const auto campaign = parsed(R"({"name": "n", "exec_file": "a", "walltime": "0:10:00", "max_jobs": "3",
    "clusters": {"alpha": {"walltime": "2"}, "beta": {"exec_file": "b", "max_jobs": 4}}})");
  EXPECT_EQ(campaign.clusters[0].walltime, grid::Seconds{7200});
  EXPECT_EQ(campaign.clusters[1].walltime, grid::Seconds{600});
  EXPECT_EQ(campaign.clusters[0].exec_file, "a");
  EXPECT_EQ(campaign.clusters[1].exec_file, "b");
  EXPECT_EQ(campaign.clusters[0].max_jobs, 3);
  EXPECT_EQ(campaign.clusters[1].max_jobs, 4);
}

TEST(JdlJson, KeysOfTheTopLevel_MayBeInAnyCase) {
  const auto campaign = parsed(R"({"NAME": "n", "Clusters": {"alpha": {}}, "Exec_File": "a", "NB_JOBS": 3})");
  EXPECT_EQ(campaign.name, "n");
  EXPECT_EQ(std::get<Count>(campaign.parameters).tasks, 3);
}

TEST(JdlJson, ClustersKeepTheOrderOfTheFile_AndKnowTheirPlace) {
  const auto campaign = parsed("{\"name\": \"n\", \"exec_file\": \"a\",\n \"clusters\": {\n  \"zeta\": {},\n  \"alpha\": {}}}");
  EXPECT_EQ(campaign.clusters[0].name, "zeta");
  EXPECT_EQ(campaign.clusters[0].place, (Position{3, 3}));
  EXPECT_EQ(campaign.clusters[1].place, (Position{4, 3}));
}

TEST(JdlJson, Params_MayBeLines_NumbersOrArraysOfArguments) {
  const auto campaign = parsed(on_alpha(R"("params": ["1 'a b'", 2.50, ["x y", 3, ""]])"));
  const auto& values = std::get<Params>(campaign.parameters).values;
  ASSERT_EQ(values.size(), 3u);
  EXPECT_EQ(values[0], Parameter{"1 'a b'"});
  EXPECT_EQ(values[1], Parameter{"2.50"});
  EXPECT_EQ(values[2], Parameter(Arguments{"x y", "3", ""}));
}

TEST(JdlJson, NbJobs_MayBeAStringOfDigits) { EXPECT_EQ(std::get<Count>(parsed(on_alpha(R"("nb_jobs": "12")")).parameters).tasks, 12); }

TEST(JdlJson, BothSpellingsOfBestEffort_AreTaken) {
  EXPECT_EQ(only_cluster(on_alpha(R"("type": "besteffort")")).kind, JobKind::best_effort);
  EXPECT_EQ(only_cluster(on_alpha(R"("type": "best-effort")")).kind, JobKind::best_effort);
}

TEST(JdlJson, ATestCampaign_RunsNormalJobs_UnlessItsTypeIsSaid) {
  for (const auto* mode : {"true", "\"true\"", "\"True\""}) {
    const auto campaign = parsed(on_alpha(fmt::format(R"("test_mode": {})", mode)));
    EXPECT_EQ(campaign.type, CampaignType::test);
    EXPECT_EQ(campaign.clusters[0].kind, JobKind::normal);
  }
  EXPECT_EQ(only_cluster(on_alpha(R"("test_mode": true, "type": "best-effort")")).kind, JobKind::best_effort);
  EXPECT_EQ(parsed(on_alpha(R"("test_mode": "false")")).type, CampaignType::default_);
}

TEST(JdlJson, TestModeSaidInEachCluster_IsTheCampaigns) {
  EXPECT_EQ(parsed(R"({"name": "n", "exec_file": "a", "clusters": {"alpha": {"test_mode": "true"}, "beta": {"test_mode": true}}})").type,
            CampaignType::test);
}

TEST(JdlJson, TheTypeOfTheCommandLine_GoesBeforeTheFiles) {
  const auto test =
      parsed(on_alpha(R"("test_mode": false)"), {.resources = "/core=1", .walltime = grid::Seconds{3600}, .type = CampaignType::test});
  EXPECT_EQ(test.type, CampaignType::test);
  EXPECT_EQ(test.clusters[0].kind, JobKind::normal);
  EXPECT_EQ(
      parsed(on_alpha(R"("test_mode": true)"), {.resources = "/core=1", .walltime = grid::Seconds{3600}, .type = CampaignType::default_})
          .clusters[0]
          .kind,
      JobKind::best_effort);
}

TEST(JdlJson, AnUnbuiltFieldWithItsNeutralValue_IsAccepted) {
  EXPECT_NO_THROW(parsed(on_alpha(R"("temporal_grouping": "false", "dimensional_grouping": false, "checkpointing_type": "None",
    "output_gathering_method": "None", "output_file": "", "prologue": [], "epilogue": null)")));
}

TEST(JdlJson, GroupingIsTrue_False_OrAuto) {
  for (const auto* const word : {"true", "\"true\"", "\"True\""})
    EXPECT_EQ(parsed(on_alpha(fmt::format("\"temporal_grouping\": {}", word))).scheduling.grouping, grid::Grouping::on) << word;
  const auto wide = parsed(on_alpha(R"("dimensional_grouping": "true", "resources": "/nodes=1")"));
  EXPECT_TRUE(wide.scheduling.side_by_side);
  EXPECT_EQ(wide.scheduling.grouping, grid::Grouping::on) << "there is nothing else that it could mean";
  EXPECT_EQ(from_json(to_json(wide)).value(), wide);
  EXPECT_FALSE(parsed(on_alpha(R"("dimensional_grouping": "none")")).scheduling.side_by_side);
  EXPECT_EQ(parsed(on_alpha(R"("temporal_grouping": "auto")")).scheduling.grouping, grid::Grouping::auto_);
  const auto advised =
      jdl::parse(R"({"name": "n", "exec_file": "x", "clusters": {"alpha": {}}})", {.grouping = grid::Grouping::advise}).value();
  EXPECT_EQ(advised.scheduling.grouping, grid::Grouping::advise) << "the configuration's";
  EXPECT_EQ(from_json(to_json(advised)).value().scheduling.grouping, grid::Grouping::advise);
  EXPECT_EQ(to_jdl(advised).find("temporal_grouping"), std::string::npos) << "its user did not write it";
  for (const auto* const word : {"false", "\"false\"", "null", "\"None\"", "0", "\"\""})
    EXPECT_EQ(parsed(on_alpha(fmt::format("\"temporal_grouping\": {}", word))).scheduling.grouping, grid::Grouping::off) << word;
}

TEST(JdlJson, AByteOrderMark_IsSkipped) { EXPECT_EQ(parsed("\xEF\xBB\xBF" + on_alpha("")).name, "n"); }

TEST(JdlJson, EscapesAndUtf8_ArriveAsTheyAre) {
  EXPECT_EQ(parsed(R"({"name": "caf\u00e9 \ud83d\ude00 été", "clusters": {"alpha": {"exec_file": "a \"b\" \\c"}}})").name, "café 😀 été");
  EXPECT_EQ(only_cluster(R"({"name": "n", "clusters": {"alpha": {"exec_file": "a \"b\" \\c"}}})").exec_file, R"(a "b" \c)");
}

TEST(JdlJson, WrongDefaults_AreABug) {
  EXPECT_THROW((void)parse(on_alpha(""), {.resources = "/core", .walltime = grid::Seconds{1}, .type = {}}), std::invalid_argument);
}

TEST(JdlExpand, TheHomeFolder_IsReplacedAtTheStartOfAWordOnly) {
  ClusterSection section;
  section.exec_file = "~/run.sh ~ a~ b~/c --in=~/x {HOME}/d ~user/e '~/f'";
  section.exec_directory = "~/out dir/~/x";
  const auto expanded = expand(section, grid::CampaignId{42});
  EXPECT_EQ(expanded.exec_file, "$HOME/run.sh $HOME a~ b~/c --in=~/x $HOME/d ~user/e '~/f'");
  EXPECT_EQ(expanded.exec_directory, "$HOME/out dir/~/x");
}

TEST(JdlExpand, TheCampaignsNumber_IsAVariableForTheCommand_AndANumberForTheFolder) {
  ClusterSection section;
  section.exec_file = "run {CAMPAIGN_ID} {CAMPAIGN_ID}_x {HOME}2 {HOME}";
  section.exec_directory = "{HOME}/c{CAMPAIGN_ID}x";
  const auto expanded = expand(section, grid::CampaignId{42});
  EXPECT_EQ(expanded.exec_file, "run $CIGRI_CAMPAIGN_ID ${CIGRI_CAMPAIGN_ID}_x ${HOME}2 $HOME");
  EXPECT_EQ(expanded.exec_directory, "$HOME/c42x");
}

TEST(JdlExpand, AVariableBeforeTheCampaignsNumber_GetsBraces_SoThatTheFolderIsStillOne) {
  const std::vector<std::pair<std::string, std::string>> folders{
      {"/scratch/$USER{CAMPAIGN_ID}", "/scratch/${USER}42"},
      {"/$LOGNAME{CAMPAIGN_ID}/$HOME{CAMPAIGN_ID}/$USER/{CAMPAIGN_ID}", "/${LOGNAME}42/${HOME}42/$USER/42"},
      {"{HOME}{CAMPAIGN_ID}", "${HOME}42"},
      {"/${USER}{CAMPAIGN_ID}", "/${USER}42"},
  };
  for (const auto& [written, expected] : folders) {
    const auto section =
        only_cluster(fmt::format(R"({{"name": "n", "exec_file": "a", "clusters": {{"alpha": {{"exec_directory": "{}"}}}}}})", written));
    const auto folder = expand(section, grid::CampaignId{42}).exec_directory;
    EXPECT_EQ(folder, expected);
    EXPECT_EQ(grid::wrong_exec_directory(folder), std::nullopt) << "the runner refuses what is wrong";
  }
}

TEST(JdlExpand, ALoneTilde_IsTheHomeFolder) {
  ClusterSection section;
  section.exec_file = "ls ~";
  section.exec_directory = "~";
  EXPECT_EQ(expand(section, grid::CampaignId{1}).exec_file, "ls $HOME");
  EXPECT_EQ(expand(section, grid::CampaignId{1}).exec_directory, "$HOME");
}

TEST(JdlStored, ACampaign_ComesBackFromItsJson_WithoutItsParams) {
  auto campaign = parsed(R"({"name": "n\"é", "test_mode": true, "project": "p", "nb_jobs": 5, "exec_file": "a 'b'", "clusters": {
      "beta": {"resources": "{mem > 4}/core=2", "walltime": "100:00:59", "max_jobs": 2, "priority": -3, "cluster_job_type": "devel"}, "alpha": {}}})");
  EXPECT_EQ(from_json(to_json(campaign)), campaign);
  campaign.parameters = Params{{Parameter{"1"}}};
  const auto stored = from_json(to_json(campaign));
  ASSERT_TRUE(stored);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(stored->parameters));
}

TEST(JdlStored, WhatWasNotStoredByUs_IsAnError) {
  EXPECT_FALSE(from_json(""));
  EXPECT_FALSE(from_json("{"));
  EXPECT_FALSE(from_json("[]"));
  EXPECT_FALSE(from_json(R"({"name": 1})"));
  EXPECT_EQ(from_json(R"({"name": "n"})").error(), "a stored campaign cannot be read: 'campaign_type' is missing");
}

TEST(JdlParse, TypesOfJobs_AreAListAsOarHasIt_OrAnArray) {
  const auto types_in = [](const std::string& value) {
    auto file = parse(R"({"name": "n", "nb_jobs": 1, "exec_file": "x", "clusters": {"a": {"cluster_job_type": )" + value + "}}}");
    EXPECT_TRUE(file) << value;
    // As it is shown to users and admission rules, and sent again.
    EXPECT_EQ(parse(to_jdl(*file))->clusters.front().job_types, file->clusters.front().job_types) << value;
    return file->clusters.front().job_types;
  };
  using Types = std::vector<std::string>;
  EXPECT_EQ(types_in(R"("devel, night")"), (Types{"devel", "night"}));
  EXPECT_EQ(types_in(R"("timesharing=user,name")"), (Types{"timesharing=user,name"}));
  EXPECT_EQ(types_in(R"("devel,timesharing=user,*,night")"), (Types{"devel", "timesharing=user,*", "night"}));
  EXPECT_EQ(types_in(R"("timesharing=*,*,name")"), (Types{"timesharing=*,*", "name"}));
  EXPECT_EQ(types_in(R"("timesharing=user,devel")"), (Types{"timesharing=user", "devel"}));
  EXPECT_EQ(types_in(R"(["devel", "monitor=a,b", "timesharing=user,name"])"), (Types{"devel", "monitor=a,b", "timesharing=user,name"}));
  EXPECT_EQ(types_in(R"("")"), Types{});
  EXPECT_EQ(types_in("[]"), Types{});
}

}  // namespace
}  // namespace gleaner::jdl
