// `gridctl setup`, on a PostgreSQL of the test's own: what it makes, and that it can be repeated.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <stdexcept>

#include <fmt/format.h>

#include "lib/process/child.hpp"
#include "tests/db/postgres.hpp"

namespace gleaner {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

using Words = std::vector<std::string>;

process::Captured run(Words words) {
  auto captured = process::capture({.arguments = std::move(words), .environment = {{"GLEANER_DATABASE", ""}}}, std::chrono::minutes{10});
  if (!captured) throw std::runtime_error{captured.error()};
  return *std::move(captured);
}

std::string text_of(const fs::path& path) {
  std::ifstream file{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{file}, {}};
}

std::string our_name() { return ::getpwuid(::geteuid())->pw_name; }

class SetupCommand : public testing::Test {
 protected:
  SetupCommand() {
    std::string pattern = "/tmp/gleaner-setup-XXXXXX";
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error{pattern};
    folder_ = pattern;
  }
  ~SetupCommand() override { fs::remove_all(folder_); }

  static std::string program() {
    const char* programs = std::getenv("GLEANER_BIN_DIR");
    return fmt::format("{}/gridctl", programs != nullptr ? programs : "build-sanitize/bin");
  }
  static process::Captured gridctl(Words arguments) {
    arguments.insert(arguments.begin(), program());
    return run(std::move(arguments));
  }
  /// The setup of a database of that name, with further options; run by the words before it.
  [[nodiscard]] process::Captured setup(const std::string& name, const Words& more, Words words = {}) const {
    for (const auto& word : {program(), std::string{"setup"}, std::string{"--yes"}, std::string{"--postgres"}, superuser_,
                             std::string{"--database"}, connection(name, our_name()), std::string{"--directory"}, folder_.string()})
      words.push_back(word);
    words.insert(words.end(), more.begin(), more.end());
    return run(std::move(words));
  }
  /// The conninfo of the test's server, for another database and role.
  [[nodiscard]] std::string connection(const std::string& name, const std::string& role) const {
    return std::regex_replace(std::regex_replace(superuser_, std::regex{"dbname=[^ ]*"}, "dbname=" + name), std::regex{"user=[^ ]*"},
                              "user=" + role);
  }
  [[nodiscard]] std::string answer(const std::string& connection, const std::string& statement) const {
    return run({"psql", "-X", "-qtA", "-d", connection, "-c", statement}).output;
  }

  fs::path folder_;
  std::string superuser_ = tests::PrivatePostgres::instance().empty_database();
};

TEST_F(SetupCommand, MakesRolesDatabaseConfigurationAndToken_AndListsTheStepsLeft) {
  const auto said = setup("first", {"--user", "daemon", "--listen", "127.0.0.1:8443"});
  ASSERT_TRUE(said.end.succeeded()) << said.output;
  EXPECT_THAT(said.output, AllOf(HasSubstr("made the role daemon"), HasSubstr("made the database first"), HasSubstr("made the tables"),
                                 HasSubstr("Left to do:"), HasSubstr("gridctl cluster add NAME URL")));
  EXPECT_EQ(answer(superuser_, "SELECT pg_get_userbyid(datdba) FROM pg_database WHERE datname = 'first'"), "daemon\n");
  EXPECT_EQ(answer(connection("first", "gleaner"), "SELECT DISTINCT tableowner FROM pg_tables WHERE schemaname = 'public'"), "daemon\n")
      << "what the administrator makes is the services'";
  const auto configuration = folder_ / "gleaner.conf";
  EXPECT_THAT(text_of(configuration), AllOf(HasSubstr("database = " + connection("first", our_name()) + "\n"),
                                            HasSubstr(fmt::format("api_tokens_file = {}/tokens\n", folder_.string()))));
  EXPECT_THAT(text_of(folder_ / "tokens"), testing::MatchesRegex(fmt::format("[0-9a-f]+ {} admin\n", our_name())));
  struct stat status {};
  ASSERT_EQ(::stat((folder_ / "tokens").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
  EXPECT_TRUE(gridctl({"db", "status", "--config", configuration.string()}).end.succeeded());
}

/// An administrator may have a role already, by hand or of a run that was killed, and other databases, where it stays itself.
TEST_F(SetupCommand, AnAdministratorsRoleThatIsThere_MakesTablesOfTheServicesToo) {
  const auto role = our_name();
  static_cast<void>(
      answer(superuser_, fmt::format("DO $$ BEGIN CREATE ROLE \"{}\" LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$", role)));
  const auto said = setup("mine", {"--user", "daemon"});
  ASSERT_TRUE(said.end.succeeded()) << said.output;
  EXPECT_EQ(answer(connection("mine", "gleaner"), "SELECT DISTINCT tableowner FROM pg_tables WHERE schemaname = 'public'"), "daemon\n");
  EXPECT_EQ(answer(connection("postgres", role), "SELECT current_user"), role + "\n");
}

/// As in a chroot without devices. A token of zeros is everybody's.
TEST_F(SetupCommand, TokenIsRandom_WithoutADeviceForIt) {
  const Words without{"unshare", "-m", "sh", "-c", "mount --bind /dev/null /dev/urandom && exec \"$@\"", "sh"};
  auto words = without;
  words.emplace_back("true");
  if (!run(words).end.succeeded()) GTEST_SKIP() << "only root hides a device";
  const auto said = setup("chroot", {"--user", "daemon", "--listen", "127.0.0.1:8443"}, without);
  ASSERT_TRUE(said.end.succeeded()) << said.output;
  EXPECT_THAT(text_of(folder_ / "tokens"), Not(HasSubstr("00000000")));
}

/// A machine may have several servers of PostgreSQL.
TEST_F(SetupCommand, TheServerOfTheConninfosSocket_IsTheOneThatGetsTheDatabase) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root becomes the user postgres";
  static_cast<void>(
      answer(superuser_, "DO $$ BEGIN CREATE ROLE postgres SUPERUSER LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$"));
  const auto said =
      gridctl({"setup", "--yes", "--database", connection("beside", our_name()), "--directory", folder_.string(), "--user", "daemon"});
  ASSERT_TRUE(said.end.succeeded()) << said.output;
  EXPECT_THAT(said.output, AllOf(HasSubstr("made the database beside"), HasSubstr("made the tables")));
}

/// psql's warnings stand on stderr, as do those of a library whose versions differ; names are quoted wherever they stand.
TEST_F(SetupCommand, NamesWithDashesAndDots_AreMade_AndWarningsAreNotTakenForThem) {
  const auto said = gridctl({"setup", "--yes", "--postgres", superuser_ + " options='-c client_min_messages=debug1'", "--database",
                             connection("of-the.grid", our_name()), "--directory", folder_.string(), "--user", "www-data"});
  ASSERT_TRUE(said.end.succeeded()) << said.output;
  EXPECT_THAT(said.output,
              AllOf(HasSubstr("made the role www-data\n"), HasSubstr("made the database of-the.grid\n"), Not(HasSubstr("DEBUG"))));
  EXPECT_EQ(answer(superuser_, "SELECT pg_get_userbyid(datdba) FROM pg_database WHERE datname = 'of-the.grid'"), "www-data\n");
}

TEST_F(SetupCommand, OptionsWithoutEffect_AreRefused) {
  const auto alone = setup("fifth", {"--user", "daemon", "--certificate", "/x.pem", "--key", "/x.key"});
  EXPECT_EQ(alone.end.exit_status, 2);
  EXPECT_THAT(alone.output, HasSubstr("add --listen ADDRESS"));
  const auto secret = gridctl({"setup", "--yes", "--postgres", "dbname=postgres password=x", "--database", "dbname=fifth", "--user",
                               "daemon", "--directory", folder_.string()});
  EXPECT_EQ(secret.end.exit_status, 2);
  EXPECT_THAT(secret.output, HasSubstr("put it into ~/.pgpass"));
}

TEST_F(SetupCommand, Again_ChangesNothing) {
  ASSERT_TRUE(setup("second", {"--user", "daemon"}).end.succeeded());
  const auto configuration = text_of(folder_ / "gleaner.conf");
  const auto said = setup("second", {"--user", "daemon"});
  EXPECT_TRUE(said.end.succeeded()) << said.output;
  EXPECT_THAT(said.output, AllOf(HasSubstr("stays as it is"), HasSubstr("the tables are up to date"), Not(HasSubstr("made "))));
  EXPECT_EQ(text_of(folder_ / "gleaner.conf"), configuration);
  const auto other = setup("third", {"--user", "daemon"});
  EXPECT_EQ(other.end.exit_status, 4);
  EXPECT_THAT(other.output, HasSubstr("gleaner.conf:2 says database = "));
}

TEST_F(SetupCommand, FailureNamesTheRemedy_AndLeavesNothing) {
  const auto nobody = setup("fourth", {"--user", "no-such-user"});
  EXPECT_EQ(nobody.end.exit_status, 4);
  EXPECT_THAT(nobody.output, HasSubstr("adduser --system --group no-such-user"));
  const auto unreachable = gridctl({"setup", "--yes", "--postgres", "host=/nonexistent dbname=postgres", "--database", "dbname=fourth",
                                    "--user", "daemon", "--directory", folder_.string()});
  EXPECT_EQ(unreachable.end.exit_status, 5);
  EXPECT_THAT(unreachable.output, HasSubstr("systemctl start postgresql"));
  for (const auto* address : {"0.0.0.0:8443", "127.0.0.1:8443,0.0.0.0:8443"}) {
    const auto open = setup("fourth", {"--user", "daemon", "--listen", address});
    EXPECT_EQ(open.end.exit_status, 2) << address;
    EXPECT_THAT(open.output, HasSubstr("--certificate and --key"));
  }
  EXPECT_EQ(gridctl({"setup"}).end.exit_status, 4) << "stdin is no terminal";
  EXPECT_TRUE(fs::is_empty(folder_));
}

/// With such a key there was no API at all.
TEST_F(SetupCommand, AKeyThatTheServicesCannotRead_IsRefused_BeforeAnythingIsMade) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root sets up services of another user";
  const auto place = folder_ / "tls";
  fs::create_directory(place);
  const auto certificate = (place / "api.crt").string();
  const auto key = (place / "api.key").string();
  std::ofstream{certificate} << "certificate";
  std::ofstream{key} << "key";
  ::chmod(folder_.c_str(), 0755);
  ::chmod(certificate.c_str(), 0644);
  ::chmod(key.c_str(), 0600);
  const auto refused = setup("sixth", {"--user", "daemon", "--listen", "0.0.0.0:8443", "--certificate", certificate, "--key", key});
  EXPECT_EQ(refused.end.exit_status, 4) << refused.output;
  EXPECT_THAT(refused.output, AllOf(HasSubstr("as daemon, who runs the services: the key"), HasSubstr("install -D -o daemon -m 600")));
  EXPECT_FALSE(fs::exists(folder_ / "gleaner.conf"));
  EXPECT_EQ(answer(superuser_, "SELECT count(*) FROM pg_database WHERE datname = 'sixth'"), "0\n");
  const auto* daemon = ::getpwnam("daemon");
  ASSERT_NE(daemon, nullptr);
  ASSERT_EQ(::chown(key.c_str(), daemon->pw_uid, daemon->pw_gid), 0);
  EXPECT_TRUE(setup("sixth", {"--user", "daemon", "--listen", "0.0.0.0:8443", "--certificate", certificate, "--key", key}).end.succeeded());
}

}  // namespace
}  // namespace gleaner
