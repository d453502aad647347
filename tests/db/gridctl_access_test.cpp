#include <gmock/gmock.h>
#include <pqxx/pqxx>

#include <filesystem>
#include <fstream>

#include "tests/db/gridctl_fixture.hpp"

/// How clusters know the grid, and whom jobs may run as there.
namespace gleaner {
namespace {

using ::testing::HasSubstr;
using tests::Gridctl;

TEST_F(Gridctl, BasicAuthentication_NeedsALoginAndTheFileOfItsPassword) {
  EXPECT_EQ(code({"cluster", "add", "alpha", "http://localhost:1/oarapi", "--auth", "basic"}), 2);
  EXPECT_EQ(code({"cluster", "add", "alpha", "http://localhost:1/oarapi", "--auth", "basik"}), 2);
  EXPECT_EQ(code({"cluster", "add", "alpha", "http://grid:secret@localhost:1/oarapi"}), 2);
  EXPECT_EQ(code({"cluster", "add", "alpha", "ftp://localhost/oarapi"}), 2);
  EXPECT_EQ(code({"cluster", "add", "alpha", "http://localhost:1/oarapi", "--authentication=basic", "--login=grid",
                  "--secret-file=/nonexistent"}),
            0);
  EXPECT_EQ(stored("alpha").authentication, "basic");
}

TEST_F(Gridctl, APasswordOverHttp_ToAnotherMachine_IsRefusedUnlessSaid) {
  const auto add = [&](const std::string& name, const std::string& url, const std::string& more) {
    return code({"cluster", "add", name, url, "--auth", "basic", "--login", "grid", "--secret-file", "/no/secret", more});
  };
  for (const auto* host : {"oar.example.org", "127.example.org", "10.0.0.1:80", "[::2]"})
    EXPECT_EQ(add("alpha", fmt::format("http://{}/oarapi", host), "--verify"), 4) << host;
  EXPECT_EQ(add("a", "https://oar.example.org/oarapi", "--verify"), 0);
  EXPECT_EQ(add("c", "http://oar.example.org/oarapi", "--insecure"), 0);
  EXPECT_THAT(run({"cluster", "edit", "a", "--url", "http://oar.example.org/oarapi"}).output,
              HasSubstr("would be sent in clear over http"));
}

TEST_F(Gridctl, TheConsentToSendAPasswordInClear_IsKept_AndIsForThisWayAlone) {
  ASSERT_EQ(code({"cluster", "add", "c", "http://oar.example.org/oarapi", "--auth", "basic", "--login", "grid", "--secret-file",
                  "/no/secret", "--insecure"}),
            0);
  EXPECT_TRUE(stored("c").insecure);
  ASSERT_EQ(code({"cluster", "edit", "c", "--power", "2"}), 0);
  EXPECT_TRUE(stored("c").insecure);
  ASSERT_EQ(code({"cluster", "edit", "c", "--url", "https://oar.example.org/oarapi"}), 0);
  EXPECT_FALSE(stored("c").insecure);
  EXPECT_EQ(code({"cluster", "edit", "c", "--url", "http://oar.example.org/oarapi"}), 4);
}

TEST_F(Gridctl, Check_SendsNoPasswordInClear_WithoutConsent) {
  ASSERT_EQ(code({"cluster", "add", "c", "http://oar.invalid/oarapi", "--auth", "basic", "--login", "grid", "--secret-file", "/no/secret",
                  "--insecure"}),
            0);
  EXPECT_THAT(run({"check"}).output, HasSubstr("/no/secret"));
  pqxx::connection connection{conninfo};
  pqxx::work work{connection};
  work.exec("UPDATE clusters SET insecure = false");
  work.commit();
  EXPECT_THAT(run({"check"}).output, HasSubstr("gridctl cluster edit c --insecure"));
}

TEST_F(Gridctl, ASiteOfGrid5000_IsAddedByItsUrl_WithALogin_AndTakesOneJobARequest) {
  const auto add = [&](const std::string& url, std::vector<std::string> more) {
    std::vector<std::string> words{"cluster", "add", "grenoble", url, "--api", "g5k"};
    words.insert(words.end(), more.begin(), more.end());
    return run(std::move(words));
  };
  const std::string site = "https://api.grid5000.fr/stable/sites/grenoble";
  const std::vector<std::string> login{"--auth", "basic", "--login", "ada", "--secret-file", "/no/secret"};
  EXPECT_THAT(add(site, {}).output, HasSubstr("needs --auth basic"));
  EXPECT_THAT(add(site + "/jobs", login).output, HasSubstr("at one of its sites"));
  EXPECT_THAT(add("https://api.grid5000.fr/stable", login).output, HasSubstr("at one of its sites"));
  auto several = login;
  several.insert(several.end(), {"--array-size", "100"});
  EXPECT_THAT(add(site, several).output, HasSubstr("needs --array-size 1, not 100"));
  EXPECT_EQ(code({"cluster", "add", "grenoble", site, "--api", "g5k", "--auth", "basic", "--login", "ada", "--secret-file", "/no/secret"}),
            0);
  EXPECT_EQ(stored("grenoble").api, "g5k");
  EXPECT_EQ(stored("grenoble").array_size, 1);
}

TEST_F(Gridctl, ALoginOfTheSystem_IsNobodysUnlessSaid) {
  ASSERT_EQ(code({"cluster", "add", "alpha", "http://localhost:1/oarapi"}), 0);
  EXPECT_EQ(code({"user", "map", "mal", "alpha", "oar"}), 4);
  EXPECT_EQ(code({"user", "map", "mal", "alpha", "games"}), 4) << "its uid on this machine is below 1000";
  EXPECT_EQ(code({"user", "map", "mal", "alpha", "root", "--insecure"}), 0);
}

TEST_F(Gridctl, AUrlThatAnotherClusterHas_IsSaid) {
  ASSERT_EQ(code({"cluster", "add", "alpha", "http://localhost:1/oarapi"}), 0);
  const auto added = run({"cluster", "add", "beta", "http://localhost:2/oarapi"});
  EXPECT_EQ(added.output.find("alpha"), std::string::npos) << added.output;
  const auto edited = run({"cluster", "edit", "beta", "--url", "http://localhost:1/oarapi"});
  EXPECT_NE(edited.output.find("alpha is reached at the same URL"), std::string::npos) << edited.output;
  const auto third = run({"cluster", "add", "gamma", "http://localhost:1/oarapi"});
  EXPECT_NE(third.output.find("is reached at the same URL"), std::string::npos) << third.output;
}

}  // namespace
}  // namespace gleaner
