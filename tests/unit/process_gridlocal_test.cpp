#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <unistd.h>

#include "lib/process/exit_code.hpp"
#include "lib/process/secret.hpp"
#include "sim/gridlocal/clusters.hpp"
#include "sim/gridlocal/local_grid.hpp"
#include "sim/gridlocal/services.hpp"

namespace gleaner::gridlocal {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class LocalGrid : public testing::Test {
 protected:
  static std::filesystem::path fresh_folder() {
    std::string pattern = "/tmp/gridlocal-XXXXXX";
    if (::mkdtemp(pattern.data()) == nullptr || ::chmod(pattern.c_str(), 0755) != 0) throw std::runtime_error{pattern};
    return pattern;
  }
  ~LocalGrid() override {
    for (const auto& service : services_.all()) services_.stop(service, SIGKILL);
    std::filesystem::remove_all(folder_);
  }

  void start(
      const std::string& name, const std::string& script, const std::function<bool()>& ready = [] { return true; }) {
    services_.start(name, {.arguments = {"sh", "-c", script}}, ready);
  }
  static std::string refusal(const std::function<void()>& act) {
    try {
      act();
    } catch (const process::Error& error) {
      return error.what();
    }
    return {};
  }

  std::filesystem::path folder_ = fresh_folder();
  Place place_{folder_};
  Services services_{place_};
};

TEST_F(LocalGrid, ServiceThatIsStarted_IsFoundAgain_AndStopped) {
  start("one", "exec sleep 1000");
  const auto found = Services{place_}.all();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].name, "one");
  EXPECT_TRUE(is_alive(found[0]));
  services_.stop(found[0], SIGTERM);
  EXPECT_FALSE(is_alive(found[0]));
  EXPECT_TRUE(services_.all().empty());
}

TEST_F(LocalGrid, ServiceThatEnds_IsAnErrorWithTheEndOfItsLog) {
  const auto said = refusal([&] { start("one", "echo the port is taken; exit 3", [] { return false; }); });
  EXPECT_THAT(said, HasSubstr("one ended at once (exit status 3)"));
  EXPECT_THAT(said, HasSubstr("the port is taken"));
  EXPECT_TRUE(services_.all().empty());
}

TEST_F(LocalGrid, ProcessThatGotTheSamePid_IsNotTakenForTheService) {
  start("one", "exec sleep 1000");
  auto other = services_.all().at(0);
  ++other.started;
  EXPECT_FALSE(is_alive(other));
  services_.stop(other, SIGKILL);
  other.started -= 1;
  EXPECT_TRUE(is_alive(other)) << "a signal was sent to a process that is not the one remembered";
  other.boot = "another boot";
  EXPECT_FALSE(is_alive(other));
  other.boot = "";
  ::kill(other.pid, SIGKILL);
}

TEST_F(LocalGrid, PlaceWhosePathIsTooLongForASocket_IsRefused) {
  EXPECT_THAT(refusal([] { check_place(Place{"/tmp/" + std::string(100, 'x')}); }), HasSubstr("too long"));
}

TEST_F(LocalGrid, FolderThatItDidNotMake_IsLeftAlone) {
  std::ofstream{folder_ / "mine"} << "precious";
  EXPECT_THAT(refusal([&] { (void)down(place_, Leftovers::remove); }), HasSubstr("left alone"));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "mine"));
}

TEST_F(LocalGrid, ClustersFile_GivesTheirAddresses_AndHidesTheirPasswords) {
  std::ofstream{folder_ / "clusters.json"}
      << R"({"clusters":[{"name":"alpha","api_url":"http://127.0.0.1:1/oarapi-grid","grid_login":"grid",
    "grid_password":"secret","identity_header":"X_REMOTE_IDENT","users":["griduser1","griduser2"]}]})";
  const auto clusters = read_clusters(place_, folder_ / "clusters.json");
  ASSERT_EQ(clusters.size(), 1U);
  EXPECT_EQ(clusters[0].url, "http://127.0.0.1:1/oarapi-grid");
  EXPECT_EQ(clusters[0].user, "griduser1");
  EXPECT_EQ(process::read_secret_file(clusters[0].password_file), "secret");
}

TEST_F(LocalGrid, ClustersFileThatIsNone_IsRefusedWithWhatIsMissing) {
  std::ofstream{folder_ / "a.json"} << "{\"clusters\":";
  std::ofstream{folder_ / "b.json"} << R"({"clusters":[{"name":"alpha"}]})";
  EXPECT_THAT(refusal([&] { (void)read_clusters(place_, folder_ / "a.json"); }), HasSubstr("is not JSON"));
  EXPECT_THAT(refusal([&] { (void)read_clusters(place_, folder_ / "b.json"); }), HasSubstr("no text 'api_url'"));
  EXPECT_THAT(refusal([&] { (void)read_clusters(place_, folder_ / "c.json"); }), HasSubstr("cannot be read"));
}

}  // namespace
}  // namespace gleaner::gridlocal
