// Clusters and users out of CiGri's database.
#include <sys/stat.h>
#include <unistd.h>

#include "lib/store/clusters.hpp"
#include "tests/db/import_fixture.hpp"

namespace gleaner::tests {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

namespace fs = std::filesystem;

TEST_F(ImportCigri, Clusters_AreReachedAsCigriReachedThem_AndWhatIsMissingIsSaid) {
  cigri(
      "INSERT INTO clusters (name, api_url, api_auth_type, api_username, api_password, api_auth_header, batch, properties, enabled) VALUES"
      " ('basic', 'https://basic/oarapi-cigri', 'password', 'grid', 'sesame', 'X_IDENT', 'oar2_5', '', true),"
      " ('cert', 'https://cert/oarapi-cigri', 'cert', NULL, NULL, NULL, 'oar2_5', 'besteffort=''YES''', true),"
      " ('token', 'https://token/oarapi', 'jwt', NULL, NULL, NULL, 'oar3', NULL, true),"
      " ('three', 'https://three/oarapi', 'none', NULL, NULL, NULL, 'oar3', NULL, true),"
      " ('off', 'https://off/oarapi', 'none', NULL, NULL, NULL, 'oar2_5', NULL, false),"
      " ('g5k', 'https://api.grid5000.fr', 'none', NULL, NULL, NULL, 'g5k', NULL, true),"
      " ('../etc', 'https://x/oarapi', 'none', NULL, NULL, NULL, 'oar2_5', NULL, true),"
      " ('nowhere', 'gopher://grid:sesame@x', 'none', NULL, NULL, NULL, 'oar2_5', NULL, true),"
      " ('off', 'https://another/oarapi', 'none', NULL, NULL, NULL, 'oar2_5', NULL, true)");
  const auto said = import({"--yes", "--only", "clusters"});
  EXPECT_EQ(said.end.exit_status, 1) << "some cannot be taken";
  store::Database database{here_};
  auto transaction = database.begin();
  const auto basic = store::find_cluster(transaction, "basic").value();
  EXPECT_EQ(basic.url, "https://basic/oarapi-cigri");
  EXPECT_EQ(basic.authentication + " " + basic.login + " " + basic.identity_header, "basic grid X_IDENT");
  EXPECT_EQ(basic.secret_file, (folder_ / "secrets/basic.secret").string());
  EXPECT_TRUE(basic.enabled);
  struct stat status {};
  ASSERT_EQ(::stat(basic.secret_file.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
  EXPECT_EQ(content_of(basic.secret_file), "sesame\n");
  EXPECT_EQ(here("SELECT name FROM clusters WHERE NOT enabled ORDER BY name"), "cert\ng5k\noff\nthree\ntoken");
  EXPECT_EQ(here("SELECT url FROM clusters WHERE name = 'off'"), "https://off/oarapi");
  EXPECT_EQ(here("SELECT count(*) FROM clusters WHERE name = 'nowhere' OR name LIKE '%etc%'"), "0");
  EXPECT_THAT(said.output,
              AllOf(HasSubstr("gridctl cluster enable cert"), HasSubstr("besteffort='YES'"),
                    HasSubstr("cluster three: its users' tokens are not taken"),
                    HasSubstr("cluster g5k: its URL names no site of Grid'5000"), HasSubstr("CiGri has another cluster of this name"),
                    HasSubstr("not here, for the reasons above: cluster ../etc, cluster nowhere, cluster off"), Not(HasSubstr("sesame"))));
}

TEST_F(ImportCigri, ASiteOfGrid5000_IsAskedByItsOwnApi_AndWaitsForALoginIfCigriHadNone) {
  cigri(
      "INSERT INTO clusters (name, api_url, api_auth_type, api_username, api_password, batch, enabled) VALUES"
      " ('grenoble', 'https://api.grid5000.fr/stable/sites/grenoble', 'password', 'ada', 'sesame', 'g5k', true),"
      " ('nancy', 'https://api.grid5000.fr/stable/sites/nancy/', 'none', NULL, NULL, 'g5k', true)");
  const auto said = import({"--yes", "--only", "clusters"});
  EXPECT_EQ(here("SELECT concat_ws(' ', name, api, array_size, authentication, enabled) FROM clusters ORDER BY name"),
            "grenoble g5k 1 basic t\nnancy g5k 1 none f");
  EXPECT_THAT(said.output, HasSubstr("cluster nancy: Grid'5000's API knows who asks by a login and a password: it is disabled until "
                                     "'gridctl cluster edit nancy --auth basic --login LOGIN --secret-file FILE' and 'gridctl cluster "
                                     "enable nancy'"));
}

TEST_F(ImportCigri, APasswordOverHttpToAnotherHost_IsSentOnlyWithTheConsentOfInsecure) {
  cigri(
      "INSERT INTO clusters (name, api_url, api_auth_type, api_username, api_password, batch, enabled) VALUES"
      " ('clear', 'http://far.example.org/oarapi', 'password', 'grid', 'sesame', 'oar2_5', true)");
  EXPECT_THAT(import().output, HasSubstr("cluster clear: its password is not sent, as it would go in clear over http"));
  EXPECT_EQ(here("SELECT insecure FROM clusters"), "f");
  here("DELETE FROM clusters RETURNING 1");
  EXPECT_THAT(import({"--yes", "--insecure"}).output, Not(HasSubstr("in clear")));
  EXPECT_EQ(here("SELECT insecure FROM clusters"), "t");
}

TEST_F(ImportCigri, ClusterThatIsHere_StaysAsItIs_AndWhatDiffersIsSaid) {
  two_clusters();
  here(
      "INSERT INTO clusters (name, url, enabled) VALUES ('zeta', 'https://zeta.example.org/oarapi', false),"
      " ('alpha', 'http://localhost:2/oarapi', true) RETURNING 1");
  const auto said = import();
  EXPECT_EQ(said.end.exit_status, 0) << said.output;
  EXPECT_THAT(said.output, AllOf(HasSubstr("cluster zeta: here it is reached at https://zeta.example.org/oarapi, not at CiGri's URL"),
                                 HasSubstr("gridctl cluster enable zeta"), Not(HasSubstr("cluster alpha: "))));
  EXPECT_EQ(here("SELECT name || ' ' || url || ' ' || enabled FROM clusters ORDER BY name"),
            "alpha http://localhost:2/oarapi true\nzeta https://zeta.example.org/oarapi false");
}

TEST_F(ImportCigri, FileOfAPassword_ThatOthersCanReadOrThatIsNone_IsRefused_AndALinkIsNotWrittenThrough) {
  cigri(
      "INSERT INTO clusters (name, api_url, api_username, api_password, batch) VALUES ('zeta', 'https://zeta/oarapi', 'grid', 'sesame', 'oar2_5')");
  const auto secret = folder_ / "secrets/zeta.secret";
  const auto clusters = [&] { return here("SELECT count(*) FROM clusters"); };
  fs::create_directories(secret.parent_path());
  std::ofstream{secret} << "open\n";
  fs::permissions(secret, fs::perms{0644});
  EXPECT_THAT(import().output, HasSubstr("chmod 600"));
  EXPECT_EQ(clusters(), "0");
  fs::remove(secret);
  fs::create_symlink(folder_ / "elsewhere", secret);
  EXPECT_THAT(import().output, HasSubstr("is no file"));
  EXPECT_EQ(clusters(), "0");
  fs::remove(secret);
  fs::create_symlink(folder_ / "elsewhere", folder_ / "secrets/zeta.secret.new");  // where a killed import would have left a file
  EXPECT_EQ(import().end.exit_status, 0);
  EXPECT_EQ(content_of(secret), "sesame\n");
  EXPECT_FALSE(fs::exists(folder_ / "elsewhere"));
  EXPECT_EQ(clusters(), "1");
}

TEST_F(ImportCigri, FileOfAPassword_OfAnotherUser_IsRefused) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a file away";
  cigri(
      "INSERT INTO clusters (name, api_url, api_username, api_password, batch) VALUES ('zeta', 'https://zeta/oarapi', 'grid', 'sesame', 'oar2_5')");
  const auto secret = folder_ / "secrets/zeta.secret";
  fs::create_directories(secret.parent_path());
  std::ofstream{secret} << "theirs\n";
  fs::permissions(secret, fs::perms{0600});
  ASSERT_EQ(::chown(secret.c_str(), 4242, 4242), 0);
  const auto said = import();
  EXPECT_EQ(said.end.exit_status, 1);
  EXPECT_THAT(said.output, HasSubstr("belongs to the user 4242"));
}

TEST_F(ImportCigri, CertificateOfTheCommandLine_IsThatOfTheClustersThatHadCigris) {
  cigri("INSERT INTO clusters (name, api_url, api_auth_type, batch) VALUES ('cert', 'https://cert/oarapi-cigri', 'cert', 'oar2_5')");
  EXPECT_EQ(import({"--yes", "--certificate", "/x.crt", "--key", "/x.key", "--ca-file", "/ca.crt"}).end.exit_status, 0);
  EXPECT_EQ(here("SELECT authentication || ' ' || certificate_file || ' ' || key_file || ' ' || ca_file || ' ' || enabled FROM clusters"),
            "certificate /x.crt /x.key /ca.crt true");
}

TEST_F(ImportCigri, LoginsAndPrioritiesOfUsers_Come_AndThoseThatAreHereStay) {
  two_clusters();
  cigri(
      "INSERT INTO users_mapping (grid_login, cluster_login, cluster_id) VALUES ('ada', 'lovelace', 1), ('ada', 'ada', 2),"
      " ('eve', E'x\\nX_REMOTE_IDENT: root', 1), ('old', 'gone', 99), ('none', NULL, 1)");
  cigri("INSERT INTO users_priority (grid_user, cluster_id, priority) VALUES ('ada', 2, 10), ('bob', 1, -1)");
  const auto said = import();
  EXPECT_EQ(said.end.exit_status, 1);
  EXPECT_EQ(here("SELECT m.user_name || ' ' || k.name || ' ' || m.login FROM user_mappings m JOIN clusters k ON k.id = m.cluster_id"),
            "ada zeta lovelace");
  EXPECT_EQ(here("SELECT a.user_name || ' ' || k.name FROM affinities a JOIN clusters k ON k.id = a.cluster_id"), "ada alpha");
  EXPECT_THAT(said.output,
              AllOf(HasSubstr("may be a secret"), HasSubstr("CiGri has no such cluster any more"), HasSubstr("no login of this user"),
                    HasSubstr("user login on zeta of eve"), Not(HasSubstr("X_REMOTE_IDENT: root"))));
  cigri("UPDATE users_mapping SET cluster_login = 'byron' WHERE cluster_login = 'lovelace'");
  EXPECT_THAT(import().output, HasSubstr("the login here is lovelace, and stays"));
}

TEST_F(ImportCigri, LoginsAndPrioritiesOfAnotherClusterOfThatName_AreNotThoseOfTheOneThatCame) {
  two_clusters();
  cigri("INSERT INTO clusters (name, api_url, api_auth_type, batch) VALUES ('zeta', 'http://localhost:3/oarapi', 'none', 'oar2_5')");
  cigri("INSERT INTO users_mapping (grid_login, cluster_login, cluster_id) VALUES ('ada', 'lovelace', 3), ('bob', 'byron', 1)");
  cigri("INSERT INTO users_priority (grid_user, cluster_id, priority) VALUES ('ada', 3, 10)");
  const auto said = import();
  EXPECT_EQ(said.end.exit_status, 1);
  EXPECT_EQ(here("SELECT login FROM user_mappings"), "byron") << said.output;
  EXPECT_EQ(here("SELECT count(*) FROM affinities"), "0");
  EXPECT_THAT(import({"--yes", "--only", "clusters"}).output, HasSubstr("not here, for the reasons above: cluster zeta.")) << "again";
  EXPECT_THAT(said.output, HasSubstr("several clusters 'zeta', and this is of another than the one at http://localhost:1"));
}

TEST_F(ImportCigri, Tokens_AreNoLogins_AndAreNotShown) {
  two_clusters();
  cigri("INSERT INTO clusters (name, api_url, api_auth_type, batch) VALUES ('token', 'https://token/oarapi', 'jwt', 'oar3')");
  cigri(
      "INSERT INTO users_mapping (grid_login, cluster_login, cluster_id) VALUES ('ada', 'Bearer abc', 1), ('bob', 'eyJhbGci.eyJzdWIi.abc', 2),"
      " ('eve', 'abcdef', 3)");
  const auto said = import();
  EXPECT_EQ(said.end.exit_status, 1);
  EXPECT_EQ(here("SELECT count(*) FROM user_mappings"), "0");
  EXPECT_THAT(said.output,
              AllOf(ContainsRegex("login on zeta of ada: it is a token"), ContainsRegex("login on alpha of bob: it is a token"),
                    ContainsRegex("login on token of eve: it is a token"), Not(HasSubstr("abc"))));
}

}  // namespace
}  // namespace gleaner::tests
