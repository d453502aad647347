// Document 002, "Calculating Project Ranking", "Random Ticket Draw", "Simultaneous Project Processing": what a ranking is made of,
// and what comes of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "metascheduler/planner/draft.hpp"
#include "metascheduler/planner/orders/tickets.hpp"
#include "metascheduler/planner/stages.hpp"
#include "tests/unit/planner_builders.hpp"

namespace gleaner::planner::test {
namespace {

/// The draw among all campaigns of a snapshot.
class TicketDraw {
 public:
  explicit TicketDraw(Snapshot snapshot, std::uint64_t seed = 1)
      : snapshot_{std::move(snapshot)}, draft_{snapshot_, config_}, contenders_{feasible(draft_)}, among_{snapshot_, config_, contenders_,
                                                                                                          {},        16.0,    seed} {
    for (std::size_t i = 0; i < contenders_.size(); ++i) among_.members.push_back(i);
    turns_ = Tickets{}.turns(among_);
  }
  TicketDraw(const TicketDraw&) = delete;
  TicketDraw& operator=(const TicketDraw&) = delete;

  [[nodiscard]] std::string standing(std::size_t campaign) const { return decisions::text_of(turns_->place(campaign).value()); }
  /// One of the inputs, or "ranking", their sum, as the standing states it.
  [[nodiscard]] double told(std::size_t campaign, const std::string& input) const {
    const auto text = standing(campaign);
    for (const auto* before : {": ", "= ", "+ "}) {
      const auto whole = before + input + ' ';
      if (const auto at = text.find(whole); at != std::string::npos) return std::stod(text.substr(at + whole.size()));
    }
    ADD_FAILURE() << "no " << input << " in " << text;
    return 0.0;
  }
  [[nodiscard]] std::optional<Turn> next() { return turns_->next(); }
  void serve(std::size_t campaign, int jobs) {
    turns_->served({.contender = campaign, .most_resources = 1.0}, {.resources = 1.0 * jobs, .jobs = jobs});
  }
  void exhaust(std::size_t campaign) { turns_->served({.contender = campaign, .most_resources = 1.0}, {.exhausted = true}); }
  /// The part of so many draws that each campaign wins.
  [[nodiscard]] std::map<std::size_t, double> shares(int draws) {
    std::map<std::size_t, double> shares;
    for (int i = 0; i < draws; ++i) shares[next().value().contender] += 1.0 / draws;
    return shares;
  }

 private:
  Snapshot snapshot_;
  PlannerConfig config_{.campaign_order = "tickets"};
  Draft draft_;
  std::vector<Contender> contenders_;
  Class among_;
  std::unique_ptr<Turns> turns_;
};

/// Ada's campaign has been there for 3000 s and holds the fast alpha, bob's for 1500 s and holds the slow beta, eve's has just come.
Snapshot three_that_differ_in_all() {
  auto snapshot = users({"ada", "bob", "eve"});
  snapshot.now = grid::from_unix(4000);
  snapshot.clusters[0].power = 2.0;
  snapshot.clusters.push_back(a_cluster(2, "beta"));
  snapshot.pairs.push_back(a_pair(2, 2));
  snapshot.users = {{.name = "bob", .priority = 1}, {.name = "eve", .priority = 7}};  // ada has what all have: 4
  const std::array<std::int64_t, 3> submitted{1000, 2500, 4000};
  const std::array<int, 3> priorities{4, 2, 6};
  const std::array<double, 3> used{600, 1200, 0};
  for (std::size_t i = 0; i < 3; ++i) {
    snapshot.campaigns[i].submitted = grid::from_unix(submitted[i]);
    snapshot.campaigns[i].priority = priorities[i];
    snapshot.campaigns[i].used_resource_seconds = used[i];
  }
  snapshot.pairs[0].live_jobs = 4;  // of ada on alpha
  snapshot.pairs[3].live_jobs = 2;  // of bob on beta
  return snapshot;
}

TEST(TicketRanking, IsTheSumOfItsSevenInputs_AndTheTicketsAreTheSumOfAllRankingsByTheOwn) {
  const TicketDraw draw{three_that_differ_in_all()};
  // 4/7 + 4/7 + 0 + 600/1200 + 4/4 + 1/3 + 8/8 = 3.976; 1/7 + 2/7 + 1/2 + 1 + 2/4 + 2/3 + 2/8 = 3.345; 1 + 6/7 + 1 + 0 + 0 + 1 + 0
  // = 3.857: 11.179
  EXPECT_EQ(draw.standing(0),
            "2.8 tickets of 3 rankings: ranking 3.98 = user priority 0.57 + priority 0.57 + wall clock 0.00 + CPU time 0.50 + "
            "resources 1.00 + creation 0.33 + power 1.00");
  EXPECT_EQ(draw.standing(1),
            "3.3 tickets of 3 rankings: ranking 3.35 = user priority 0.14 + priority 0.29 + wall clock 0.50 + CPU time 1.00 + "
            "resources 0.50 + creation 0.67 + power 0.25");
  EXPECT_EQ(draw.standing(2),
            "2.9 tickets of 3 rankings: ranking 3.86 = user priority 1.00 + priority 0.86 + wall clock 1.00 + CPU time 0.00 + "
            "resources 0.00 + creation 1.00 + power 0.00");
}

TEST(TicketRanking, DecidesHowManyOfTheDrawsEachWins) {
  TicketDraw draw{three_that_differ_in_all()};
  const auto shares = draw.shares(20'000);
  const double all = 1 / 3.976 + 1 / 3.345 + 1 / 3.857;
  // Five standard deviations of a binomial draw are under 0.017.
  EXPECT_NEAR(shares.at(0), 1 / 3.976 / all, 0.017);
  EXPECT_NEAR(shares.at(1), 1 / 3.345 / all, 0.017);
  EXPECT_NEAR(shares.at(2), 1 / 3.857 / all, 0.017);
}

TEST(TicketRanking, OfEachInput_OneThatIsOthersMisfortune_GivesFewerTickets) {
  struct Input {
    std::string name;
    std::function<void(Snapshot&)> change;  ///< of the second campaign, beside a first one like it
    enum class Tickets { more, fewer } tickets;
  };
  const std::vector<Input> inputs{
      {"user priority", [](Snapshot& s) { s.users = {{.name = "bob", .priority = 1}}; }, Input::Tickets::more},
      {"user priority", [](Snapshot& s) { s.users = {{.name = "bob", .priority = 7}}; }, Input::Tickets::fewer},
      {"priority", [](Snapshot& s) { s.campaigns[1].priority = 1; }, Input::Tickets::more},
      {"priority", [](Snapshot& s) { s.campaigns[1].priority = 6; }, Input::Tickets::fewer},
      {"wall clock", [](Snapshot& s) { s.campaigns[1].submitted = grid::from_unix(7000); }, Input::Tickets::fewer},
      {"CPU time", [](Snapshot& s) { s.campaigns[1].used_resource_seconds = 600; }, Input::Tickets::fewer},
      {"resources", [](Snapshot& s) { s.pairs[1].live_jobs = 3; }, Input::Tickets::fewer},
      {"power", [](Snapshot& s) { s.pairs[1].live_jobs = 3; }, Input::Tickets::fewer},
  };
  auto alike = users({"ada", "bob"});
  alike.now = grid::from_unix(9000);
  for (auto& campaign : alike.campaigns) campaign.submitted = grid::from_unix(5000);
  const TicketDraw before{alike};
  EXPECT_LT(before.told(0, "creation"), before.told(1, "creation")) << "of campaigns of one moment, the smaller id came first";
  EXPECT_LT(before.told(0, "ranking"), before.told(1, "ranking"));
  for (const auto& input : inputs) {
    auto snapshot = alike;
    input.change(snapshot);
    const TicketDraw after{snapshot};
    const double change = after.told(1, input.name) - before.told(1, input.name);
    EXPECT_TRUE(input.tickets == Input::Tickets::more ? change < 0 : change > 0) << input.name << ": " << after.standing(1);
    EXPECT_GT((after.told(1, "ranking") - before.told(1, "ranking")) * change, 0.0) << input.name << ": " << after.standing(1);
    EXPECT_DOUBLE_EQ(after.told(1, "creation"), before.told(1, "creation")) << input.name;
  }
}

TEST(TicketRanking, JobsOnFasterClusters_WeighMore) {
  auto snapshot = users({"ada", "bob"});
  snapshot.clusters.push_back(a_cluster(2, "fast"));
  snapshot.clusters[1].power = 4.0;
  snapshot.pairs[1].cluster = cluster_id(2);
  for (auto& pair : snapshot.pairs) pair.live_jobs = 3;
  const TicketDraw draw{snapshot};
  EXPECT_DOUBLE_EQ(draw.told(0, "resources"), draw.told(1, "resources"));
  EXPECT_DOUBLE_EQ(draw.told(0, "power"), 0.25);
  EXPECT_DOUBLE_EQ(draw.told(1, "power"), 1.0);
}

TEST(TicketRanking, CountsTheJobsThatThisPlanGave_AtTheNextDraw) {
  auto snapshot = users({"ada", "bob"});
  snapshot.pairs[0].live_jobs = 8;
  TicketDraw draw{snapshot};
  EXPECT_DOUBLE_EQ(draw.told(1, "resources"), 0.0);
  draw.serve(1, 4);
  EXPECT_DOUBLE_EQ(draw.told(1, "resources"), 0.5);
  const double others = draw.told(0, "ranking"), its = draw.told(1, "ranking");
  EXPECT_NEAR(draw.shares(20'000).at(1), others / (others + its), 0.02);
}

TEST(TicketRanking, WhoCanBeGivenNoMore_LeavesTheDrawToTheOthers) {
  TicketDraw draw{three_that_differ_in_all()};
  draw.exhaust(1);
  EXPECT_THAT(draw.shares(1000), testing::UnorderedElementsAre(testing::Key(0), testing::Key(2)));
  draw.exhaust(0);
  draw.exhaust(2);
  EXPECT_FALSE(draw.next());
}

// ------------------------------------------------------------------ 002, figure 4

/// Two projects of one user on four cores, a step after the other: what each one got.
std::vector<std::pair<int, int>> steps_of_figure_4(int steps, bool simultaneous) {
  Snapshot snapshot{
      .clusters = {a_cluster(1)}, .campaigns = {a_campaign(1, 1000), a_campaign(2, 1000)}, .pairs = {a_pair(1, 1), a_pair(2, 1)}};
  snapshot.clusters[0].max_resources = snapshot.clusters[0].free_resources = 4;
  snapshot.now = grid::from_unix(10'000);
  std::vector<std::pair<int, int>> got;
  for (int step = 0; step < steps; ++step) {
    snapshot.seed = static_cast<std::uint64_t>(step);
    const auto result = plan(snapshot, {.campaign_order = "tickets", .simultaneous = simultaneous});
    got.emplace_back(jobs_on(result, 1, 1), jobs_on(result, 2, 1));
    for (auto* const campaign : {&snapshot.campaigns[0], &snapshot.campaigns[1]}) {
      const int jobs = campaign == &snapshot.campaigns[0] ? got.back().first : got.back().second;
      campaign->waiting_tasks -= jobs;
      campaign->used_resource_seconds += 60.0 * jobs;  // all have ended when the next step comes
    }
    snapshot.now += std::chrono::seconds{60};
  }
  return got;
}

TEST(Document002, Figure4_TwoProjectsOfOneUser_ShareFourCoresEvenly_ThoughNotInEachStep) {
  const auto steps = steps_of_figure_4(200, true);
  double first = 0.0;
  for (const auto& [one, two] : steps) {
    EXPECT_EQ(one + two, 4) << "no core stays idle";
    first += one;
  }
  // Over 800 draws with equal chances, five standard deviations are under 0.09.
  EXPECT_NEAR(first / 800.0, 0.5, 0.09);
  EXPECT_THAT(steps, testing::Contains(std::pair{3, 1})) << "step 2 of the figure";
  EXPECT_THAT(steps, testing::Contains(std::pair{1, 3})) << "step 3 of the figure";
  EXPECT_THAT(steps, testing::Contains(std::pair{2, 2}));
}

TEST(Document002, Figure4_WithoutSimultaneous_TheSecondProjectWaitsForTheFirst) {
  for (const auto& step : steps_of_figure_4(50, false)) EXPECT_EQ(step, (std::pair{4, 0}));
}

}  // namespace
}  // namespace gleaner::planner::test
