#include "nikita/clean.hpp"

#include <gmock/gmock.h>

#include "lib/process/options.hpp"
#include "lib/store/clean.hpp"
#include "lib/store/detail.hpp"
#include "lib/store/prune.hpp"
#include "nikita/purge.hpp"
#include "tests/db/fake_cluster.hpp"
#include "tests/db/grid_fixture.hpp"

/// The removal of files that campaigns left, when homes stall and campaigns continue.
namespace gleaner::tests {
namespace {

using namespace std::chrono_literals;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class Cleaning : public GridFixture {
 protected:
  /// A campaign with one launch there, by this login, whose only job is done.
  grid::CampaignId a_finished_campaign(const std::string& login) {
    const auto campaign = a_campaign(1, {"alpha"});
    end(launched(campaign, alpha, 1).at(0), grid::JobEnd::done);
    execute(fmt::format("UPDATE launches SET login = '{}' WHERE campaign_id = {}", login, campaign.value()));
    return campaign;
  }
  /// The same, and it ended long ago.
  grid::CampaignId an_ended_campaign(const std::string& login) {
    const auto campaign = a_finished_campaign(login);
    execute(fmt::format("UPDATE campaigns SET state = 'terminated', ended_at = now() - interval '1 day' WHERE id = {}", campaign.value()));
    return campaign;
  }
  nikita::Cleaned clean() {
    std::optional<store::Cluster> known;
    transact([&](store::Transaction& t) { known = store::find_cluster(t, "alpha"); });
    fleet::SharedDatabase shared{database, term};
    oar::Client client{cluster.access(), fleet::limits_of(config)};
    fleet::Visit visit{*known, config, shared, client};
    return nikita::clean(visit, "grid");
  }
  static std::string folder(grid::CampaignId campaign) { return fmt::format("/media/~/.gleaner/grid/{}", campaign.value()); }
  std::string cleaned(grid::CampaignId campaign) {
    return value(fmt::format("SELECT cleaned_at IS NOT NULL FROM campaign_clusters WHERE campaign_id = {}", campaign.value()));
  }
  /// A concurrent change by somebody else.
  void reopen(grid::CampaignId campaign) {
    store::Database other{conninfo};
    auto transaction = other.begin();
    transaction.implementation().work.exec(
        fmt::format("UPDATE campaigns SET state = 'in_treatment', ended_at = NULL WHERE id = {}", campaign.value()));
    transaction.commit();
  }

  FakeCluster cluster;
  process::Config config = process::default_config();
};

TEST_F(Cleaning, AHomeThatStalls_OrFails_StopsNeitherOtherCampaigns_NorTheCrowdedOnes) {
  for (int i = 0; i < 22; ++i) an_ended_campaign("xavier");  // more than are read at once
  const auto crowded = a_finished_campaign("alice");
  execute(fmt::format("UPDATE launches SET files = 100000 WHERE campaign_id = {}", crowded.value()));
  for (const auto mood : {Mood::hangs, Mood::fails}) {
    const auto other = an_ended_campaign("alice");
    execute("UPDATE launches SET cleaned_at = NULL, files = 100000 WHERE campaign_id = " + std::to_string(crowded.value()));
    cluster.set("xavier", mood);
    const auto gone = clean();
    EXPECT_EQ(gone.campaigns, 1);
    EXPECT_EQ(gone.folders, 1);
    EXPECT_EQ(cleaned(other), "t");
  }
  EXPECT_THAT(cluster.requests("DELETE xavier"), SizeIs(2)) << "one in each turn";
  cluster.set("xavier", Mood::answers);
  EXPECT_EQ(clean().campaigns, 22);
}

/// Three homes take more than a turn's time, in each turn.
TEST_F(Cleaning, HomesThatStall_TakeTurnsWithOthers_AndLeaveTimeForTheCrowdedOnes) {
  const std::vector<std::string> silent{"xavier", "yvonne", "zoe"};
  for (const auto& login : silent) {
    an_ended_campaign(login);
    cluster.set(login, Mood::hangs);
  }
  const auto other = an_ended_campaign("alice");
  const auto crowded = a_finished_campaign("alice");
  execute(fmt::format("UPDATE launches SET files = 100000 WHERE campaign_id = {}", crowded.value()));
  auto gone = clean();
  EXPECT_EQ(gone.folders, 1) << "crowded ones have time of their own";
  for (int turn = 0; turn < 3 && cleaned(other) == "f"; ++turn) clean();
  EXPECT_EQ(cleaned(other), "t");
  EXPECT_EQ(value("SELECT count(*) FROM campaigns c JOIN campaign_clusters p ON p.campaign_id = c.id WHERE c.state = 'terminated' AND "
                  "clean_tried_at IS NOT NULL AND cleaned_at IS NULL"),
            "3");
}

TEST_F(Cleaning, ACampaignThatGoesOnMeanwhile_KeepsItsClaims_AndIsNotNotedAsCleaned) {
  const auto first = an_ended_campaign("alice");
  const auto second = an_ended_campaign("alice");
  cluster.when("DELETE alice " + folder(first), [&] {
    reopen(first);
    reopen(second);
  });
  EXPECT_EQ(clean().campaigns, 0);
  EXPECT_EQ(cleaned(first), "f") << "it went on while its folder was removed";
  EXPECT_EQ(value("SELECT count(*) FROM launches WHERE cleaned_at IS NOT NULL"), "0");
  EXPECT_EQ(cleaned(second), "f");
  EXPECT_THAT(cluster.requests(folder(second)), IsEmpty());
}

/// Both clusters' jobs have their claims, and their checkpoints, in one folder.
TEST_F(Cleaning, Document003_OfAClusterThatSharesTheHome_WaitsForWhatMayStillAppearOnTheOther) {
  execute("UPDATE clusters SET shared_home = 'site'");
  const auto campaign = a_campaign(4, {"alpha", "beta"});
  end(launched(campaign, alpha, 1).at(0), grid::JobEnd::done);
  const auto late = launched(campaign, beta, 1).at(0);
  end(launched(campaign, beta, 1).at(0), grid::JobEnd::done);
  execute("UPDATE launches SET login = 'alice'");
  execute("UPDATE campaigns SET state = 'cancelled', ended_at = now() - interval '1 day'");
  const auto on_alpha = [&] {
    return value("SELECT cleaned_at IS NOT NULL FROM campaign_clusters p JOIN clusters k ON k.id = p.cluster_id WHERE k.name = 'alpha'");
  };
  EXPECT_EQ(clean().campaigns, 0);
  EXPECT_EQ(on_alpha(), "f") << "a job lives on beta";
  EXPECT_THAT(cluster.requests("DELETE alice " + folder(campaign)), IsEmpty());
  end(late, grid::JobEnd::done);
  execute("UPDATE launches SET state = 'void', settled_at = now() WHERE cluster_id = (SELECT id FROM clusters WHERE name = 'beta')");
  EXPECT_EQ(clean().campaigns, 0) << "a job of a void launch may still begin on beta";
  execute("UPDATE launches SET state = 'accepted' WHERE cluster_id = (SELECT id FROM clusters WHERE name = 'beta')");
  execute("UPDATE campaign_clusters SET inputs_login = 'alice', inputs_sent = 3, inputs_at = now(), clean_tried_at = NULL");
  EXPECT_EQ(clean().campaigns, 1);
  EXPECT_EQ(on_alpha(), "t");
  EXPECT_EQ(
      value("SELECT inputs_sent || ' ' || (inputs_at IS NULL) || ' ' || (cleaned_at IS NULL) FROM campaign_clusters p JOIN clusters k ON "
            "k.id = p.cluster_id WHERE k.name = 'beta'"),
      "0 true true")
      << "the input files are gone from the home of beta, too, which is cleaned in its own turn";
}

TEST_F(Cleaning, APurgedCampaign_GoesWhenItsFilesAreGone_AndUsersTakeTurns) {
  const auto purged = [&](const std::string& user) {
    const auto campaign = an_ended_campaign(user);
    execute(fmt::format("UPDATE campaigns SET user_name = '{}' WHERE id = {}", user, campaign.value()));
    transact([&](store::Transaction& t) {
      const auto sealed = store::seal_campaign(t, campaign);
      ASSERT_TRUE(sealed) << sealed.error();
      EXPECT_EQ(*sealed, "its files on alpha are removed within an hour, or when the cluster answers again");
    });
    return campaign;
  };
  const auto first = purged("xavier");
  const auto second = purged("xavier");
  const auto other = purged("alice");
  const auto kept = an_ended_campaign("alice");
  fleet::SharedDatabase shared{database, term};
  EXPECT_EQ(nikita::purge(shared), 0) << "their files are there";
  cluster.set("xavier", Mood::fails);
  clean();
  EXPECT_EQ(nikita::purge(shared), 1);
  EXPECT_EQ(value("SELECT string_agg(id::text, ' ' ORDER BY id) FROM campaigns"),
            fmt::format("{} {} {}", first.value(), second.value(), kept.value()));
  cluster.set("xavier", Mood::answers);
  clean();
  std::vector<grid::CampaignId> next;
  execute(fmt::format("UPDATE campaigns SET user_name = 'alice', purged_at = now(), sealed = true WHERE id = {}", kept.value()));
  transact([&](store::Transaction& t) { next = store::purged_campaigns(t, 2); });
  EXPECT_EQ(next, (std::vector{first, kept})) << "not both of one user";
  EXPECT_EQ(nikita::purge(shared), 3);
  EXPECT_EQ(value("SELECT (SELECT count(*) FROM tasks) + (SELECT count(*) FROM jobs) + (SELECT count(*) FROM campaigns)"), "0");
  static_cast<void>(other);
}

/// Jobs that were deleted while OAR launched them.
class LateStarts : public Cleaning {
 protected:
  /// Deleted with resources and without a file; its successor has the same attempt, and is done.
  grid::CampaignId overtaken(grid::JobEnd ending) {
    const auto campaign = a_campaign(1, {"alpha"});
    deleted(launched(campaign, alpha, 1).at(0), ending, grid::Witness::nothing);
    const auto successor = launched(campaign, alpha, 1).at(0);
    EXPECT_EQ(successor.attempt, 0);
    end(successor, grid::JobEnd::done);
    return campaign;
  }
  void deleted(const store::LiveJob& job, grid::JobEnd ending, grid::Witness witness) {
    const grid::RemoteEnd record{.record = grid::Record::deleted, .started = true};
    const grid::Evidence evidence{.witness = witness};
    transact([&](store::Transaction& t) {
      store::Verdict verdict{
          .left = store::facts_for_settling(t, std::array{job.id}).at(0), .state = grid::JobState::error, .end = ending, .started_at = now};
      verdict.left.job.claimed = grid::has_claimed(evidence);
      verdict.left.job.may_begin = grid::may_begin(record, evidence);
      verdict.settlement = grid::settle(verdict.left.task, verdict.left.job, ending, grid::Deletion::ours, many_attempts);
      store::settle_jobs(t, std::array{verdict}, now);
    });
  }
  std::size_t to_clean(grid::Instant quiet_since) {
    std::size_t campaigns = 0;
    transact([&](store::Transaction& t) {
      store::finish_campaigns(t, now);
      campaigns = store::campaigns_to_clean(t, alpha, now + 1h, quiet_since, now).size();
    });
    return campaigns;
  }
  std::optional<grid::Instant> late_since() {
    execute("UPDATE launches SET files = 100000");
    std::vector<store::LaunchFolder> folders;
    transact([&](store::Transaction& t) { folders = store::crowded_folders(t, alpha, now - 1h); });
    return folders.front().never_began_at;
  }
};

TEST_F(LateStarts, OfJobsThatWereDeletedBeforeTheyBegan_KeepTheirClaims_WhoeverDeletedThem) {
  for (const auto ending : {grid::JobEnd::killed_by_us, grid::JobEnd::killed_elsewhere}) {
    const auto campaign = overtaken(ending);
    EXPECT_EQ(late_since(), now) << "also while the campaign goes on";
    EXPECT_EQ(to_clean(now - 1h), 0U);
    EXPECT_EQ(to_clean(now + 1s), 1U) << "an hour later";
    execute(fmt::format(
        "DELETE FROM launches WHERE campaign_id = {0}; DELETE FROM jobs WHERE campaign_id = {0}; UPDATE campaign_clusters SET cleaned_at = now() WHERE campaign_id = {0}",
        campaign.value()));
  }
}

TEST_F(LateStarts, OfJobsThatHadBegun_SpentTheirAttempts_AndKeepNothing) {
  const auto campaign = a_campaign(1, {"alpha"});
  deleted(launched(campaign, alpha, 1).at(0), grid::JobEnd::killed_by_us, grid::Witness::started);
  const auto successor = launched(campaign, alpha, 1).at(0);
  EXPECT_EQ(successor.attempt, 1);
  end(successor, grid::JobEnd::done);
  EXPECT_EQ(late_since(), std::nullopt);
  EXPECT_EQ(to_clean(now - 1h), 1U);
}

}  // namespace
}  // namespace gleaner::tests
