#include <fmt/format.h>
#include <gmock/gmock.h>

#include "lib/jdl/edit.hpp"

namespace gleaner::jdl {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr auto kPresent = R"({"name": "t", "campaign_priority": 3, "min_duration": "0:00:10", "project": "p", "nb_jobs": 7,
  "clusters": {"alpha": {"exec_file": "run", "walltime": "1:00:00", "max_jobs": 9}, "beta": {"exec_file": "go", "resources": "/core=2"}}})";
const KnownClusters kKnown{.enabled = {"alpha", "beta", "gamma"}, .disabled = {}};

CampaignFile present() {
  auto file = parse(kPresent, {}, &kKnown);
  EXPECT_TRUE(file);
  return *file;
}

tl::expected<Parsed, std::vector<Problem>> edited(const CampaignFile& file, const std::string& changes) {
  Findings findings;
  auto document = read_json(changes, findings);
  EXPECT_TRUE(findings.empty()) << changes;
  return edit(file, std::move(document), changes, {}, kKnown);
}

CampaignFile good(const std::string& changes) {
  auto file = edited(present(), changes);
  EXPECT_TRUE(file) << changes << (file ? "" : file.error().front().message);
  return file ? file->file : CampaignFile{};
}

std::string wrong(const std::string& changes) {
  const auto file = edited(present(), changes);
  return file ? std::string{} : render(file.error(), "c");
}

const ClusterSection& on(const CampaignFile& file, std::string_view name) {
  return *std::ranges::find(file.clusters, name, &ClusterSection::name);
}

TEST(Edit, ChangesTheKeysThatItNames_AndNoOther) {
  auto expected = present();
  expected.name = "u";
  expected.scheduling.priority = 2;
  expected.clusters[0].max_jobs = 50;
  EXPECT_EQ(good(R"({"name": "u", "Campaign_Priority": "high", "clusters": {"alpha": {"max_jobs": "50"}}})"), expected);
  EXPECT_EQ(good("{}"), present());
}

TEST(Edit, KeyOfClustersOnTheTopLevel_IsChangedOnEveryCluster_UnlessOneSetsItItself) {
  const auto file = good(R"({"clusters": {"beta": {"walltime": "3:00:00"}}, "walltime": "2:00:00", "project": "q"})");
  EXPECT_EQ(on(file, "alpha").walltime, grid::Seconds{7200});
  EXPECT_EQ(on(file, "beta").walltime, grid::Seconds{10800});
  EXPECT_EQ(file.project, "q");
  EXPECT_EQ(on(file, "beta").project, "q");
  EXPECT_EQ(good(R"({"clusters": {"beta": {"project": "r"}}})").project, "p");
}

TEST(Edit, Null_GivesAKeyItsDefaultAgain) {
  const auto file = good(R"({"campaign_priority": null, "min_duration": null, "clusters": {"alpha": {"max_jobs": null}}})");
  EXPECT_EQ(file.scheduling, Scheduling{});
  EXPECT_EQ(on(file, "alpha").max_jobs, std::nullopt);
  EXPECT_EQ(on(good(R"({"walltime": null})"), "alpha").walltime, Defaults{}.walltime);
  EXPECT_THAT(wrong(R"({"exec_file": null})"), HasSubstr("clusters.alpha.exec_file: it is missing"));
}

TEST(Edit, AMinDurationOfZero_StatesThatTasksMayEndAtOnce) {
  for (const auto* zero : {"0", "0:0:0", "0:00:00"})
    EXPECT_EQ(good(fmt::format(R"({{"min_duration": "{}"}})", zero)).scheduling.min_duration, grid::Seconds{0}) << zero;
  EXPECT_EQ(good(R"({"min_duration": 0})").scheduling.min_duration, grid::Seconds{0});
  EXPECT_EQ(good(R"({"min_duration": 90})").scheduling.min_duration, grid::Seconds{90}) << "a number of seconds, as of a walltime";
  EXPECT_THAT(wrong(R"({"min_duration": -1})"), HasSubstr("min_duration"));
  for (const auto* text : {"", ":", "-1", "0x"})
    EXPECT_THAT(wrong(fmt::format(R"({{"min_duration": "{}"}})", text)), HasSubstr("or 0 if tasks may end at once")) << text;
}

TEST(Edit, ParamsShell_StaysUnlessItIsNamed_AndNullIsTheGridsOwnAgain) {
  auto shell = present();
  shell.params_shell = true;
  EXPECT_TRUE(edited(shell, R"({"name": "u"})")->file.params_shell);
  EXPECT_FALSE(edited(shell, R"({"params_shell": null})")->file.params_shell);
  EXPECT_TRUE(edited(present(), R"({"params_shell": true})")->file.params_shell);
}

TEST(Edit, KeysWithoutEffectBesideOthers_HinderNoOtherChange_AndAreReportedWhereTheyAreNew) {
  auto paired = present();
  paired.replicas_allowed = true;
  paired.scheduling.grouping = grid::Grouping::on;
  paired.scheduling.retries = 3;
  const auto renamed = edited(paired, R"({"name": "u"})");
  ASSERT_TRUE(renamed) << renamed.error().front().message;
  EXPECT_TRUE(renamed->warnings.empty()) << renamed->warnings.front().message;
  const auto fewer = edited(paired, R"({"max_attempts": 2})");
  ASSERT_TRUE(fewer) << fewer.error().front().message;
  ASSERT_EQ(fewer->warnings.size(), 1U);
  EXPECT_EQ(fewer->warnings[0].path, "max_attempts");
  EXPECT_NE(fewer->warnings[0].message.find("at most 1 of its 3 retries"), std::string::npos) << fewer->warnings[0].message;
}

TEST(Edit, AttemptsAndRetries_AboveABoundThatWasLoweredSince_DoNotHinderOtherChanges_AndDoNotGrow) {
  auto many = present();
  many.scheduling.retries = 8;
  many.scheduling.max_attempts = 9;
  Defaults lowered;
  lowered.most_retries = 3;
  lowered.most_attempts = 4;
  const auto edit_to = [&](const std::string& changes) {
    Findings findings;
    return edit(many, read_json(changes, findings), changes, lowered, kKnown);
  };
  const auto renamed = edit_to(R"({"name": "u"})");
  ASSERT_TRUE(renamed) << renamed.error().front().message;
  EXPECT_EQ(renamed->file.scheduling.retries, 8);
  EXPECT_FALSE(edit_to(R"({"retries": 9})"));
  EXPECT_FALSE(edit_to(R"({"max_attempts": 10})"));
}

TEST(Edit, Clusters_AreTurnedOffAndOn_AndAdded) {
  const auto off = good(R"({"clusters": {"beta": "off"}})");
  EXPECT_EQ(on(off, "beta").max_jobs, 0);
  EXPECT_EQ(edited(off, R"({"clusters": {"beta": "on"}})")->file, present());
  EXPECT_EQ(good(R"({"clusters": {"alpha": "on"}})"), present()) << "a limit that is not 0 stays";
  EXPECT_EQ(on(good(R"({"clusters": {"beta": null}})"), "beta").max_jobs, 0);
  EXPECT_EQ(on(good(R"({"clusters": {"gamma": {"exec_file": "new"}}})"), "gamma").exec_file, "new");
  EXPECT_THAT(wrong(R"({"clusters": {"gamma": {}}})"), HasSubstr("clusters.gamma.exec_file: it is missing"));
  EXPECT_THAT(wrong(R"({"clusters": {"delta": {"exec_file": "new"}}})"),
              HasSubstr("there is no cluster 'delta'; the clusters are alpha, beta, gamma\n"))
      << "each is named once";
  EXPECT_THAT(wrong(R"({"min_duration": "30"})"), HasSubstr("write 0:00:30 for seconds, or 30:00:00"));
  EXPECT_THAT(wrong(R"({"clusters": {"bta": "off"}})"), AllOf(HasSubstr("no cluster 'bta'"), HasSubstr("did you mean 'beta'?")));
  EXPECT_THAT(wrong(R"({"clusters": {"beta": 3}})"), HasSubstr("'3' is neither on nor off"));
  EXPECT_THAT(wrong(R"({"clusters": "off"})"), HasSubstr("write an object"));
  EXPECT_THAT(wrong(R"({"clusters": {"alpha": "off", "beta": "off"}})"), HasSubstr("no task would ever run"));
}

TEST(Edit, AClusterThatIsAdded_HasWhatTheOthersHaveAlike_UnlessItSetsItOtherwise) {
  auto file =
      parse(R"({"name": "t", "nb_jobs": 7, "exec_file": "run", "walltime": "0:30:00", "prologue": ["make"], "prologue_walltime": "0:01:00",
    "output_directory": "out", "clusters": {"alpha": {"exec_directory": "~/here"}, "beta": {}}})",
            {}, &kKnown);
  ASSERT_TRUE(file) << render(file.error(), "c");
  const auto added = [&](const std::string& keys) {
    const auto changed = edited(*file, R"({"clusters": {"gamma": {"exec_file": "new")" + keys + "}}}");
    EXPECT_TRUE(changed) << (changed ? "" : render(changed.error(), "c"));
    return changed ? on(changed->file, "gamma") : ClusterSection{};
  };
  const auto plain = added("");
  EXPECT_EQ(plain.walltime, grid::Seconds{1800});
  EXPECT_EQ(plain.prologue, std::vector<std::string>{"make"});
  EXPECT_EQ(plain.prologue_walltime, grid::Seconds{60});
  EXPECT_EQ(plain.output_directory, "out");
  EXPECT_EQ(plain.exec_directory, on(*file, "beta").exec_directory) << "they differ";
  EXPECT_EQ(added(R"(, "walltime": "2:00:00", "output_directory": "other")").walltime, grid::Seconds{7200});
  EXPECT_EQ(added(R"(, "resources": "/core=1,walltime=3:00:00")").walltime, grid::Seconds{10800});
  EXPECT_EQ(added(R"(, "output_directory": "other")").output_directory, "other");
}

TEST(Edit, WrongValues_AreReportedAsThoseOfAFile_WithTheirPlaces) {
  EXPECT_EQ(wrong("{\n  \"walltime\": \"1:99:00\" }"), "c:2:15: walltime: '1:99:00' is not a walltime; write h:m:s, e.g. 1:30:00\n");
  EXPECT_THAT(wrong(R"({"clusters": {"alpha": {"resources": "/core=none"}}})"), HasSubstr("c:1:38: clusters.alpha.resources: "));
  EXPECT_THAT(wrong(R"({"waltime": "1:00:00"})"), HasSubstr("did you mean 'walltime'?"));
  EXPECT_THAT(wrong(R"({"clusters": {"alpha": {"name": "u"}}})"), HasSubstr("belongs on the top level"));
  EXPECT_THAT(wrong(R"({"name": ""})"), HasSubstr("name: "));
}

TEST(Edit, KeysThatStay_AreRefusedByName_WithTheReason) {
  EXPECT_THAT(wrong(R"({"nb_jobs": 8})"), AllOf(HasSubstr("nb_jobs: it cannot be changed"), HasSubstr("gridsub -c ID")));
  EXPECT_THAT(wrong(R"({"params": ["1"]})"), HasSubstr("params: it cannot be changed"));
  EXPECT_THAT(wrong(R"({"param_file": "f"})"), HasSubstr("param_file: it cannot be changed"));
  EXPECT_THAT(wrong(R"({"test_mode": true})"), HasSubstr("test_mode: it cannot be changed"));
  EXPECT_THAT(wrong(R"({"clusters": {"alpha": {"test_mode": "true"}}})"), HasSubstr("clusters.alpha.test_mode: it cannot be changed"));
  EXPECT_THAT(wrong(R"({"output_directory": "elsewhere"})"), HasSubstr("output_directory: it cannot be changed"));
  EXPECT_THAT(wrong(R"({"clusters": {"alpha": {"output_files": ["{TASK}.dat"]}}})"),
              HasSubstr("clusters.alpha.output_files: it cannot be changed"));
  EXPECT_THAT(wrong(R"({"parameter_names": ["x"]})"), HasSubstr("parameter_names: it cannot be changed"));
  EXPECT_THAT(wrong(R"({"checkpoint": {"cost": 90}})"), HasSubstr("checkpoint: it cannot be changed"));
  EXPECT_THAT(wrong(R"({"input_mb": 3})"), HasSubstr("input_mb: it cannot be changed"));
}

TEST(Edit, TheCampaignAsItIs_IsNoChange) {
  EXPECT_EQ(good(to_json(present())), present()) << "as the API answers it";
  EXPECT_EQ(good(to_jdl(present())), present());
  EXPECT_EQ(good(R"({"test_mode": false, "jobs_type": "normal"})"), present());
}

TEST(Edit, AClusterThatIsGone_DoesNotHinderOtherChanges) {
  const std::string changes = R"({"name": "u"})";
  Findings findings;
  EXPECT_EQ(edit(present(), read_json(changes, findings), changes, {}, {.enabled = {"alpha"}, .disabled = {"beta"}})->file.name, "u");
}

}  // namespace
}  // namespace gleaner::jdl
