#pragma once
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "lib/process/child.hpp"
#include "lib/store/clusters.hpp"
#include "tests/db/postgres.hpp"

namespace gleaner::tests {

/// gridctl, the real program, on a database of its own.
class Gridctl : public ::testing::Test {
 protected:
  process::Captured run(std::vector<std::string> arguments) {
    const char* folder = std::getenv("GLEANER_BIN_DIR");
    arguments.insert(arguments.begin(), fmt::format("{}/gridctl", folder != nullptr ? folder : "build/bin"));
    auto all = environment;
    all.emplace_back("GLEANER_DATABASE", conninfo);
    auto captured = process::capture({.arguments = std::move(arguments), .environment = std::move(all)}, std::chrono::minutes{10});
    if (!captured) throw std::runtime_error{captured.error()};
    return *captured;
  }
  int code(std::vector<std::string> arguments) { return run(std::move(arguments)).end.exit_status; }

  store::Cluster stored(const std::string& name) {
    store::Database database{conninfo};
    auto transaction = database.begin();
    return store::find_cluster(transaction, name).value();
  }

  std::string conninfo = PrivatePostgres::instance().fresh_database();
  std::vector<std::pair<std::string, std::string>> environment{};  ///< and the database
};

}  // namespace gleaner::tests
