// The herald, as its receivers see it: the real program, on a database with the triggers, against a mail server and a web server of the
// test.
#include <gmock/gmock.h>

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "herald/delivery.hpp"
#include "lib/grid/clock.hpp"
#include "lib/process/child.hpp"
#include "lib/store/outbox.hpp"
#include "lib/store/subscriptions.hpp"
#include "tests/db/await.hpp"
#include "tests/db/fake_receivers.hpp"
#include "tests/db/grid_fixture.hpp"
#include "tests/unit/certificates.hpp"

namespace gleaner::tests {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

class HeraldTest : public GridFixture {
 protected:
  void SetUp() override {
    auto pattern = (std::filesystem::temp_directory_path() / "gleaner-herald-XXXXXX").string();
    folder = mkdtemp(pattern.data());
  }
  void TearDown() override {
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  }

  std::int64_t subscribe(const std::string& user, const std::string& channel, const std::string& address,
                         const std::string& severity = "low", const std::string& audience = "user", const std::string& form = "json") {
    store::Subscription one;
    one.user = user;
    one.channel = channel;
    one.address = address;
    one.severity = severity;
    one.audience = audience;
    one.form = form;
    one.secret = channel == "webhook" ? "the secret of " + user : "";
    store::transact(database, std::nullopt, [&](store::Transaction& transaction) {
      EXPECT_EQ(store::subscribe(transaction, one, grid::now()), store::Subscribed::done);
    });
    return one.id;
  }

  /// Runs `herald --once` with the mail server and further options; its exit, `exit status 0`.
  std::string tell(std::vector<std::string> options = {}, const std::string& failpoint = {}) {
    const char* bin = std::getenv("GLEANER_BIN_DIR");
    std::vector<std::string> arguments{std::string{bin} + "/herald", "--once", "--config", (folder / "conf").string()};
    const std::map<std::string, std::string> usual{{"database", conninfo},
                                                   {"herald_delay", "0s"},
                                                   {"herald_interval", "0s"},
                                                   {"herald_retry", "1ms"},
                                                   {"herald_time_limit", "10s"},
                                                   {"mail_server", "smtp://127.0.0.1:" + mail.port()},
                                                   {"mail_from", "grid@example.org"},
                                                   {"webhook_hosts", "127.0.0.1:" + web.port() + ",127.0.0.1:" + other_web.port()},
                                                   {"webhook_private", "yes"}};
    std::ofstream conf{folder / "conf"};
    for (const auto& [key, value] : usual) conf << key << " = " << value << "\n";
    conf.close();
    for (auto& option : options) arguments.push_back(std::move(option));
    process::Command command{.arguments = arguments};
    if (!failpoint.empty()) command.environment.emplace_back("GLEANER_FAILPOINT", failpoint);
    const auto end = process::capture(command, std::chrono::minutes{5});
    if (!end) return end.error();
    log += end->output;
    return end->end.text();
  }
  void tell_well(const std::vector<std::string>& options = {}) { EXPECT_EQ(tell(options), "exit status 0") << log; }

  void event(const std::string& code, const std::string& campaign, const std::string& message = "why", const std::string& age = "0 s",
             const std::string& cluster = "NULL") {
    execute(fmt::format(
        "INSERT INTO events (code, campaign_id, cluster_id, opened_at, last_at, message) VALUES ('{}', {}, {}, now() - interval '{}', "
        "now(), '{}')",
        code, campaign, cluster, age, message));
  }
  void ends(grid::CampaignId campaign) {
    execute(fmt::format("UPDATE campaigns SET state = 'terminated', ended_at = now() WHERE id = {}", campaign.value()));
  }
  std::string states() {
    return value("SELECT coalesce(string_agg(state || ' ' || attempts || ' ' || doubts, ', ' ORDER BY id), '') FROM messages");
  }
  static std::vector<std::string> subjects(const Receiver& receiver) {
    std::vector<std::string> all;
    for (auto& message : receiver.taken()) all.push_back(message.headers["subject"]);
    return all;
  }
  static std::set<std::string> ids(const Receiver& receiver) {
    std::set<std::string> all;
    for (auto& message : receiver.taken()) all.insert(message.headers["message-id"]);
    return all;
  }

  std::filesystem::path folder;
  Receiver mail{Receiver::Kind::mail};
  Receiver web{Receiver::Kind::web};
  Receiver other_web{Receiver::Kind::web};
  std::string log;
};

TEST_F(HeraldTest, TheFirstFailureAndTheEndOfACampaign_AreOneMailToItsOwner_WithTheCommands) {
  subscribe("alice", "mail", "alice@example.org", "high");
  subscribe("bob", "mail", "bob@example.org", "low");
  const auto campaign = a_campaign(10);
  execute(fmt::format("UPDATE campaigns SET failed = 2, done = 8, waiting = 0 WHERE id = {}", campaign.value()));
  ends(campaign);
  tell_well();
  const auto mails = mail.taken();
  ASSERT_THAT(mails, SizeIs(1)) << log;
  EXPECT_EQ(mails[0].to, "<alice@example.org>");
  EXPECT_THAT(subjects(mail)[0], AllOf(StartsWith("[gleaner] campaign 1"), HasSubstr("(and 1 more)")));
  EXPECT_THAT(mails[0].body, AllOf(HasSubstr("8 of 10 tasks done, 2 failed"), HasSubstr("gridevents 1"), HasSubstr("gridstat 1")));
  tell_well();
  EXPECT_THAT(mail.taken(), SizeIs(1));
  EXPECT_EQ(states(), "sent 1 0");
}

TEST_F(HeraldTest, WithoutASubscription_NothingIsKept) {
  ends(a_campaign(1));
  EXPECT_EQ(value("SELECT count(*) FROM notices"), "0");
}

TEST_F(HeraldTest, WhileNoHeraldRuns_NoticesAreKeptFor30Days) {
  subscribe("alice", "mail", "alice@example.org");
  ends(a_campaign(1));
  execute("UPDATE notices SET noted_at = now() - interval '29 days'");
  ends(a_campaign(1));
  EXPECT_EQ(value("SELECT count(*) FROM notices"), "2");
  execute("UPDATE notices SET noted_at = now() - interval '31 days'");
  ends(a_campaign(1));
  EXPECT_EQ(value("SELECT count(*) FROM notices"), "2");
}

TEST_F(HeraldTest, AStormOf100000Events_IsOneMessage) {
  subscribe("alice", "mail", "alice@example.org");
  // Each campaign counts in one row of totals at its commit, which gets longer with each of the same transaction.
  for (int i = 0; i < 100; ++i) {
    execute(
        "INSERT INTO campaigns (user_name, name, type, submitted_at, jdl) SELECT 'alice', 's', 'default', now(), '{}' FROM generate_series(1, 1000)");
  }
  execute("INSERT INTO events (code, campaign_id, opened_at, last_at, message) SELECT 'TASK_ERROR', id, now(), now(), 'no' FROM campaigns");
  EXPECT_EQ(value("SELECT count(*) FROM notices"), "100000");
  const auto began = std::chrono::steady_clock::now();
  tell_well();
  std::cout << "told in " << std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count() << " s\n";
  ASSERT_THAT(mail.taken(), SizeIs(1)) << log;
  EXPECT_THAT(subjects(mail)[0], HasSubstr("of 99999 campaigns more the same"));
  EXPECT_EQ(value("SELECT count(*) FROM notices"), "0");
}

TEST_F(HeraldTest, AStormWithinOneCampaign_IsOneMessageWithItsCounts) {
  subscribe("alice", "mail", "alice@example.org");
  const auto campaign = a_campaign(1);
  execute(fmt::format(
      "INSERT INTO notices (what, change, severity, campaign_id, message, noted_at) SELECT 'BRAKE', 'opened', 2, {}, 'm', now() "
      "FROM generate_series(1, 100000)",
      campaign.value()));
  tell_well();
  ASSERT_THAT(mail.taken(), SizeIs(1)) << log;
  EXPECT_THAT(mail.taken()[0].body, HasSubstr("(100000 times)"));
}

TEST_F(HeraldTest, WhileTheMailServerIsAway_WhatHappensIsGathered_AndSentOnceWhenItIsBack) {
  subscribe("alice", "mail", "alice@example.org");
  const auto campaign = a_campaign(1);
  mail.go_away();
  event("LAUNCH_REFUSED", "1");
  tell_well();
  event("MAX_FAILS", "1");
  tell_well();
  ends(campaign);
  tell_well();
  EXPECT_THAT(mail.taken(), IsEmpty());
  mail.come_back();
  for (int i = 0; i < 3; ++i) tell_well();
  const auto mails = mail.taken();
  ASSERT_THAT(mails, SizeIs(2)) << log;
  EXPECT_THAT(mails[0].body, AllOf(HasSubstr("[LAUNCH_REFUSED]"), Not(HasSubstr("[MAX_FAILS]"))));
  EXPECT_THAT(mails[1].body, AllOf(HasSubstr("[MAX_FAILS]"), HasSubstr("[CAMPAIGN_TERMINATED]"), Not(HasSubstr("[LAUNCH_REFUSED]"))));
}

TEST_F(HeraldTest, AServerThatRefusesForNow_GetsItAgain_AndOneThatRefusesForGood_DoesNot) {
  subscribe("alice", "mail", "alice@example.org");
  const auto campaign = a_campaign(1);
  mail.behave(Manner::refuses_for_now);
  event("MAX_FAILS", "1");
  tell_well();
  EXPECT_EQ(states(), "ready 1 0");
  mail.behave(Manner::takes);
  tell_well();
  EXPECT_EQ(states(), "sent 2 0");
  mail.behave(Manner::refuses);
  ends(campaign);
  tell_well();
  tell_well();
  EXPECT_EQ(states(), "sent 2 0, failed 1 0");
  EXPECT_THAT(value("SELECT error FROM messages WHERE state = 'failed'"), HasSubstr("550"));
}

TEST_F(HeraldTest, AMessageWhoseAnswerIsLost_IsSentAgain_UnderTheSameId) {
  subscribe("alice", "mail", "alice@example.org");
  subscribe("alice", "webhook", "http://127.0.0.1:" + web.port() + "/a");
  mail.behave(Manner::loses_the_answer);
  web.behave(Manner::loses_the_answer);
  ends(a_campaign(1));
  tell_well({"--herald_retry", "1h"});
  EXPECT_EQ(states(), "ready 1 1, ready 1 1");
  mail.behave(Manner::takes);
  web.behave(Manner::takes);
  execute("UPDATE messages SET next_at = now()");
  tell_well();
  EXPECT_EQ(states(), "sent 2 1, sent 2 1");
  ASSERT_THAT(mail.taken(), SizeIs(2));
  EXPECT_EQ(mail.taken()[0].raw, mail.taken()[1].raw);
  ASSERT_THAT(web.taken(), SizeIs(2));
  EXPECT_EQ(web.taken()[0].headers["x-gleaner-id"], web.taken()[1].headers["x-gleaner-id"]);
  EXPECT_EQ(web.taken()[0].body, web.taken()[1].body);
}

TEST_F(HeraldTest, AServerThatNeverAnswers_GetsAMailThreeTimesAtMost) {
  subscribe("alice", "mail", "alice@example.org");
  mail.behave(Manner::loses_the_answer);
  ends(a_campaign(1));
  for (int i = 0; i < 5; ++i) tell_well();
  EXPECT_THAT(mail.taken(), SizeIs(3));
  EXPECT_THAT(value("SELECT state || ' ' || error FROM messages"), StartsWith("failed it was sent 3 times"));
}

TEST_F(HeraldTest, AMailServerThatNeverAnswersQuit_HasTheMail_AndHoldsUpNothing) {
  subscribe("alice", "mail", "alice@example.org");
  mail.behave(Manner::never_ends);
  ends(a_campaign(1));
  std::thread herald{[&] { tell_well(); }};
  EXPECT_TRUE(await([&] { return !mail.taken().empty(); }));
  // libcurl itself waits two minutes for that answer.
  EXPECT_TRUE(await([&] { return states() == "sent 1 0"; }, std::chrono::seconds{60})) << states();
  herald.join();
}

TEST_F(HeraldTest, AWebhookThatAnswers200_HasTheMessage_ThoughItsPageNeverEnds) {
  subscribe("alice", "webhook", "http://127.0.0.1:" + web.port() + "/a");
  web.behave(Manner::never_ends);
  ends(a_campaign(1));
  for (int i = 0; i < 2; ++i) tell_well({"--herald_time_limit", "1s"});
  EXPECT_THAT(web.taken(), SizeIs(1));
  EXPECT_EQ(states(), "sent 1 0");
}

TEST_F(HeraldTest, KilledAnywhere_ItSendsEachThing_AndTwiceOnlyWhatWasUnderWay_UnderOneId) {
  subscribe("alice", "mail", "alice@example.org");
  struct Kill {
    std::string place;
    std::size_t mails;
  };
  std::size_t told = 0;
  for (const auto& [place, mails] :
       {Kill{"herald.after_gather", 1}, Kill{"herald.before_send", 1}, Kill{"herald.after_send", 2}, Kill{"herald.after_note", 1}}) {
    const auto before = mail.taken().size();
    ends(a_campaign(1));
    EXPECT_THAT(tell({}, place), HasSubstr("killed by signal 9")) << place;
    for (int i = 0; i < 3; ++i) tell_well();
    EXPECT_EQ(mail.taken().size() - before, mails) << place;
    EXPECT_EQ(ids(mail).size(), ++told) << place;
    EXPECT_EQ(value("SELECT count(*) FROM messages WHERE state <> 'sent'"), "0") << place;
  }
}

TEST_F(HeraldTest, AWebhook_IsSignedJson_AndForChatServicesAText) {
  subscribe("alice", "webhook", "http://127.0.0.1:" + web.port() + "/json");
  subscribe("alice", "webhook", "http://127.0.0.1:" + other_web.port() + "/chat", "low", "user", "text");
  ends(a_campaign(3));
  for (int i = 0; i < 2; ++i) tell_well();
  ASSERT_THAT(web.taken(), SizeIs(1)) << log;
  auto message = web.taken()[0];
  EXPECT_EQ(message.to, "POST /json");
  EXPECT_THAT(message.body,
              AllOf(HasSubstr(R"("code": "CAMPAIGN_TERMINATED")"), HasSubstr(R"("total": 3)"), HasSubstr(message.headers["x-gleaner-id"])));
  const auto signature = message.headers["x-gleaner-signature"];
  const auto seconds = std::stoll(signature.substr(2));
  EXPECT_EQ(signature, herald::signature("the secret of alice", seconds, message.body));
  ASSERT_THAT(other_web.taken(), SizeIs(1)) << log;
  EXPECT_THAT(other_web.taken()[0].body, StartsWith(R"({"text":"gleaner: campaign 1 is over)"));
}

TEST_F(HeraldTest, AUserWhoseReceiverHangs_HoldsUpNobodyElse) {
  web.behave(Manner::is_silent);
  for (int i = 0; i < 5; ++i) subscribe("bob", "webhook", fmt::format("http://127.0.0.1:{}/{}", web.port(), i));
  subscribe("alice", "webhook", "http://127.0.0.1:" + other_web.port() + "/good");
  const auto campaign = a_campaign(1);
  execute("UPDATE campaigns SET user_name = 'bob'");
  ends(campaign);
  ends(a_campaign(1));
  tell_well({"--herald_time_limit", "2s"});
  EXPECT_THAT(other_web.taken(), SizeIs(1)) << log;
  EXPECT_EQ(
      value(
          "SELECT count(*) FROM messages m JOIN subscriptions s ON s.id = m.subscription_id WHERE s.user_name = 'bob' AND state = 'sent'"),
      "0");
  EXPECT_EQ(std::to_string(web.connections()),
            value("SELECT sum(attempts) FROM messages m JOIN subscriptions s ON s.id = m.subscription_id WHERE s.user_name = 'bob'"));
}

TEST_F(HeraldTest, WhatUsersWrite_IsNeitherHeaderNorMarkup) {
  subscribe("alice", "mail", "alice@example.org");
  subscribe("alice", "webhook", "http://127.0.0.1:" + web.port() + "/chat", "low", "user", "text");
  const auto campaign = a_campaign(1);
  execute("UPDATE campaigns SET name = E'x\\r\\nBcc: eve@example.org\\r\\n\\r\\n<b>@channel'");
  execute("UPDATE clusters SET name = E'a\\r\\nTo: eve@example.org <!here>' WHERE name = 'alpha'");
  event("MAX_FAILS", "1", "<!channel> *bold* [x](http://evil)\n.\nFrom: eve", "0 s", "1");
  event("TASK_ERROR", "1", "\n\n.\nRCPT TO:<eve@example.org>", "0 s", "1");
  ends(campaign);
  for (int i = 0; i < 2; ++i) tell_well();
  ASSERT_THAT(mail.taken(), SizeIs(1)) << log;
  auto message = mail.taken()[0];
  EXPECT_EQ(message.to, "<alice@example.org>");
  EXPECT_FALSE(message.headers.contains("bcc"));
  EXPECT_EQ(message.headers["to"], "alice@example.org");
  EXPECT_EQ(message.headers["content-type"], "text/plain; charset=utf-8");
  EXPECT_THAT(message.body, Not(HasSubstr("\nBcc")));
  EXPECT_THAT(message.body, Not(HasSubstr("\nFrom:")));
  ASSERT_THAT(web.taken(), SizeIs(1)) << log;
  for (const auto* bad : {"<", "@", "*", "[x]", "channel", "evil"}) EXPECT_THAT(web.taken()[0].body, Not(HasSubstr(bad)));
}

TEST_F(HeraldTest, ALostCluster_IsReportedToAdministratorsWhenItLasts_AndSoIsItsReturn) {
  subscribe("root", "mail", "ops@example.org", "high", "administrators");
  event("CLUSTER_UNREACHABLE", "NULL", "refused", "5 min", "1");
  tell_well();
  EXPECT_THAT(mail.taken(), IsEmpty());
  execute("UPDATE events SET state = 'closed', closed_at = now() WHERE code = 'CLUSTER_UNREACHABLE'");
  tell_well();
  EXPECT_THAT(mail.taken(), IsEmpty()) << "a short outage is not told, nor its end";
  event("CLUSTER_UNREACHABLE", "NULL", "refused", "16 min", "2");
  tell_well();
  EXPECT_THAT(subjects(mail), ElementsAre("[gleaner] cluster beta is unreachable"));
  execute("UPDATE events SET state = 'closed', closed_at = now() WHERE state = 'open'");
  tell_well();
  tell_well();
  EXPECT_THAT(subjects(mail), ElementsAre("[gleaner] cluster beta is unreachable", "[gleaner] cluster beta answers again"));
}

TEST_F(HeraldTest, NobodyConducts_IsReportedByTheHeraldItself) {
  execute("UPDATE schema_migrations SET applied_at = now() - interval '1 day'");
  execute("UPDATE lease SET holder = 'almighty host 1', expires_at = now() - interval '1 hour'");
  tell_well({"--herald_admins", "ops@example.org"});
  EXPECT_THAT(subjects(mail), ElementsAre(HasSubstr("nobody conducts the grid"))) << log;
  tell_well({"--herald_admins", "ops@example.org"});
  EXPECT_THAT(mail.taken(), SizeIs(1));
}

TEST_F(HeraldTest, WhileTheDatabaseIsAway_AdministratorsGetOneMailAboutIt) {
  auto herald = process::Child::start(
      {.arguments = {std::string{std::getenv("GLEANER_BIN_DIR")} + "/herald", "--database", "host=" + folder.string() + " dbname=none",
                     "--herald_admins", "ops@example.org", "--herald_lost_after", "1s", "--mail_server", "smtp://127.0.0.1:" + mail.port(),
                     "--mail_from", "grid@example.org"},
       .output = folder / "log"});
  ASSERT_TRUE(herald) << herald.error();
  EXPECT_TRUE(await([&] { return !mail.taken().empty(); }));
  std::this_thread::sleep_for(std::chrono::seconds{2});
  EXPECT_THAT(subjects(mail), ElementsAre("[gleaner] the grid's database cannot be used"));
  EXPECT_TRUE(herald->stop(std::chrono::seconds{60}).succeeded());
}

TEST_F(HeraldTest, ADatabaseNearItsBound_IsReported) {
  tell_well({"--herald_admins", "ops@example.org", "--database_size_max", "1M"});
  EXPECT_THAT(subjects(mail), ElementsAre(HasSubstr("the database is nearly as large as it may get"))) << log;
}

TEST_F(HeraldTest, ACampaignsOwnNotify_GoesBeforeTheSeverityOfTheSubscription) {
  subscribe("alice", "mail", "alice@example.org", "low");
  for (const auto* word : {"none", "end", "high"}) {
    const auto campaign = a_campaign(1);
    execute(fmt::format(R"(UPDATE campaigns SET jdl = '{{"notify": "{}"}}' WHERE id = {})", word, campaign.value()));
    event("BLACKLISTED", std::to_string(campaign.value()));
    if (std::string_view{word} != "high") ends(campaign);
  }
  for (int i = 0; i < 3; ++i) tell_well();
  ASSERT_THAT(mail.taken(), SizeIs(1)) << log;
  EXPECT_THAT(mail.taken()[0].body, AllOf(HasSubstr("[CAMPAIGN_TERMINATED]"), Not(HasSubstr("[BLACKLISTED]"))));
}

TEST_F(HeraldTest, TheProgramOfOnEvent_GetsEachMessageOnItsStdin_AndAgainWhenItFails) {
  const auto program = folder / "hook";
  std::ofstream{program} << "#!/bin/sh\nif [ -e " << folder.string() << "/ok ]; then cat >> " << folder.string() << "/got; else touch "
                         << folder.string() << "/ok; exit 1; fi\n";
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  tell_well({"--on_event", program.string()});
  ends(a_campaign(1));
  tell_well({"--on_event", program.string()});
  EXPECT_EQ(states(), "ready 1 0");
  tell_well({"--on_event", program.string()});
  EXPECT_EQ(states(), "sent 2 0");
  std::ifstream got{folder / "got"};
  const std::string text{std::istreambuf_iterator<char>{got}, {}};
  EXPECT_THAT(text, AllOf(HasSubstr("CAMPAIGN_TERMINATED"), HasSubstr(R"("user": "alice")")));
  tell_well();
  EXPECT_EQ(value("SELECT count(*) FROM subscriptions"), "0") << "without the program there is no subscription of it";
}

TEST_F(HeraldTest, AProgramThatHangs_EndsAtItsTimeLimit) {
  tell_well({"--on_event", "/bin/cat"});
  ends(a_campaign(1));
  const auto program = folder / "hook";
  std::ofstream{program} << "#!/bin/sh\nsleep 1000\n";
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  tell_well({"--on_event", program.string(), "--herald_time_limit", "1s"});
  EXPECT_EQ(states(), "ready 1 1");
}

TEST_F(HeraldTest, AProgramThatWritesWithoutAnEnd_IsStopped_BeforeItFillsTheMemory) {
  tell_well({"--on_event", "/bin/cat"});
  ends(a_campaign(1));
  const auto program = folder / "hook";
  std::ofstream{program} << "#!/bin/sh\nexec yes\n";
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  tell_well({"--on_event", program.string(), "--herald_time_limit", "10m"});
  EXPECT_EQ(states(), "ready 1 1");
  EXPECT_THAT(value("SELECT error FROM messages"), HasSubstr("it wrote more than 64"));
}

TEST_F(HeraldTest, MailGoesThroughSendmail_WithTheAddressAsItsLastArgument) {
  subscribe("alice", "mail", "alice@example.org");
  const auto program = folder / "sendmail";
  std::ofstream{program} << "#!/bin/sh\necho \"$@\" > " << folder.string() << "/arguments\ncat > " << folder.string() << "/mail\n";
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  ends(a_campaign(1));
  tell_well({"--mail_sendmail", program.string()});
  std::ifstream arguments{folder / "arguments"};
  std::string line;
  std::getline(arguments, line);
  EXPECT_EQ(line, "-i -f grid@example.org -- alice@example.org");
  EXPECT_EQ(states(), "sent 1 0");
}

TEST_F(HeraldTest, WithALogin_MailIsEncryptedFirst) {
  const auto& certificates = Certificates::get();
  mail.encrypt_with(certificates.file("server.pem"), certificates.file("server.key"));
  subscribe("alice", "mail", "alice@example.org");
  std::ofstream{folder / "password"} << "opensesame\n";
  std::filesystem::permissions(folder / "password", std::filesystem::perms::owner_read);
  ends(a_campaign(1));
  const std::vector<std::string> login{"--mail_login", "grid", "--mail_password_file", (folder / "password").string()};
  tell_well(login);
  EXPECT_EQ(states(), "ready 1 0") << "nobody we trust signed the certificate";
  auto trusted = login;
  trusted.insert(trusted.end(), {"--mail_ca_file", certificates.file("ca.pem")});
  tell_well(trusted);
  ASSERT_THAT(mail.taken(), SizeIs(1)) << log;
  EXPECT_TRUE(mail.taken()[0].encrypted);
  EXPECT_THAT(mail.taken()[0].login, HasSubstr("grid opensesame"));
}

TEST_F(HeraldTest, APrivateAddress_GetsNoWebhook_UnlessTheAdministratorAllows) {
  subscribe("alice", "webhook", "http://127.0.0.1:" + web.port() + "/a");
  ends(a_campaign(1));
  tell_well({"--webhook_private", "no"});
  EXPECT_EQ(web.connections(), 0);
  EXPECT_THAT(value("SELECT state || ' ' || error FROM messages"), AllOf(StartsWith("failed"), HasSubstr("webhook_private")));
}

TEST_F(HeraldTest, AHostThatIsNoLongerAllowed_GetsNothing) {
  subscribe("alice", "webhook", "http://127.0.0.1:" + web.port() + "/a");
  ends(a_campaign(1));
  tell_well({"--webhook_hosts", "example.org"});
  EXPECT_EQ(web.connections(), 0);
  EXPECT_THAT(value("SELECT state || ' ' || error FROM messages"), AllOf(StartsWith("failed"), HasSubstr("webhook_hosts")));
}

TEST_F(HeraldTest, WithinTheInterval_OneDestinationGetsOneMessageAboutACampaign) {
  subscribe("alice", "mail", "alice@example.org");
  a_campaign(1);
  event("MAX_FAILS", "1");
  tell_well({"--herald_interval", "1h"});
  event("LAUNCH_REFUSED", "1");
  tell_well({"--herald_interval", "1h"});
  EXPECT_THAT(mail.taken(), SizeIs(1));
  execute("UPDATE messages SET due_at = now() WHERE state = 'gathering'");
  tell_well({"--herald_interval", "1h"});
  EXPECT_THAT(mail.taken(), SizeIs(2));
}

TEST_F(HeraldTest, InQuietHours_MessagesWaitForTheirEnd) {
  const auto after = [&](const std::string& at, const std::string& from, const std::string& to, const std::string& zone = "UTC") {
    return value(fmt::format("SELECT to_char(after_quiet('{}', {}::smallint, {}::smallint, '{}') AT TIME ZONE 'UTC', 'DD HH24:MI')", at,
                             from, to, zone));
  };
  EXPECT_EQ(after("2026-11-20 21:59+00", "1320", "420"), "20 21:59");
  EXPECT_EQ(after("2026-11-20 22:00+00", "1320", "420"), "21 07:00");
  EXPECT_EQ(after("2026-11-21 06:59+00", "1320", "420"), "21 07:00");
  EXPECT_EQ(after("2026-11-21 07:00+00", "1320", "420"), "21 07:00");
  EXPECT_EQ(after("2026-11-20 12:30+00", "720", "780"), "20 13:00");
  EXPECT_EQ(after("2026-11-20 21:30+00", "1320", "420", "Europe/Paris"), "21 06:00");
  EXPECT_EQ(after("2026-11-20 12:30+00", "NULL", "NULL"), "20 12:30");
  EXPECT_EQ(after("2026-11-20 22:30+00", "1320", "420", "No/Where"), "20 22:30") << "one user's zone stops nobody's messages";
}

TEST_F(HeraldTest, ASecondHerald_StandsBack) {
  auto transaction = database.begin();
  EXPECT_TRUE(store::take_herald_lock(transaction));
  transaction.commit();
  EXPECT_EQ(tell(), "exit status 75") << log;
}

/// The server frees the lock a moment after the herald before has ended.
TEST_F(HeraldTest, ASecondHerald_WaitsAMomentForTheOneThatEnds) {
  std::optional<store::Database> ends{std::in_place, conninfo};
  store::transact(*ends, std::nullopt, [](store::Transaction& transaction) { EXPECT_TRUE(store::take_herald_lock(transaction)); });
  std::thread end{[&] {
    std::this_thread::sleep_for(std::chrono::seconds{1});
    ends.reset();
  }};
  tell_well();
  end.join();
}

TEST_F(HeraldTest, AMessageThatIsTooOld_IsGivenUp) {
  subscribe("alice", "mail", "alice@example.org");
  mail.go_away();
  ends(a_campaign(1));
  tell_well();
  execute("UPDATE messages SET fixed_at = now() - interval '6 days', next_at = now()");
  tell_well();
  EXPECT_THAT(states(), StartsWith("failed 2"));
}

}  // namespace
}  // namespace gleaner::tests
