#include <fmt/format.h>
#include <gmock/gmock.h>

#include "lib/grid/input_files.hpp"
#include "lib/store/inputs.hpp"
#include "tests/db/grid_fixture.hpp"

namespace gleaner::tests {
namespace {

using ::testing::IsEmpty;

/// Which tasks of a bag may go to a cluster while input files are brought there.
class InputTasks : public GridFixture {
 protected:
  /// Each task reads a file of its own, of one piece.
  void give_files(grid::CampaignId campaign, int tasks) {
    std::vector<grid::InputFile> files;
    for (int task = 0; task < tasks; ++task)
      files.push_back({.path = std::to_string(task), .sha256 = std::string(64, 'a'), .bytes = grid::kInputPiece, .readers = {task, task}});
    grid::place_inputs(files);
    transact([&](store::Transaction& t) { store::attach_inputs(t, campaign, "{1}", files, tasks); });
  }
  [[nodiscard]] static store::InputsToSend to_send(grid::CampaignId campaign, std::int64_t sent = 0) {
    return {.campaign = campaign, .login = "alice", .sent = sent};
  }
  /// As the runner does it: all pieces that the next `ahead` tasks lack.
  void bring(grid::CampaignId campaign, grid::ClusterId cluster, std::int64_t ahead) {
    transact([&](store::Transaction& t) {
      store::want_inputs(t, std::vector{store::WantedInputs{campaign, cluster, ahead}}, now);
      const auto begun = store::begin_inputs(t, cluster, to_send(campaign)).value();
      const auto files = store::inputs_of(t, campaign);
      grid::InputsThere there{files, begun.tasks, begun.there};
      const auto pieces = begun.for_all ? there.missing() : there.missing_for(begun.next);
      for (const auto piece : pieces) there.add(piece);
      const store::SentInputs sent{.pieces = grid::ranges_of(pieces), .lacking = there.lacking(), .ahead = begun.ahead};
      ASSERT_TRUE(store::note_inputs_sent(t, cluster, to_send(campaign, begun.sent), sent, now));
      if (!there.is_complete()) return;
      ASSERT_TRUE(store::note_inputs_complete(t, cluster, to_send(campaign, begun.sent + std::ssize(pieces)), now));
    });
  }
  [[nodiscard]] std::optional<grid::MissingInputs> missing(grid::CampaignId campaign, grid::ClusterId cluster) {
    grid::PlanningFacts facts;
    transact([&](store::Transaction& t) { facts = store::planning_facts(t, {0.5, 500}, now); });
    for (const auto& pair : facts.pairs) {
      if (pair.campaign == campaign && pair.cluster == cluster) return pair.missing_inputs;
    }
    throw std::logic_error{"there is no such pair"};
  }
  [[nodiscard]] std::optional<std::int64_t> ready(grid::CampaignId campaign, grid::ClusterId cluster) {
    const auto found = missing(campaign, cluster);
    return found ? std::optional{found->ready} : std::nullopt;
  }
  /// Plans a launch. Returns its tasks.
  std::string taken(grid::CampaignId campaign, grid::ClusterId cluster, int jobs, int pooled = 0) {
    const auto before = value("SELECT coalesce(max(id), 0) FROM jobs");
    transact([&](store::Transaction& t) {
      store::plan_launch(t, {.campaign = campaign, .cluster = cluster, .jobs = jobs, .pooled = pooled, .resources = 100.0}, term, now);
    });
    return value(fmt::format("SELECT coalesce(string_agg(task::text, ' ' ORDER BY task), '') FROM jobs WHERE id > {}", before));
  }
};

TEST_F(InputTasks, Document003_AreTaken_WhenTheirFilesAreThere_AndNoOthers) {
  const auto campaign = a_campaign(10);
  EXPECT_EQ(ready(campaign, alpha), std::nullopt) << "it has no input files";
  give_files(campaign, 10);
  EXPECT_EQ(ready(campaign, alpha), 0);
  EXPECT_EQ(taken(campaign, alpha, 5), "");
  bring(campaign, alpha, 3);
  EXPECT_EQ(ready(campaign, alpha), 3);
  EXPECT_EQ(ready(campaign, beta), 0);
  EXPECT_EQ(taken(campaign, beta, 5), "");
  EXPECT_EQ(taken(campaign, alpha, 2, 3), "0 1 2") << "pooled ones, too";
  EXPECT_EQ(ready(campaign, alpha), 0);
  EXPECT_EQ(missing(campaign, alpha)->bytes, 7 * grid::kInputPiece) << "what the next tasks lack is not known yet";
  bring(campaign, beta, 2);
  EXPECT_EQ(value(fmt::format("SELECT inputs_there FROM campaign_clusters WHERE cluster_id = {}", beta.value())), "{[3,5)}")
      << "what the tasks read that are left, and nothing else";
  EXPECT_EQ(taken(campaign, beta, 1), "3");
  EXPECT_EQ(ready(campaign, beta), 1);
  bring(campaign, alpha, 100);
  EXPECT_EQ(ready(campaign, alpha), 6);
  EXPECT_EQ(taken(campaign, alpha, 100), "4 5 6 7 8 9");
  EXPECT_EQ(counters(campaign), recount(campaign));
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(InputTasks, ThatWereGivenBack_GoWhereTheirFilesAre) {
  const auto campaign = a_campaign(6);
  give_files(campaign, 6);
  bring(campaign, alpha, 6);
  EXPECT_EQ(ready(campaign, alpha), std::nullopt) << "all is there";
  const auto jobs = launched(campaign, alpha, 4);
  bring(campaign, beta, 1);
  take_back(jobs[2]);
  EXPECT_EQ(ready(campaign, beta), 1);
  EXPECT_EQ(taken(campaign, beta, 6), "4") << "and not 2, whose file is not there";
  bring(campaign, beta, 1);
  EXPECT_EQ(ready(campaign, beta), 2);
  EXPECT_EQ(taken(campaign, beta, 6), "2 5");
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(InputTasks, ThatAreHeldOrCancelledBetween_ArePassed_AndNoneIsLost) {
  const auto campaign = a_campaign(8);
  give_files(campaign, 8);
  bring(campaign, alpha, 1);
  execute(
      fmt::format("INSERT INTO returned_tasks (campaign_id, number, returned_at, held_by, held_at) SELECT {}, n, now(), 'alice', now() "
                  "FROM generate_series(1, 3) n",
                  campaign.value()));
  execute("UPDATE campaigns SET skipped = 3, held = 3");
  EXPECT_EQ(taken(campaign, alpha, 8), "0");
  EXPECT_EQ(taken(campaign, alpha, 8), "") << "the cursor stays before 4, whose file is not there";
  bring(campaign, alpha, 5);
  EXPECT_EQ(taken(campaign, alpha, 8), "4 5");
  bring(campaign, alpha, 5);
  EXPECT_EQ(taken(campaign, alpha, 8), "6 7");
}

TEST_F(InputTasks, WithRequestsOfTheirOwn_AreTakenInTheOrderOfEach) {
  const auto campaign = asking_different_things(8);
  give_files(campaign, 8);
  EXPECT_EQ(taken(campaign, alpha, 8), "");
  bring(campaign, alpha, 1);
  EXPECT_EQ(ready(campaign, alpha), 2) << "one of each request";
  EXPECT_EQ(taken(campaign, alpha, 8), "0 1");
  bring(campaign, alpha, 2);
  EXPECT_EQ(taken(campaign, alpha, 8), "2 3 4 5");
  EXPECT_EQ(counters(campaign), recount(campaign));
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(InputTasks, ThatWereAppended_WaitForAllFiles) {
  const auto campaign = a_campaign(4);
  give_files(campaign, 3);
  bring(campaign, alpha, 3);
  EXPECT_EQ(ready(campaign, alpha), std::nullopt) << "all is there";
  bring(campaign, beta, 1);
  EXPECT_EQ(taken(campaign, alpha, 3), "0 1 2");
  EXPECT_EQ(ready(campaign, beta), 0);
  EXPECT_EQ(taken(campaign, beta, 3), "");
  bring(campaign, beta, 1);
  EXPECT_EQ(taken(campaign, beta, 3), "3");
}

TEST_F(InputTasks, OfACampaignWithReplicas_HaveAllFilesBrought) {
  const auto campaign = a_campaign(4);
  execute("UPDATE campaigns SET jdl = '{\"replicas\": \"allowed\"}'");
  give_files(campaign, 4);
  bring(campaign, alpha, 1);
  EXPECT_EQ(ready(campaign, alpha), std::nullopt);
}

TEST_F(InputTasks, WhoseFilesAreToBeSentAgain_Wait) {
  const auto campaign = a_campaign(4);
  give_files(campaign, 4);
  bring(campaign, alpha, 2);
  transact([&](store::Transaction& t) { store::send_inputs_again(t, campaign, alpha); });
  EXPECT_EQ(ready(campaign, alpha), 0);
  EXPECT_EQ(taken(campaign, alpha, 2), "");
  bring(campaign, alpha, 2);
  // The user's login there is another one now: the files are in another home.
  execute(fmt::format("INSERT INTO user_mappings (user_name, cluster_id, login) VALUES ('alice', {}, 'al')", alpha.value()));
  EXPECT_EQ(ready(campaign, alpha), 0);
  EXPECT_EQ(taken(campaign, alpha, 2), "");
}

TEST_F(InputTasks, OfATurnThatAnotherOneOvertook_AreNotRecorded) {
  const auto campaign = a_campaign(3);
  give_files(campaign, 3);
  bring(campaign, alpha, 1);
  transact([&](store::Transaction& t) { EXPECT_FALSE(store::note_inputs_sent(t, alpha, to_send(campaign, 7), {.ahead = 1}, now)); });
  EXPECT_EQ(ready(campaign, alpha), 1);
}

}  // namespace
}  // namespace gleaner::tests
