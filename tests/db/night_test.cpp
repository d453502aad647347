// A night of the grid in simulated time: what the herald sends to whom, and when. The herald's own code, a PostgreSQL whose time is the
// simulation's, and real receivers.
#include <gmock/gmock.h>
#include <unistd.h>

#include <fmt/format.h>
#include <pqxx/pqxx>

#include <filesystem>
#include <iostream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "herald/herald.hpp"
#include "lib/process/options.hpp"
#include "lib/store/subscriptions.hpp"
#include "lib/store/tokens.hpp"
#include "lib/text/numbers.hpp"
#include "sim/world/database.hpp"
#include "sim/world/virtual_clock.hpp"
#include "tests/db/fake_receivers.hpp"

namespace gleaner::tests {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::HasSubstr;

/// A time of the night, from 20:00 to 08:00 (UTC).
std::chrono::seconds at(int hour, int minute) { return hours{(hour + 4) % 24} + minutes{minute}; }

struct Sent {
  std::chrono::seconds at;  ///< since 20:00
  std::string to;
  std::string subject;
  std::string body;
  std::string id;
};
std::string clock_text(std::chrono::seconds since) {
  const auto of_day = (since + hours{20}) % hours{24};
  return fmt::format("{:02}:{:02}:{:02}", of_day / hours{1}, of_day % hours{1} / minutes{1}, of_day % minutes{1} / seconds{1});
}

struct Expected {
  std::string to;
  std::chrono::seconds from;   ///< the earliest time
  std::chrono::seconds until;  ///< the latest one
  std::string subject;
  std::vector<std::string> parts;  ///< of its body
};

class Night : public ::testing::Test {
 protected:
  static constexpr seconds kTick{30};
  static constexpr int kStorm = 100'000;

  Night() {
    folder_ = std::filesystem::path{"/dev/shm"} / fmt::format("gleaner-night-{}", ::getpid());
    std::filesystem::create_directories(folder_);
    clock_.advance_to(grid::from_unix(1'600'027'200));  // 2020-09-13 20:00 UTC
    begin_ = clock_.now();
    world_.emplace(folder_ / "database", clock_);
    connection_.emplace(world_->conninfo_of("test"));
    database_.emplace(world_->conninfo_of("herald"));
  }
  ~Night() override {
    database_.reset();
    connection_.reset();
    world_.reset();
    std::filesystem::remove_all(folder_);
  }

  std::string sql(const std::string& statement) {
    pqxx::nontransaction work{*connection_};
    const auto rows = work.exec(statement);
    return rows.empty() || rows[0][0].is_null() ? std::string{} : rows[0][0].as<std::string>();
  }
  void subscribe(const std::string& user, const std::string& channel, const std::string& address, const std::string& severity,
                 std::optional<store::QuietHours> quiet = {}) {
    store::Subscription one;
    one.user = user;
    one.audience = "user";
    one.channel = channel;
    one.address = address;
    one.severity = severity;
    one.quiet = quiet;
    one.secret = channel == "webhook" ? "a secret" : "";
    store::transact(*database_, std::nullopt,
                    [&](store::Transaction& t) { ASSERT_EQ(store::subscribe(t, one, clock_.now()), store::Subscribed::done); });
  }
  std::string a_campaign(const std::string& user) {
    return sql(fmt::format(
        "INSERT INTO campaigns (user_name, name, type, submitted_at, jdl, total) VALUES ('{}', 'n', 'default', now(), '{{}}', 10) RETURNING id",
        user));
  }
  void ends(const std::string& campaign) {
    sql(fmt::format("UPDATE campaigns SET state = 'terminated', ended_at = now(), done = 10 WHERE id = {}", campaign));
  }
  void lose(const std::string& cluster) {
    sql(
        fmt::format("INSERT INTO events (code, cluster_id, opened_at, last_at, message) SELECT 'CLUSTER_UNREACHABLE', id, now(), now(), "
                    "'connection refused' FROM clusters WHERE name = '{}'",
                    cluster));
  }
  void find_again(const std::string& cluster) {
    sql(
        fmt::format("UPDATE events SET state = 'closed', closed_at = now() WHERE state = 'open' AND code = 'CLUSTER_UNREACHABLE' AND "
                    "cluster_id = (SELECT id FROM clusters WHERE name = '{}')",
                    cluster));
  }

  /// A token of the user for the cluster that cannot be renewed.
  void keeps_token(const std::string& user, const std::string& cluster, seconds end) {
    sql(fmt::format(
        "INSERT INTO cluster_tokens (user_name, cluster_id, login, sealed, key_name, fingerprint, given_at, expires_at, renewal_error) "
        "SELECT '{}', id, '{}', 's', 'k', 'f', now(), now() + interval '{} s', 'refused' FROM clusters WHERE name = '{}'",
        user, user, end.count(), cluster));
  }

  /// Runs the herald, an almighty and its check of tokens until this time of the night.
  void play_until(seconds end) {
    while (clock_.now() - begin_ < end) {
      clock_.advance(kTick);
      world_->set_time();
      if (conducts_)
        sql("WITH c AS (UPDATE cycles SET started_at = now(), ended_at = now()) "
            "UPDATE lease SET holder = 'almighty host 1', expires_at = now() + interval '30 s'");
      store::transact(*database_, std::nullopt, [&](store::Transaction& t) { store::warn_of_token_ends(t, clock_.now()); });
      herald_->watch(*database_);
      herald_->send_due(*database_);
      while (herald_->is_busy()) {
        herald_->await(minutes{1});
        herald_->settle(*database_);
      }
      note_sent();
    }
  }
  void note_sent() {
    const auto since = std::chrono::duration_cast<seconds>(clock_.now() - begin_);
    for (auto* receiver : {&mail_, &web_}) {
      auto taken = receiver->taken();
      auto& known = known_[receiver];
      for (; known < taken.size(); ++known) {
        auto& one = taken[known];
        const bool is_mail = receiver == &mail_;
        sent_.push_back({since, is_mail ? one.to : "webhook", is_mail ? one.headers["subject"] : "", one.body,
                         is_mail ? one.headers["message-id"] : one.headers["x-gleaner-id"]});
      }
    }
  }
  void print() const {
    for (const auto& one : sent_)
      std::cout << fmt::format("| {} | {} | {} |\n", clock_text(one.at), one.to,
                               one.subject.empty() ? one.body.substr(0, 60) : one.subject);
  }

  world::VirtualClock clock_;
  grid::Instant begin_;
  std::filesystem::path folder_;
  std::optional<world::WorldDatabase> world_;
  std::optional<pqxx::connection> connection_;
  std::optional<store::Database> database_;
  Receiver mail_{Receiver::Kind::mail};
  Receiver web_{Receiver::Kind::web};
  process::Config config_ = process::build_config({}, {}).value();
  std::optional<herald::Herald> herald_;
  std::map<const Receiver*, std::size_t> known_;
  std::vector<Sent> sent_;
  bool conducts_ = true;
};

TEST_F(Night, OfLostClusters_AFullDatabase_AnEndedToken_100000Failures_AndNoMailServer_SendsEachMessageOnce_AndLosesNone) {
  sql("INSERT INTO clusters (name, url) VALUES ('alpha', 'http://127.0.0.1:1/a'), ('beta', 'http://127.0.0.1:1/b')");
  sql("INSERT INTO cycles (term, started_at, ended_at) VALUES (1, now(), now())");
  // It counts campaigns one by one, as they come: 100 000 in one transaction take minutes.
  sql("ALTER TABLE campaigns DISABLE TRIGGER total_new_campaigns");
  sql(
      fmt::format("INSERT INTO campaigns (user_name, name, type, submitted_at, jdl, total) "
                  "SELECT 'alice', 's', 'default', now(), '{{}}', 10 FROM generate_series(1, {})",
                  kStorm));
  sql("ALTER TABLE campaigns ENABLE TRIGGER total_new_campaigns");
  const auto of_bob = a_campaign("bob");
  const auto of_carol = a_campaign("carol");
  world_->vacuum();
  const auto size = static_cast<std::uint64_t>(*text::whole_number<std::int64_t>(sql("SELECT pg_database_size(current_database())")));
  config_.database_size_max = size * 10;
  config_.herald_admins = {"ops@example.org"};
  config_.mail_server = "smtp://127.0.0.1:" + mail_.port();
  config_.mail_from = "grid@example.org";
  config_.webhook_hosts = {"127.0.0.1:" + web_.port()};
  config_.webhook_private = true;
  subscribe("alice", "mail", "alice@example.org", "high");
  subscribe("bob", "webhook", "http://127.0.0.1:" + web_.port() + "/bob", "high");
  subscribe("carol", "mail", "carol@example.org", "high", store::QuietHours{22 * 60, 7 * 60});
  subscribe("dave", "mail", "dave@example.org", "high");
  keeps_token("dave", "beta", at(23, 20));
  herald_.emplace(config_);
  ASSERT_TRUE(herald_->take_over(*database_));

  play_until(at(20, 30));
  lose("alpha");
  play_until(at(21, 30));
  find_again("alpha");
  play_until(at(22, 0));
  mail_.go_away();
  play_until(at(22, 10));
  lose("beta");
  play_until(at(22, 30));
  config_.database_size_max = size;
  play_until(at(23, 0));
  for (int minute = 0; minute < 10; ++minute) {
    sql(fmt::format("UPDATE campaigns SET failed = 1 WHERE id > {0} AND id <= {1}", minute * kStorm / 10, (minute + 1) * kStorm / 10));
    play_until(at(23, minute + 1));
  }
  play_until(at(1, 0));
  conducts_ = false;
  play_until(at(1, 10));
  ends(of_bob);
  play_until(at(1, 40));
  conducts_ = true;
  play_until(at(2, 0));
  ends(of_carol);
  play_until(at(3, 0));
  find_again("beta");
  play_until(at(4, 0));
  EXPECT_EQ(mail_.taken().size(), 3U) << "nothing is taken for sent while the mail server is away";
  mail_.come_back();
  play_until(at(5, 0));
  config_.database_size_max = size * 10;
  play_until(at(6, 0));
  ends("1");
  play_until(at(8, 0));
  print();

  // After the mail server's return, a message waits for its next attempt: 45 minutes at most.
  const auto back = at(4, 0);
  const auto tried = at(4, 47);
  const std::vector<Expected> expected{
      {"<dave@example.org>", at(20, 0), at(20, 2), "your token for beta ends within a day", {"gridtoken add beta"}},
      {"<ops@example.org>", at(20, 45), at(20, 47), "cluster alpha is unreachable", {}},
      {"<ops@example.org>", at(21, 30), at(21, 32), "cluster alpha answers again", {}},
      {"webhook", at(1, 10), at(1, 12), "", {"CAMPAIGN_TERMINATED", fmt::format(R"("id": {})", of_bob)}},
      {"<ops@example.org>", back, tried, "cluster beta is unreachable", {}},
      {"<ops@example.org>", back, tried, "", {"[DATABASE_NEARLY_FULL]", "[NOT_CONDUCTED]", "cluster beta answers again"}},
      {"<alice@example.org>", back, tried, "", {"[FIRST_FAILURE]"}},
      {"<alice@example.org>", back, tried, "", {"[FIRST_FAILURE]"}},
      {"<dave@example.org>", back, tried, "your token for beta has ended", {"gridtoken add beta"}},
      {"<ops@example.org>", at(5, 0), at(5, 17), "", {"DATABASE_NEARLY_FULL"}},
      {"<alice@example.org>", at(6, 0), at(6, 2), "campaign 1 is over", {}},
      {"<carol@example.org>", at(7, 0), at(7, 2), fmt::format("campaign {} is over", of_carol), {}}};
  std::set<const Sent*> matched;
  for (const auto& one : expected) {
    const Sent* found = nullptr;
    for (const auto& sent : sent_) {
      const bool is_it = !matched.contains(&sent) && sent.to == one.to && sent.at >= one.from && sent.at <= one.until &&
                         sent.subject.find(one.subject) != std::string::npos &&
                         std::ranges::all_of(one.parts, [&](const auto& part) { return sent.body.find(part) != std::string::npos; });
      if (is_it && found == nullptr) found = &sent;
    }
    EXPECT_TRUE(found != nullptr) << fmt::format("nothing for {} between {} and {} with '{}'", one.to, clock_text(one.from),
                                                 clock_text(one.until), one.subject);
    matched.insert(found);
  }
  EXPECT_EQ(sent_.size(), expected.size()) << "and nothing else";
  std::set<std::string> ids;
  for (const auto& one : sent_) ids.insert(one.id);
  EXPECT_EQ(ids.size(), sent_.size()) << "nothing twice";
  EXPECT_EQ(sql("SELECT sum((e ->> 'times')::bigint) FROM messages m, jsonb_array_elements(m.content -> 'events') e "
                "WHERE e ->> 'code' = 'FIRST_FAILURE' AND m.state = 'sent'"),
            std::to_string(kStorm))
      << "nothing lost";
  EXPECT_EQ(sql("SELECT count(*) FROM notices"), "0");
  EXPECT_EQ(sql("SELECT count(*) FROM messages WHERE state <> 'sent'"), "0");
  EXPECT_EQ(sql("SELECT count(*) FROM message_lines"), "0");
}

}  // namespace
}  // namespace gleaner::tests
