#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// The arrows between the folders go one way (ARCHITECTURE.md): what a folder may include is here, and
// a file that includes anything else of ours fails this test. So does a module that reads its host's clock.
namespace gleaner {
namespace {

namespace fs = std::filesystem;

struct Layer {
  std::string_view folder;
  std::vector<std::string_view> may_include;  ///< besides itself
};

/// The most special folder first: a file belongs to the first one that holds it.
const std::vector<Layer>& layers() {
  static const std::vector<Layer> table{
      {"lib/text/", {}},
      {"lib/grid/", {"lib/text/"}},
      {"lib/decisions/", {"lib/text/", "lib/grid/"}},
      {"lib/jdl/", {"lib/text/", "lib/grid/"}},
      {"lib/oar/", {"lib/text/", "lib/grid/"}},
      {"lib/store/", {"lib/text/", "lib/grid/", "sql/"}},
      {"lib/http/", {"lib/text/", "lib/grid/"}},
      {"lib/inputs/", {"lib/text/", "lib/grid/"}},
      {"lib/process/", {"lib/text/", "lib/grid/"}},
      {"lib/rules/ruby/", {"lib/text/", "lib/jdl/"}},
      {"lib/rules/", {"lib/text/", "lib/grid/", "lib/jdl/", "lib/process/", "lib/store/"}},
      {"lib/intake/", {"lib/text/", "lib/grid/", "lib/jdl/", "lib/store/"}},
      {"lib/terminal/", {"lib/text/", "lib/grid/", "lib/process/"}},
      {"lib/secrets/", {"lib/text/", "lib/grid/", "lib/process/"}},
      {"lib/", {"lib/"}},
      {"sql/", {}},
      {"metascheduler/planner/", {"lib/text/", "lib/grid/", "lib/decisions/"}},
      {"predictor/algorithms/", {"lib/text/", "lib/grid/"}},
      {"runner/command/", {"lib/text/", "lib/grid/", "lib/inputs/", "runner/wrapper/"}},
      {"almighty/", {"lib/"}},
      {"herald/", {"lib/"}},
      {"updator/", {"lib/"}},
      {"predictor/", {"lib/"}},
      {"metascheduler/", {"lib/"}},
      {"runner/", {"lib/"}},
      {"nikita/", {"lib/"}},
      {"api/what_if/", {"lib/", "api/", "sim/gridsim/engine/"}},
      {"api/", {"lib/", "sim/gridsim/engine/what_if.hpp"}},
      {"clients/gridsub/", {"lib/", "clients/", "sim/gridsim/engine/", "runner/command/"}},
      {"clients/", {"lib/"}},
      {"sim/minioar/", {"lib/"}},
      {"sim/wrapper/", {"lib/", "sim/minioar/", "runner/wrapper/"}},
      {"sim/gridlocal/", {"lib/"}},
      {"sim/gridsim/engine/", {"lib/", "metascheduler/", "predictor/", "nikita/"}},
      {"sim/gridsim/", {"lib/"}},
      {"sim/world/",
       {"lib/", "almighty/", "updator/", "predictor/", "metascheduler/", "runner/", "nikita/", "api/", "sim/combinations/", "sim/minioar/",
        "sim/wrapper/", "sim/gridlocal/", "sql/"}},
      {"sim/", {"lib/"}},
  };
  return table;
}

struct Library {
  std::string_view header;
  std::vector<std::string_view> folders;  ///< that may use it
};

const std::vector<Library>& libraries() {
  static const std::vector<Library> table{
      {"pqxx/", {"lib/store/"}},
      {"libpq-fe.h", {"lib/store/", "sim/world/"}},  // the judge reads the database with queries of its own
      {"curl/", {"lib/oar/", "lib/http/", "clients/", "herald/"}},
      {"muParser.h", {"lib/jdl/"}},
      {"rapidjson/",
       {"lib/text/", "lib/decisions/", "lib/jdl/", "lib/oar/", "lib/store/", "lib/http/", "lib/rules/", "lib/terminal/", "api/", "clients/",
        "almighty/", "herald/", "sim/"}},
      {"boost/", {"lib/http/", "lib/process/", "api/", "clients/", "sim/"}},
      {"openssl/", {"lib/http/", "lib/inputs/", "lib/oar/", "lib/secrets/", "api/", "herald/", "sim/"}},
      {"systemd/", {"almighty/", "api/", "herald/"}},
      {"mruby", {"lib/rules/ruby/"}},
  };
  return table;
}

bool starts_with_any(std::string_view text, const std::vector<std::string_view>& prefixes) {
  for (const auto prefix : prefixes) {
    if (text.starts_with(prefix)) return true;
  }
  return false;
}

/// The error in an #include of ours, `lib/grid/id.hpp`, in a file of ours.
std::optional<std::string> wrong_arrow(std::string_view file, std::string_view included) {
  for (const auto& layer : layers()) {
    if (!file.starts_with(layer.folder)) continue;
    if (included.starts_with(layer.folder) || starts_with_any(included, layer.may_include)) return std::nullopt;
    return fmt::format("{} includes {}, and {} may not", file, included, layer.folder);
  }
  return fmt::format("{} is in no folder that this test knows", file);
}

/// The same for a header of a third party, `pqxx/pqxx`.
std::optional<std::string> wrong_library(std::string_view file, std::string_view header) {
  for (const auto& library : libraries()) {
    if (header.starts_with(library.header) && !starts_with_any(file, library.folders))
      return fmt::format("{} uses {}, which belongs to {}", file, library.header, fmt::join(library.folders, ", "));
  }
  return std::nullopt;
}

/// Every age is measured by the database's clock (lib/store/clock.hpp), whichever host a module runs on. OAR is asked by its own.
std::optional<std::string> wrong_clock(std::string_view file, std::string_view line) {
  const bool is_module = starts_with_any(file, {"updator/", "runner/", "nikita/", "metascheduler/", "predictor/"});
  if (!is_module || file == "runner/reconcile.cpp" || file == "runner/recover.cpp") return std::nullopt;
  for (const std::string_view clock : {"fleet::now()", "grid::now()", "context.now"}) {
    if (line.find(clock) != std::string_view::npos) return fmt::format("{} takes the host's clock: {}", file, clock);
  }
  return std::nullopt;
}

/// The host's own clock is read in lib/grid/clock.cpp alone, so that a simulation can give the grid another one. Real time remains for what
/// the kernel waits for, and for the clients, which no simulation runs.
std::optional<std::string> second_clock(std::string_view file, std::string_view line) {
  const bool may = starts_with_any(file, {"lib/grid/clock.", "lib/process/child.cpp", "lib/process/stop.cpp", "lib/oar/transport.cpp",
                                          "lib/http/", "lib/rules/ruby/", "clients/", "sim/"});
  if (may) return std::nullopt;
  for (const std::string_view clock :
       {"system_clock::now", "steady_clock::now", "Clock = std::chrono::", "time(nullptr)", "clock_gettime"}) {
    if (line.find(clock) != std::string_view::npos)
      return fmt::format("{} reads a clock besides grid::now() and grid::SteadyClock: {}", file, clock);
  }
  return std::nullopt;
}

std::optional<std::string> wrong_line(std::string_view file, std::string_view line) {
  if (auto wrong = wrong_clock(file, line)) return wrong;
  if (auto wrong = second_clock(file, line)) return wrong;
  constexpr std::string_view kInclude = "#include ";
  if (!line.starts_with(kInclude) || line.size() < kInclude.size() + 2) return std::nullopt;
  const auto name = line.substr(kInclude.size() + 1);
  if (line[kInclude.size()] == '"') return wrong_arrow(file, name.substr(0, name.find('"')));
  return wrong_library(file, name.substr(0, name.find('>')));
}

std::vector<std::string> wrong_lines(const fs::path& root) {
  std::vector<std::string> found;
  for (const auto* top : {"lib", "sql", "almighty", "updator", "predictor", "metascheduler", "runner", "nikita", "api", "clients", "sim"}) {
    if (!fs::exists(root / top)) continue;
    for (const auto& entry : fs::recursive_directory_iterator{root / top}) {
      const auto extension = entry.path().extension();
      if (!entry.is_regular_file() || (extension != ".cpp" && extension != ".hpp")) continue;
      std::ifstream text{entry.path()};
      for (std::string line; std::getline(text, line);) {
        if (auto wrong = wrong_line(fs::relative(entry.path(), root).generic_string(), line)) found.push_back(*wrong);
      }
    }
  }
  return found;
}

TEST(Layers, EveryInclude_FollowsTheArrows) {
  const char* root = std::getenv("GLEANER_SOURCE_DIR");
  ASSERT_TRUE(fs::exists(fs::path{root ? root : "."} / "lib/grid/id.hpp"));
  EXPECT_THAT(wrong_lines(root ? root : "."), testing::IsEmpty());
}

TEST(Layers, WrongArrow_IsSeen) {
  EXPECT_TRUE(wrong_line("lib/text/clean.cpp", "#include \"lib/grid/id.hpp\""));
  EXPECT_TRUE(wrong_line("lib/grid/id.hpp", "#include \"lib/store/jobs.hpp\""));
  EXPECT_TRUE(wrong_line("lib/jdl/parse.cpp", "#include \"lib/store/jobs.hpp\""));
  EXPECT_TRUE(wrong_line("metascheduler/planner/plan.cpp", "#include \"lib/store/jobs.hpp\""));
  EXPECT_TRUE(wrong_line("metascheduler/planner/plan.cpp", "#include \"metascheduler/snapshot_of.hpp\""));
  EXPECT_TRUE(wrong_line("predictor/algorithms/table.cpp", "#include \"metascheduler/planner/plan.hpp\""));
  EXPECT_TRUE(wrong_line("updator/poll.cpp", "#include \"nikita/excess.hpp\""));
  EXPECT_TRUE(wrong_line("clients/gridstat/tasks.cpp", "#include \"runner/command/command.hpp\""));
  EXPECT_TRUE(wrong_line("clients/gridsub.cpp", "#include \"api/router.hpp\""));
  EXPECT_TRUE(wrong_line("somewhere/new.cpp", "#include \"lib/grid/id.hpp\""));
  EXPECT_TRUE(wrong_line("sim/gridsim/report.cpp", "#include \"clients/json.hpp\""));
  EXPECT_TRUE(wrong_line("updator/poll.cpp", "#include <pqxx/pqxx>"));
  EXPECT_TRUE(wrong_line("lib/grid/id.hpp", "#include <rapidjson/document.h>"));
  EXPECT_TRUE(wrong_line("nikita/nikita.cpp", "  const auto now = grid::now();"));
  EXPECT_TRUE(wrong_line("lib/fleet/visits.cpp", "using Clock = std::chrono::steady_clock;"));
  EXPECT_TRUE(wrong_line("api/server.cpp", "  const auto now = std::chrono::system_clock::now();"));
}

TEST(Layers, RightArrow_IsNot) {
  EXPECT_FALSE(wrong_line("updator/poll.cpp", "#include \"lib/oar/client.hpp\""));
  EXPECT_FALSE(wrong_line("metascheduler/main.cpp", "#include \"metascheduler/planner/plan.hpp\""));
  EXPECT_FALSE(wrong_line("runner/runner.cpp", "#include \"runner/command/command.hpp\""));
  EXPECT_FALSE(wrong_line("clients/gridsub/local_task.cpp", "#include \"runner/command/command.hpp\""));
  EXPECT_FALSE(wrong_line("sim/gridsim/engine/grid_cycle.cpp", "#include \"metascheduler/planner/plan.hpp\""));
  EXPECT_FALSE(wrong_line("lib/store/detail.hpp", "#include <pqxx/pqxx>"));
  EXPECT_FALSE(wrong_line("lib/grid/walltime.cpp", "#include \"lib/text/numbers.hpp\""));
  EXPECT_FALSE(wrong_line("lib/grid/id.hpp", "#include <vector>"));
}

}  // namespace
}  // namespace gleaner
