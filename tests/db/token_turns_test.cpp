// Users' tokens for a cluster in the turns of the modules, against minioar, which checks their signatures.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <regex>
#include <thread>

#include "lib/fleet/tokens.hpp"
#include "lib/grid/clock.hpp"
#include "lib/oar/bearer.hpp"
#include "lib/process/child.hpp"
#include "lib/process/options.hpp"
#include "lib/store/views_grid.hpp"
#include "metascheduler/metascheduler.hpp"
#include "predictor/predictor.hpp"
#include "runner/runner.hpp"
#include "tests/contract/minioar_process.hpp"
#include "tests/db/grid_fixture.hpp"
#include "updator/updator.hpp"

namespace gleaner::tests {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kSiteKey{"the key of the site"};
constexpr grid::Seconds kDay{86400};

std::string program(const std::string& name) {
  const char* bin = std::getenv("GLEANER_BIN_DIR");
  return fmt::format("{}/{}", bin != nullptr ? bin : "build-sanitize/bin", name);
}

/// Alpha is a cluster of OAR 3, and beta is disabled.
class TokenTurns : public GridFixture {
 protected:
  TokenTurns() {
    auto name = (std::filesystem::temp_directory_path() / "gleaner-tokens-XXXXXX").string();
    keys_ = ::mkdtemp(name.data());
    write("token.key", std::string(64, 'a'), 0640);
    write("site.key", std::string{kSiteKey}, 0600);
    oar_ = std::make_unique<contract::MiniOarProcess>(
        program("minioar"), "2.6", std::vector<std::string>{"alice", "bob"},
        std::vector<std::string>{"--api", "oar3", "--token-key-file", (keys_ / "site.key").string(), "--token-minutes", "60000"});
    execute("DELETE FROM gridstatus");
    execute(fmt::format("UPDATE clusters SET url = '{}', api = 'oar3', authentication = 'token', homes = '{}', enabled = name = 'alpha'",
                        oar_->url(), oar_->homes()));
    config_.token_key_file = keys_ / "token.key";
  }
  ~TokenTurns() override { std::filesystem::remove_all(keys_); }

  void write(const std::string& name, const std::string& text, unsigned mode) const {
    std::ofstream{keys_ / name} << text << "\n";
    std::filesystem::permissions(keys_ / name, static_cast<std::filesystem::perms>(mode));
  }
  void give(const std::string& user, grid::Seconds life = kDay * 100) {
    const auto text = oar::signed_token(user, kSiteKey, grid::now(), life);
    const auto token = oar::read_token(text).value();
    const auto ring = secrets::KeyRing::read(keys_ / "token.key").value();
    auto sealed = ring.seal(text, {.user = user, .cluster = alpha});
    store::StoredToken given;
    given.owner = store::TokenOf{.user = user, .cluster = alpha};
    given.login = user;
    given.sealed = sealed.text;
    given.key_name = sealed.key_name;
    given.fingerprint = secrets::fingerprint(text);
    given.expires_at = token.ends_at;
    transact([&](store::Transaction& transaction) { store::put_token(transaction, given, std::nullopt, grid::now()); });
  }
  void revoke(const std::string& how, const std::string& user) const {
    const auto url = oar_->url();
    const auto base = url.substr(0, url.find('/', url.find("//") + 2));
    const auto done = process::capture({.arguments = {"curl", "-s", "-d", fmt::format(R"({{"{}":"{}"}})", how, user), base + "/_tokens"}},
                                       std::chrono::minutes{1});
    ASSERT_TRUE(done);
    EXPECT_THAT(done->output, HasSubstr("done"));
  }
  /// The output of `gridctl check`, on one line.
  [[nodiscard]] std::string check() {
    const auto said =
        process::capture({.arguments = {program("gridctl"), "check", "--as", "alice"}, .environment = {{"GLEANER_DATABASE", conninfo}}},
                         std::chrono::minutes{10});
    return said ? std::regex_replace(said->output, std::regex{R"(\n {8,})"}, " ") : said.error();
  }
  /// Runs the updator until OAR has the job over.
  void await_end() {
    for (int turn = 0; turn < 600 && value("SELECT over_since IS NULL AND ending IS NULL FROM jobs") == "t"; ++turn) {
      std::this_thread::sleep_for(std::chrono::milliseconds{100});
      static_cast<void>(updator::run_once(config_, database, term));
    }
  }
  /// A cycle of the modules that launch.
  void cycle() {
    execute("UPDATE clusters SET next_probe_at = NULL");
    static_cast<void>(updator::run_once(config_, database, term));
    static_cast<void>(metascheduler::run_once(config_, database, term, grid::now()));
    static_cast<void>(runner::run_once(config_, database, term));
  }
  [[nodiscard]] std::string launches(const std::string& user) {
    return value(
        fmt::format("SELECT coalesce(string_agg(DISTINCT l.state::text, ' '), 'none') FROM launches l JOIN campaigns c ON c.id = "
                    "l.campaign_id WHERE c.user_name = '{}'",
                    user));
  }
  [[nodiscard]] std::string reasons() {
    return value("SELECT coalesce(string_agg(DISTINCT reason, ' '), 'none') FROM decisions WHERE cluster_id = " +
                 std::to_string(alpha.value()));
  }
  /// The codes of the open events that `gridevents -c` shows of a campaign.
  [[nodiscard]] std::string events_of(grid::CampaignId campaign) {
    std::string codes;
    transact([&](store::Transaction& transaction) {
      const auto page = store::views::campaign_events(transaction, campaign, store::views::Which::open, {.limit = 10, .offset = 0});
      for (const auto& event : page.items) codes += (codes.empty() ? "" : " ") + event.code;
    });
    return codes;
  }
  [[nodiscard]] std::string open_events() {
    return value("SELECT coalesce(string_agg(code, ' ' ORDER BY code), 'none') FROM events WHERE state = 'open'");
  }

  process::Config config_ = process::default_config();
  std::filesystem::path keys_;
  std::unique_ptr<contract::MiniOarProcess> oar_;
};

TEST_F(TokenTurns, JobsWaitForATokenOfTheirUser_AndOthersDoNot) {
  static_cast<void>(a_campaign(40, {"alpha"}));
  const auto of_bob = a_campaign(2, {"alpha"});
  execute("UPDATE campaigns SET user_name = 'bob' WHERE id = " + std::to_string(of_bob.value()));
  give("bob");
  cycle();
  EXPECT_THAT(reasons(), HasSubstr("no_token"));
  EXPECT_EQ(launches("alice"), "none");
  EXPECT_EQ(launches("bob"), "accepted");
  static_cast<void>(predictor::run_once(config_, database, term, grid::now()));
  EXPECT_EQ(value("SELECT method FROM campaign_forecasts f JOIN campaigns c ON c.id = f.campaign_id WHERE c.user_name = 'alice'"), "closed")
      << "an end was promised for tasks that do not start";
  give("alice");
  cycle();
  EXPECT_EQ(launches("alice"), "accepted");
  EXPECT_EQ(value("SELECT count(*) FROM brakes"), "0");
}

TEST_F(TokenTurns, ARefusalInMidCampaign_CostsNoAttemptAndNoBrake_AndOpensAnEventForItsUser) {
  execute(
      "INSERT INTO subscriptions (user_name, audience, channel, address, severity, created_at) "
      "VALUES ('alice', 'user', 'mail', 'alice@example.org', 3, now())");
  const auto campaign = a_campaign(400, {"alpha"});
  give("alice");
  revoke("refuse", "alice");
  cycle();
  EXPECT_EQ(launches("alice"), "void");
  EXPECT_EQ(value("SELECT count(*) FROM brakes"), "0");
  EXPECT_EQ(open_events(), "TOKEN_REFUSED");
  EXPECT_EQ(events_of(campaign), "TOKEN_REFUSED") << "it waits for it";
  execute(fmt::format("UPDATE campaigns SET user_name = 'bob' WHERE id = {}", campaign.value()));
  EXPECT_EQ(events_of(campaign), "") << "an event of another user";
  execute(fmt::format("UPDATE campaigns SET user_name = 'alice' WHERE id = {}", campaign.value()));
  EXPECT_EQ(value("SELECT count(*) FROM notices WHERE user_name = 'alice' AND what = 'TOKEN_REFUSED'"), "1");
  cycle();
  EXPECT_THAT(reasons(), HasSubstr("no_token"));
  // A bounded time later it is tried again; once the cluster takes it, the event is over.
  revoke("take", "alice");
  execute("UPDATE cluster_tokens SET refused_at = now() - interval '61 minutes'");
  cycle();
  EXPECT_THAT(launches("alice"), HasSubstr("accepted"));
  EXPECT_EQ(value("SELECT max(attempt) FROM jobs WHERE state = 'remote_waiting'"), value("SELECT min(attempt) FROM jobs"));
  EXPECT_EQ(open_events(), "none");
}

TEST_F(TokenTurns, WhatATaskLeft_IsAwaitedWhileTheClusterTakesNoToken_SoThatNoJobMoreIsSpentOnIt) {
  static_cast<void>(a_campaign(1, {"alpha"}));
  give("alice");
  cycle();
  ASSERT_EQ(launches("alice"), "accepted");
  revoke("refuse", "alice");
  config_.evidence_patience = std::chrono::seconds{0};
  await_end();
  for (int turn = 0; turn < 3; ++turn) static_cast<void>(updator::run_once(config_, database, term));
  EXPECT_EQ(value("SELECT coalesce(ending, 'live') FROM jobs"), "live");
  revoke("take", "alice");
  execute("UPDATE cluster_tokens SET refused_at = now() - interval '61 minutes'");
  static_cast<void>(updator::run_once(config_, database, term));
  EXPECT_EQ(value("SELECT ending || ' ' || (exit_status >> 8) FROM jobs"), "task_error 127")
      << "as its files show; its command is on no path";
}

TEST_F(TokenTurns, Check_StatesOfTheHomesOnlyWhatFilesOfJobsShow) {
  give("alice");
  EXPECT_THAT(check(), HasSubstr("ok    alpha: whether its users' homes are under " + oar_->homes() + " is not proven: no task has ended"));
  std::filesystem::create_directories(keys_ / "alice");
  const auto wrong = (keys_ / "%u").string();
  execute(fmt::format("UPDATE clusters SET homes = '{}'", wrong));
  static_cast<void>(a_campaign(1, {"alpha"}));
  cycle();
  await_end();
  config_.evidence_delay = config_.evidence_patience = std::chrono::seconds{0};
  static_cast<void>(updator::run_once(config_, database, term));
  ASSERT_EQ(value("SELECT ending FROM jobs"), "never_began");
  EXPECT_THAT(check(), HasSubstr("wrong alpha: no file of its last 1 ended job was found under " + wrong));
  EXPECT_THAT(check(), HasSubstr("'gridctl cluster edit alpha --homes PATH'"));
  execute("UPDATE jobs SET ending = 'done'");
  EXPECT_THAT(check(),
              HasSubstr("ok    alpha: its users' homes are under " + wrong + ": the files of 1 of its last 1 ended job were found"));
}

TEST_F(TokenTurns, ATokenThatEndsSoon_IsRenewed_WithoutAnEvent) {
  give("alice", kDay * 5);
  const auto before = value("SELECT fingerprint FROM cluster_tokens");
  cycle();
  EXPECT_NE(value("SELECT fingerprint FROM cluster_tokens"), before);
  EXPECT_EQ(value("SELECT expires_at > now() + interval '40 days' FROM cluster_tokens"), "t");
  EXPECT_EQ(open_events(), "none");
}

TEST_F(TokenTurns, OneThatCannotBeRenewed_OpensOneEventAWeekBefore_ADayBefore_AndAtItsEnd) {
  give("alice", kDay * 5);
  execute("UPDATE cluster_tokens SET renewal_error = 'no', renewal_at = now()");
  const auto events = [&] {
    return value("SELECT coalesce(string_agg(code || occurrences, ' ' ORDER BY id), 'none') FROM events WHERE user_name = 'alice'");
  };
  for (int i = 0; i < 2; ++i) cycle();
  EXPECT_EQ(events(), "TOKEN_ENDS_IN_A_WEEK1");
  execute("UPDATE cluster_tokens SET expires_at = now() + interval '20 hours'");
  for (int i = 0; i < 2; ++i) cycle();
  EXPECT_EQ(events(), "TOKEN_ENDS_IN_A_WEEK1 TOKEN_ENDS_IN_A_DAY1");
  execute("UPDATE cluster_tokens SET expires_at = now() - interval '1 minute'");
  for (int i = 0; i < 2; ++i) cycle();
  EXPECT_EQ(events(), "TOKEN_ENDS_IN_A_WEEK1 TOKEN_ENDS_IN_A_DAY1 TOKEN_ENDED1");
}

TEST_F(TokenTurns, AKeyThatIsLost_StopsTheLaunchesWithTokensAlone_UntilItIsBack) {
  static_cast<void>(a_campaign(4, {"alpha"}));
  give("alice");
  std::filesystem::rename(keys_ / "token.key", keys_ / "away");
  cycle();
  EXPECT_EQ(value("SELECT reachable FROM clusters WHERE name = 'alpha'"), "t");
  EXPECT_THAT(value("SELECT message FROM events WHERE code = 'TOKENS_UNREADABLE'"), HasSubstr("gridctl token new-key"));
  EXPECT_EQ(launches("alice"), "none");
  std::filesystem::rename(keys_ / "away", keys_ / "token.key");
  cycle();
  EXPECT_EQ(launches("alice"), "accepted");
  EXPECT_EQ(open_events(), "none");
}

TEST_F(TokenTurns, TheSitesKey_SignsForEverybody_AndAWrongOneBrakesItsClusterAlone) {
  execute(
      fmt::format("UPDATE clusters SET authentication = 'signed', key_file = '{}' WHERE name = 'alpha'", (keys_ / "grid.key").string()));
  static_cast<void>(a_campaign(400, {"alpha"}));
  write("grid.key", "another", 0600);
  cycle();
  EXPECT_EQ(value("SELECT count(*) FROM brakes WHERE campaign_id IS NULL"), "1");
  EXPECT_THAT(value("SELECT message FROM events WHERE code = 'SIGNING_KEY_REFUSED'"), HasSubstr("API_SECRET_KEY"));
  write("grid.key", std::string{kSiteKey}, 0600);
  execute("DELETE FROM brakes");
  cycle();
  EXPECT_THAT(launches("alice"), HasSubstr("accepted"));
  EXPECT_EQ(open_events(), "none");
}

}  // namespace
}  // namespace gleaner::tests
