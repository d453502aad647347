#include <fmt/format.h>
#include <gmock/gmock.h>

#include <array>

#include "lib/store/events.hpp"
#include "lib/store/kills.hpp"
#include "lib/store/prediction.hpp"
#include "lib/store/replicas.hpp"
#include "tests/db/grid_fixture.hpp"

/// A row that the database refuses is left out alone, with an event that names it; and nothing that a user's program printed is refused.
namespace gleaner::tests {
namespace {

using ::testing::HasSubstr;

class RefusedWrites : public GridFixture {
 protected:
  const grid::CampaignId nobody{4711};  ///< a campaign that is not there

  std::string refusals() {
    return value(
        "SELECT coalesce(string_agg(code || ' ' || coalesce(campaign_id::text, '-') || ' ' || occurrences, ', ' ORDER BY id), '') FROM events");
  }
  std::string message() { return value("SELECT message FROM events ORDER BY id DESC LIMIT 1"); }
};

TEST_F(RefusedWrites, AKillRequestOfAJobThatIsNotThere_KeepsNoOtherFromBeingAskedFor) {
  const auto jobs = launched(a_campaign(3), alpha, 3);
  const std::array asked{jobs[0].id, grid::JobId{99'999}, jobs[1].id, jobs[2].id};
  transact([&](store::Transaction& transaction) { store::request_kills(transaction, asked, store::KillReason::excess, now); });
  EXPECT_EQ(stored.kills().size(), 3U);
  EXPECT_EQ(refusals(), "WRITE_REFUSED - 1");
  EXPECT_THAT(message(), HasSubstr("the request to kill job 99999 (excess)"));
}

TEST_F(RefusedWrites, AForecastOfACampaignThatIsNotThere_KeepsNoOtherFromBeingWritten) {
  const auto campaign = a_campaign(1);
  std::vector<store::StoredForecast> forecasts;
  for (const auto of : {campaign, nobody}) {
    auto& forecast = forecasts.emplace_back();
    forecast.campaign = of;
    forecast.pairs = {{.cluster = alpha}, {.cluster = beta}};
    forecast.method = "throughput";
  }
  transact([&](store::Transaction& transaction) { store::write_forecasts(transaction, forecasts, now); });
  EXPECT_EQ(value("SELECT string_agg(DISTINCT campaign_id || ' ' || cluster_id, ', ') FROM forecasts"),
            fmt::format("{0} {1}, {0} {2}", campaign.value(), alpha.value(), beta.value()));
  EXPECT_EQ(value("SELECT string_agg(campaign_id || ' ' || method, ', ') FROM campaign_forecasts"),
            fmt::format("{} throughput", campaign.value()));
  EXPECT_EQ(refusals(), "EVENT_REFUSED - 1");
  EXPECT_THAT(message(), HasSubstr("4711")) << "the event names what could not be written";
}

TEST_F(RefusedWrites, ADecisionTwice_IsWrittenOnce_AndOfNoCampaign_KeepsNoOtherFromBeingWritten) {
  const auto campaign = a_campaign(1);
  const auto other = a_campaign(1);
  const auto decisions = [&](grid::CampaignId of) {
    const store::StoredDecision one{
        .campaign = of, .cluster = {}, .stage = "prioritize", .reason = "standing", .figures = R"({"n": "first"})", .jobs = 0};
    auto two = one;
    two.figures = R"({"n": "second"})";
    return std::vector{one, two};
  };
  const std::array<store::CampaignDigest, 2> digests{store::CampaignDigest{campaign, 1}, {other, 2}};
  transact([&](store::Transaction& transaction) { store::write_decisions(transaction, digests, decisions, nullptr, now); });
  EXPECT_EQ(value("SELECT string_agg(campaign_id || ' ' || (figures ->> 'n'), ', ' ORDER BY campaign_id) FROM decisions"),
            fmt::format("{} second, {} second", campaign.value(), other.value()));
  EXPECT_EQ(refusals(), "");

  const auto with_a_stranger = [&](grid::CampaignId of) {
    return std::vector{
        store::StoredDecision{.campaign = of, .cluster = alpha, .stage = "size", .reason = "none", .figures = "{}", .jobs = 0},
        store::StoredDecision{.campaign = nobody, .cluster = alpha, .stage = "size", .reason = "none", .figures = "{}", .jobs = 0}};
  };
  const std::array<store::CampaignDigest, 1> changed{store::CampaignDigest{campaign, 3}};
  transact([&](store::Transaction& transaction) { store::write_decisions(transaction, changed, with_a_stranger, nullptr, now); });
  EXPECT_EQ(value(fmt::format("SELECT count(*) FROM decisions WHERE cluster_id = {}", alpha.value())), "1");
  EXPECT_THAT(message(), HasSubstr("4711"));
}

TEST_F(RefusedWrites, ALaunchThatCannotBeWritten_KeepsNoOtherFromBeingPlanned_AndItsTasksWait) {
  const auto campaign = a_campaign(4);
  const auto other = a_campaign(4);
  execute(fmt::format(
      "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF NEW.campaign_id = {} THEN RAISE EXCEPTION 'a bug'; END IF; RETURN NEW; END $$",
      campaign.value()));
  execute("CREATE TRIGGER refuse BEFORE INSERT ON launches FOR EACH ROW EXECUTE FUNCTION refuse()");
  int got = 0, got_by_other = 0;
  transact([&](store::Transaction& transaction) {
    got = store::plan_launch(transaction, {.campaign = campaign, .cluster = alpha, .jobs = 4, .resources = 4}, term, now);
    got_by_other = store::plan_launch(transaction, {.campaign = other, .cluster = alpha, .jobs = 4, .resources = 4}, term, now);
  });
  EXPECT_EQ(got, 0);
  EXPECT_EQ(got_by_other, 4);
  EXPECT_EQ(counters(campaign), (Counters{4, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(recount(campaign), counters(campaign));
  EXPECT_EQ(refusals(), fmt::format("WRITE_REFUSED {} 1", campaign.value()));
  EXPECT_THAT(message(), HasSubstr("a launch of 4 jobs"));
}

TEST_F(RefusedWrites, AnEventOfACampaignThatIsGone_IsOneOnTheGrid_AndTheRestOfTheTransactionStays) {
  transact([&](store::Transaction& transaction) {
    store::open_event(transaction,
                      {.code = "TASK_ERROR", .target = {.campaign = nobody, .cluster = alpha}, .job = {}, .message = "it failed"}, now);
    store::open_event(transaction, {.code = "SINK", .target = {.campaign = {}, .cluster = alpha}, .job = {}, .message = "fine"}, now);
  });
  EXPECT_EQ(refusals(), "EVENT_REFUSED - 1, SINK - 1");
  EXPECT_THAT(stored.event("EVENT_REFUSED").message, HasSubstr("TASK_ERROR (campaign 4711"));
}

/// Latin-1, a NUL, an escape sequence, half a character, too much of it.
const std::string kPrinted = std::string{"caf\351 \0\x1b[31m \xE2\x82 ", 15} + std::string(10'000, 'x');

TEST_F(RefusedWrites, NoTextThatAProgramPrinted_IsAmongThem) {
  const auto campaign = a_campaign(3);
  const auto jobs = launched(campaign, alpha, 2);
  const auto launch = begun(campaign, beta, 1);
  transact([&](store::Transaction& transaction) {
    store::open_event(transaction,
                      {.code = "TASK_ERROR", .target = {.campaign = campaign, .cluster = alpha}, .job = {}, .message = kPrinted + "\nline"},
                      now);
    store::set_brake(transaction, {.campaign = campaign, .cluster = alpha}, kPrinted, {grid::Seconds{60}, grid::Seconds{60}}, now);
    store::Verdict verdict{.left = store::facts_for_settling(transaction, std::array{jobs[0].id}).at(0), .message = kPrinted};
    verdict.end = grid::JobEnd::task_error;
    verdict.settlement = grid::settle(verdict.left.task, verdict.left.job, verdict.end, grid::Deletion::none, {});
    store::settle_jobs(transaction, std::array{verdict}, now);
    store::mark_unknown(transaction, std::array{launch}, kPrinted, now);
    static_cast<void>(store::record_unreachable(transaction, alpha, kPrinted, now, now));
  });
  EXPECT_THAT(stored.event().message, testing::StartsWith("caf\uFFFD [31m \uFFFD\uFFFD xxx"));
  for (const auto* text : {"message FROM events", "reason FROM brakes", "message FROM jobs WHERE message IS NOT NULL",
                           "error FROM launches WHERE error IS NOT NULL", "last_error FROM clusters WHERE last_error IS NOT NULL"})
    EXPECT_EQ(value(std::string{"SELECT octet_length(m) FROM (SELECT "} + text + ") t (m)"), "4096") << text;
}

}  // namespace
}  // namespace gleaner::tests
