#include <gtest/gtest.h>
#include <sys/stat.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "sim/gridlocal/database.hpp"
#include "sim/gridlocal/services.hpp"

namespace gleaner::gridlocal {
namespace {

std::filesystem::path fresh_folder() {
  std::string pattern = "/tmp/gridlocal-XXXXXX";
  if (::mkdtemp(pattern.data()) == nullptr || ::chmod(pattern.c_str(), 0755) != 0) throw std::runtime_error{pattern};
  return pattern;
}

TEST(LocalDatabase, ComesUp_IsKeptOverARestart_AndGoes) {
  const Place place{fresh_folder()};
  Services services{place};
  start_database(place, services);
  EXPECT_TRUE(services.is_running(kDatabaseService));
  const auto server = services.all().at(0);
  start_database(place, services);
  EXPECT_EQ(services.all().at(0).pid, server.pid) << "a running server is left as it is";
  services.stop(server, SIGINT);
  EXPECT_FALSE(is_alive(server));
  start_database(place, services);
  EXPECT_TRUE(services.is_running(kDatabaseService));
  services.stop(services.all().at(0), SIGINT);
  std::filesystem::remove_all(place.root());
}

}  // namespace
}  // namespace gleaner::gridlocal
