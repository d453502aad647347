// gridctl keep, the real program, on a database of its own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <pqxx/pqxx>

#include "lib/store/database.hpp"
#include "tests/db/gridctl_fixture.hpp"

namespace gleaner {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class Keeps : public tests::Gridctl {
 protected:
  void SetUp() override {
    ASSERT_EQ(code({"cluster", "add", "alpha", "https://alpha.example.org/oarapi-priv"}), 0);
    execute("UPDATE clusters SET max_resources = 200");
  }
  void execute(const std::string& sql) {
    pqxx::connection connection{conninfo};
    pqxx::work work{connection};
    work.exec(sql);
    work.commit();
  }
  /// `keep set NAME` with the cluster alpha and 40 resources, unless the options say otherwise.
  process::Captured set(std::vector<std::string> options) {
    std::vector<std::string> words{"keep", "set", "class", "--cluster", "alpha", "--resources", "40"};
    words.insert(words.end(), options.begin(), options.end());
    return run(std::move(words));
  }
};

TEST_F(Keeps, AreSet_Listed_Replaced_Audited_AndRemoved) {
  EXPECT_EQ(run({"keep", "list"}).output, "Nothing is kept.\n");
  EXPECT_EQ(set({"--new-users", "30d", "--hours", "08:00-18:00"}).output,
            "gridctl: 40 resources of alpha are kept for new users (first campaign less than 30d ago), 08:00-18:00 UTC\n");
  EXPECT_EQ(code({"keep", "set", "course", "--cluster", "alpha", "--resources", "10%", "--group", "chem", "--project", "dft", "--type",
                  "test", "--from", "2099-01-01T08:00:00Z", "--until", "2099-02-01T08:00:00+01:00"}),
            0);
  EXPECT_THAT(run({"keep", "list", "--csv"}).output,
              AllOf(HasSubstr("class,alpha,40,0,new users (first campaign less than 30d ago),08:00-18:00 UTC,"),
                    HasSubstr("course,alpha,10%,0,test campaigns of group chem in project dft,"
                              "\"from 2099-01-01T08:00:00Z, until 2099-02-01T07:00:00Z\",from 2099-01-01T08:00:00Z")));
  EXPECT_EQ(set({"--user", "ada"}).output, "gridctl: 40 resources of alpha are kept for user ada, always\n");
  EXPECT_THAT(run({"keep", "list"}).output, AllOf(HasSubstr("user ada"), HasSubstr("active"), Not(HasSubstr("new users"))));
  EXPECT_EQ(run({"keep", "list", "--quiet"}).output, "class\ncourse\n");
  ASSERT_TRUE(set({"--user", "ada", "--from", "2099-01-01T10:00:00Z", "--hours", "13:00-14:00"}).end.succeeded());
  EXPECT_THAT(run({"keep", "list", "--csv"}).output, HasSubstr("\"13:00-14:00 UTC, from 2099-01-01T10:00:00Z\",from 2099-01-01T13:00:00Z"))
      << "it begins with its hours";
  EXPECT_THAT(run({"audit"}).output, AllOf(HasSubstr("keep class on alpha"), HasSubstr("keep set"), HasSubstr("user_name: - -> ada")));
  EXPECT_EQ(code({"keep", "remove", "class"}), 0);
  EXPECT_EQ(code({"keep", "remove", "class"}), 3);
  EXPECT_THAT(run({"audit"}).output, HasSubstr("keep remove"));
}

TEST_F(Keeps, WithoutSense_AreRefusedInWords) {
  const auto refused = [&](std::vector<std::string> options, int code, const std::string& words) {
    const auto said = set(std::move(options));
    EXPECT_EQ(said.end.exit_status, code) << said.output;
    EXPECT_THAT(said.output, HasSubstr(words));
  };
  refused({}, 2, "for whom is it kept?");
  refused({"--user", ""}, 2, "--user is empty");
  refused({"--user", "ada", "--hours", "08:00-08:00"}, 2, "--hours=08:00-08:00: must be hours of the day in UTC");
  refused({"--user", "ada", "--cluster", "alhpa"}, 3, "there is no cluster 'alhpa' (did you mean 'alpha'?)");
  refused({"--user", "ada", "--resources", "0"}, 2, "--resources=0: must be a number of resources such as 40");
  refused({"--user", "ada", "--resources", "101%"}, 2, "--resources=101%");
  refused({"--user", "ada", "--from", "2099-01-02T00:00:00Z", "--until", "2099-01-01T00:00:00Z"}, 2, "is not before");
  refused({"--user", "ada", "--from", "tomorrow"}, 2, "--from=tomorrow: must be a time such as 2026-12-01T08:00:00Z");
  refused({"--user", "ada", "--until", "2020-01-01T00:00:00Z"}, 2, "is over: the keep would never be active");
  refused({"--user", "ada", "--from", "2099-01-01T10:00:00Z", "--until", "2099-01-01T12:00:00Z", "--hours", "13:00-14:00"}, 2,
          "none of the --hours=13:00-14:00 is left before --until=2099-01-01T12:00:00Z: the keep would never be active");
  refused({"--user", "each"}, 2, "--user=each: only limits may be for each");
  refused({"--type", "tests"}, 2, "--type=tests: must be test or default");
  refused({"--new-users", "0"}, 2, "--new-users=0: must be a time such as 30d");
  refused({"--campaign", "7"}, 3, "there is no campaign 7");
  EXPECT_EQ(code({"keep", "set", "a b", "--cluster", "alpha", "--resources", "1", "--user", "ada"}), 2);
  EXPECT_THAT(run({"keep", "set", "class", "--resources", "1", "--user", "ada"}).output, HasSubstr("--cluster is needed"));
  EXPECT_EQ(run({"keep", "list"}).output, "Nothing is kept.\n");
}

TEST_F(Keeps, LargerThanTheCluster_AreTakenWithANote) {
  const auto said = set({"--user", "ada", "--resources", "500"});
  EXPECT_TRUE(said.end.succeeded());
  EXPECT_THAT(said.output, HasSubstr("note: alpha has 200 resources: others get none of them while the keep is active"));
}

TEST_F(Keeps, ForACampaignThatIsOver_AreTakenWithANote) {
  const auto campaign = [&](const std::string& state, const std::string& ended) {
    execute(
        "INSERT INTO campaigns (user_name, name, type, submitted_at, jdl, state, ended_at) VALUES ('ada', 'a', 'default', now(), '{}', '" +
        state + "', " + ended + ")");
  };
  campaign("in_treatment", "NULL");
  campaign("terminated", "now()");
  campaign("cancelled", "now()");
  EXPECT_EQ(set({"--campaign", "1"}).output, "gridctl: 40 resources of alpha are kept for campaign 1, always\n");
  for (const auto* const over : {"2", "3"}) {
    const auto said = set({"--campaign", over});
    EXPECT_TRUE(said.end.succeeded());
    EXPECT_THAT(said.output, HasSubstr(std::string{"note: campaign "} + over + (*over == '2' ? " is terminated: " : " is cancelled: ")));
    EXPECT_THAT(said.output, HasSubstr("no job uses them ('gridctl keep remove class')"));
  }
}

TEST_F(Keeps, GoWithTheirCluster) {
  ASSERT_TRUE(set({"--user", "ada"}).end.succeeded());
  EXPECT_EQ(code({"cluster", "remove", "alpha"}), 0);
  EXPECT_EQ(run({"keep", "list"}).output, "Nothing is kept.\n");
}

TEST_F(Keeps, ThatChange_WakeTheConductor) {
  store::Database conductor{conninfo};
  conductor.listen("gleaner_wake_up");
  ASSERT_TRUE(set({"--user", "ada"}).end.succeeded());
  EXPECT_TRUE(conductor.wait_for_notification(std::chrono::seconds{10}));
  ASSERT_EQ(code({"keep", "remove", "class"}), 0);
  EXPECT_TRUE(conductor.wait_for_notification(std::chrono::seconds{10}));
}

}  // namespace
}  // namespace gleaner
