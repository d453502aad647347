#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <set>
#include <string>

#include "lib/decisions/catalogue.hpp"
#include "lib/decisions/figures.hpp"
#include "lib/decisions/stored.hpp"
#include "lib/text/json_value.hpp"
#include "tests/random_figures.hpp"

namespace gleaner::decisions {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

constexpr int kRounds = 200;

Decision a_decision(const Reason& reason) {
  return {.campaign = grid::CampaignId{1}, .cluster = grid::ClusterId{1}, .stage = Stage::match, .reason = reason, .jobs = 4};
}

StoredDecision stored(const Reason& reason) {
  return {.stage = "match", .reason = std::string{name_of(reason)}, .figures = figures_of(reason), .jobs = 4, .cluster = "alpha"};
}

/// The figures with one of them taken out, or changed.
std::string without(const std::string& figures, const char* name) {
  rapidjson::Document document;
  document.Parse(figures.c_str());
  document.RemoveMember(name);
  return text::json_text(document);
}
std::string with(const std::string& figures, const char* name, const char* json) {
  rapidjson::Document document, value;
  document.Parse(figures.c_str());
  value.Parse(json);
  document[name].CopyFrom(value, document.GetAllocator());
  return text::json_text(document);
}
std::vector<std::string> names_of(const std::string& figures) {
  rapidjson::Document document;
  document.Parse(figures.c_str());
  std::vector<std::string> names;
  for (const auto& member : document.GetObject()) names.emplace_back(member.name.GetString());
  return names;
}

/// Whether it is not stored where it is 0.
bool is_sparse(std::string_view name) {
  bool found = false;
  const auto is_that = [&](const auto& row) {
    if constexpr (requires { row.sparse; }) return row.sparse && row.name == name;
    return false;
  };
  const auto look = [&](const auto&... row) { ((found = found || is_that(row)), ...); };
  std::apply(look, kFigures<OfferParts>);
  std::apply(look, kFigures<reason::BagEmpty>);
  std::apply(look, kFigures<reason::KeptForOthers>);
  return found;
}

TEST(Figures, OfEveryReason_ComeBack_WithTheSameSentence) {
  tests::RandomFigures random{tests::test_seed()};
  std::set<std::string_view> names;
  for (int round = 0; round < kRounds; ++round) {
    for (const auto& reason : random.reasons()) {
      const auto json = figures_of(reason);
      const auto read = read_figures(name_of(reason), json);
      ASSERT_TRUE(read) << name_of(reason) << ": " << read.error() << "\n" << json;
      const auto& back = std::get<Reason>(*read);
      ASSERT_EQ(digest_of(a_decision(back)), digest_of(a_decision(reason))) << name_of(reason) << "\n" << json << "\n" << figures_of(back);
      const auto sentence = explained(Stage::match, reason, 4, "alpha").sentence;
      const auto shown = rendered(stored(reason));
      ASSERT_EQ(shown.sentence, sentence);
      ASSERT_EQ(shown.figures, json);
      auto sparse = stored(reason);
      sparse.figures = stored_figures(reason);
      const auto from_sparse = rendered(sparse);
      ASSERT_EQ(from_sparse.sentence, sentence) << sparse.figures;
      ASSERT_EQ(from_sparse.figures, json) << sparse.figures;
      names.insert(name_of(reason));
    }
    for (const auto& standing : random.standings()) {
      const auto json = figures_of(standing);
      const auto read = read_figures(Standing::kName, json);
      ASSERT_TRUE(read) << read.error() << "\n" << json;
      ASSERT_EQ(digest_of(std::get<Standing>(*read)), digest_of(standing)) << json;
      ASSERT_EQ(rendered({.stage = "prioritize", .reason = "standing", .figures = json}).sentence,
                "its place in the order: " + text_of(standing));
    }
  }
  EXPECT_EQ(names.size(), std::variant_size_v<Reason>);
}

TEST(Figures, HaveTheNamesOfTheField) {
  EXPECT_EQ(figures_of(reason::MaxJobsReached{.live_jobs = 3, .frozen_jobs = 1, .max_jobs = 4}),
            R"({"live_jobs":3,"frozen_jobs":1,"max_jobs":4})");
  EXPECT_EQ(figures_of(reason::PairBraked{{.reason = "3 jobs failed", .until = grid::from_unix(1'800'000'000)}}),
            R"({"brake":"3 jobs failed","until":"2027-01-15T08:00:00Z"})");
  EXPECT_EQ(figures_of(reason::Paused{}), "{}");
  EXPECT_EQ(figures_of(reason::Launched{bound::MaxJobs{8}}), R"({"bound":"max_jobs","max_jobs":8})");
  EXPECT_EQ(figures_of(reason::EarlierCampaigns{.job_resources = 1, .offered_resources = 0, .taken_resources = 8, .takers = {{12, 15}, 2}}),
            R"({"job_resources":1.0,"offered_resources":0.0,"taken_resources":8.0,"earlier_campaigns":[12,15]})");
  EXPECT_EQ(
      figures_of(Standing{.place = place::FairShare{.user = "ada", .priority = 0.15, .share = 0.25, .usage = 0.1}}),
      R"({"place":{"order":"fairshare","user":"ada","order_priority":0.15,"share":0.25,"usage":0.1,"usage_by_share":false,"branches":[]},)"
      R"("elsewhere":null,"priority_effect":null,"head_start":null,"given_priorities":[],"scarce_memory":[]})");
}

TEST(Figures, ThatAreMostlyZero_AreStoredOnlyIfTheyAreNot) {
  const OfferParts parts{.max_resources = 16, .flood_resources = 8, .waiting_resources = 8};
  EXPECT_EQ(stored_figures(reason::NoFreeResources{.job_resources = 4, .parts = parts}),
            R"({"job_resources":4.0,"max_resources":16,"free_resources":0,"flood_resources":8.0,"waiting_resources":8.0})");
  EXPECT_THAT(figures_of(reason::NoFreeResources{.job_resources = 4, .parts = parts}),
              HasSubstr(R"("kept_resources":0,"busy_resources":0,)"));
}

TEST(Figures, ThatAreMissingOrOfAnotherType_MakeASentenceThatNamesThem) {
  tests::RandomFigures random{tests::test_seed()};
  int damaged = 0;
  for (const auto& reason : random.reasons()) {
    const auto sound = stored(reason);
    for (const auto& name : names_of(sound.figures)) {
      const auto says_it = [&](const StoredDecision& decision) {
        const auto shown = rendered(decision);
        EXPECT_THAT(shown.sentence, StartsWith(fmt::format("decided on alpha: the reason is '{}', and its figures cannot be read ({} is ",
                                                           decision.reason, name)));
        EXPECT_THAT(shown.advice, IsEmpty());
        EXPECT_EQ(shown.figures, decision.figures);
        ++damaged;
      };
      auto decision = sound;
      decision.figures = without(sound.figures, name.c_str());
      if (!is_sparse(name)) says_it(decision);
      decision.figures = with(sound.figures, name.c_str(), R"({"a": ["b"]})");
      says_it(decision);
    }
  }
  EXPECT_GT(damaged, 200);
}

TEST(Figures, OutOfTheirBounds_AreNamed) {
  const auto why = [](const char* reason, const std::string& figures) {
    const auto read = read_figures(reason, figures);
    return read ? "it is read" : read.error();
  };
  EXPECT_EQ(why("frozen", R"({"frozen_jobs": 3000000000})"), "frozen_jobs is 3000000000, and must be an integer");
  EXPECT_EQ(why("frozen", R"({"frozen_jobs": 1.5})"), "frozen_jobs is 1.5, and must be an integer");
  EXPECT_EQ(why("frozen", R"({"frozen_jobs": null})"), "frozen_jobs is null, and must be an integer");
  EXPECT_EQ(why("script_first", R"({"preparation": "epilog"})"),
            "preparation is \"epilog\", and must be one of ready, prologue_due, prologue_runs, prologue_failed, epilogue_runs");
  EXPECT_THAT(why("launched", R"({"bound": "luck"})"), StartsWith("bound is \"luck\", and must be one of offer, bag, "));
  EXPECT_EQ(why("launched", R"({"bound": "max_jobs"})"), "max_jobs is missing");
  EXPECT_EQ(why("pair_braked", R"({"brake": "x", "until": "soon"})"), "until is \"soon\", and must be a time, as 2026-11-20T18:14:56Z");
  EXPECT_EQ(
      why("earlier_campaigns", R"({"job_resources": 1, "offered_resources": 1, "taken_resources": 1, "earlier_campaigns": [1, 2, 3, 4]})"),
      "earlier_campaigns is [1,2,3,4], and must be at most 3 campaigns");
  EXPECT_EQ(why("not_mapped", fmt::format(R"({{"user": ["{}"]}})", std::string(1000, 'x'))), "user is too long, and must be a string");
  EXPECT_EQ(why("frozen", R"({"frozen_jobs": 3, "colour": "red"})"), "it is read") << "a later version may add figures";
  EXPECT_EQ(why("frozen", "[]"), "they are no JSON object");
  EXPECT_EQ(why("frozen", "{"), "they are no JSON object");
  EXPECT_EQ(why("frozen", std::string(100000, '[')), "they are no JSON object");
  EXPECT_EQ(why("bad_weather", "{}"), "this version knows no reason 'bad_weather'");
}

TEST(Figures, OfExtremeSize_AreRendered) {
  EXPECT_THAT(rendered({.stage = "feasible",
                        .reason = "too_big",
                        .figures = R"({"resources_per_job":2147483647,"max_resources":2147483647,"kept_resources":-2147483648,)"
                                   R"("suspected_resources":2147483647,"absent_resources":2147483647,"dead_resources":2147483647,)"
                                   R"("most_resources_per_job":2147483647})",
                        .cluster = "alpha"})
                  .sentence,
              HasSubstr("as 6442450941 are out of use"));
}

TEST(StoredDecisions, OfAnUnknownReasonOrStage_SaySo) {
  EXPECT_EQ(rendered({.stage = "match", .reason = "bad_weather", .figures = R"({"rain_mm": 3})", .cluster = "alpha"}).sentence,
            "decided on alpha: the reason is 'bad_weather', and its figures cannot be read (this version knows no reason 'bad_weather'); "
            "another version of the grid wrote them, or they were damaged");
  EXPECT_EQ(
      rendered({.stage = "dream", .reason = "paused", .figures = "{}"}).sentence,
      "decided on the campaign: the reason is 'paused', and its figures cannot be read (this version knows no stage 'dream'); another "
      "version of the grid wrote them, or they were damaged");
}

TEST(StoredDecisions, FromBeforeTheMigration_KeepTheirSentence) {
  const auto shown =
      rendered({.stage = "match", .reason = "no_free_resources", .figures = R"({"sentence": "alpha is full"})", .cluster = "alpha"});
  EXPECT_EQ(shown.sentence, "alpha is full");
  EXPECT_EQ(shown.figures, R"({"sentence": "alpha is full"})");
}

TEST(Advice, IsAPartOfTheSentence) {
  tests::RandomFigures random{tests::test_seed()};
  for (int round = 0; round < kRounds; ++round) {
    for (const auto& reason : random.reasons()) {
      const auto [sentence, advice] = explained(Stage::throttle, reason, 4, "alpha");
      ASSERT_THAT(sentence, HasSubstr(advice));
    }
  }
}

TEST(Advice, IsACommandOrAStep_WhereOneHelps) {
  const auto advice = [](const Reason& reason) { return explained(Stage::feasible, reason, 0, "alpha").advice; };
  EXPECT_EQ(advice(reason::Paused{}), "'gridsub --resume' resumes it");
  EXPECT_EQ(advice(reason::TasksHeld{.tasks = 2}), "'gridsub --resume ID --task 0-*' releases them");
  EXPECT_EQ(advice(reason::ClusterDisabled{}), "'gridctl cluster enable alpha' enables it");
  EXPECT_EQ(advice(reason::NotMapped{"ada"}), "an administrator can map one");
  EXPECT_EQ(advice(reason::NoToken{"ada"}), "'gridtoken add alpha' gives one, which 'oarsub -T' prints there");
  EXPECT_EQ(advice(reason::MaxJobsReached{.max_jobs = 0}), "'gridsub --edit ID clusters.alpha=on'");
  EXPECT_EQ(advice(reason::TooBig{.resources_per_job = 32, .max_resources = 16}), "a request of at most 16 in the JDL fits");
  EXPECT_EQ(advice(reason::LimitReached{{.id = 7, .most = 5, .used = 5}}),
            "more jobs start on alpha when jobs end, or with a larger limit ('gridctl limit set')");
  EXPECT_EQ(advice(reason::Launched{bound::MaxJobs{4}}), "more start when jobs end, or with a larger max_jobs");
  grid::Awaited awaited{
      .campaign = grid::CampaignId{12}, .state = grid::CampaignState::terminated, .tasks = 4, .failed = 2, .first_failed = 1};
  EXPECT_EQ(advice(reason::Awaits{awaited}), "'gridsub --retry 12' runs them again");
  awaited.state = std::nullopt;
  EXPECT_EQ(advice(reason::Awaits{awaited}), "cancel this one, and submit it again");
  EXPECT_EQ(advice(reason::TasksFollow{.tasks = 2, .clusters = {"beta"}}), R"("after_each_cluster": "any" frees them)");
  for (const auto& waits :
       std::vector<Reason>{reason::Unreachable{}, reason::NoFreeResources{}, reason::Probing{}, reason::Launched{bound::Bag{}}})
    EXPECT_THAT(advice(waits), IsEmpty()) << name_of(waits);
}

TEST(Rounded, KeepsTheTextOfItsDecimals) {
  tests::RandomFigures random{tests::test_seed()};
  for (int i = 0; i < 10000; ++i) {
    const double value = random.number() / 1999.0;
    for (const int decimals : {0, 1, 2, 3})
      ASSERT_EQ(fmt::format("{:.{}f}", rounded(value, decimals), decimals), fmt::format("{:.{}f}", value, decimals)) << value;
  }
  EXPECT_EQ(rounded(0.0005, 3), 0.001);
  EXPECT_FALSE(std::signbit(rounded(-0.0001, 3)));
}

}  // namespace
}  // namespace gleaner::decisions
