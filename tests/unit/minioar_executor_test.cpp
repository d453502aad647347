#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/types.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "lib/http/file_descriptor.hpp"
#include "lib/process/helper.hpp"
#include "sim/minioar/process_executor.hpp"
#include "sim/minioar/supervisor.hpp"

/// The processes of minioar's jobs.
namespace gleaner::minioar {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class Processes : public ::testing::Test {
 protected:
  Processes() {
    fs::create_directories(run_directory(folder_.string(), 0));
    // A program finds its helpers beside itself.
    const char* const programs = std::getenv("GLEANER_BIN_DIR");
    std::error_code is_there;
    fs::create_symlink(fs::path{programs == nullptr ? "." : programs} / "minioar-job", process::helper_program("minioar-job"), is_there);
  }
  ~Processes() override { fs::remove_all(folder_); }

  void begin(JobNumber id, const std::string& command) {
    Execution execution;
    execution.job = {0, id};
    execution.files = job_files(run_directory(folder_.string(), 0), id);
    execution.execution_log = (folder_ / "executions.log").string();
    execution.directory = folder_.string();
    execution.stdout_file = execution.stderr_file = "/dev/null";
    execution.command = command;
    execution.kill_grace = std::chrono::milliseconds{100};
    ASSERT_TRUE(executor_.begin(execution, {}));
  }
  std::vector<JobKey> wait_for_end() {
    constexpr int kMostMilliseconds = 60'000;
    executor_.wait(kMostMilliseconds);
    return executor_.ended({});
  }
  /// Copies of the handles of jobs, as a process has that another thread is starting.
  static std::vector<http::FileDescriptor> copies_of_handles() {
    std::vector<int> handles;
    for (const auto& entry : fs::directory_iterator{"/proc/self/fd"}) {
      std::error_code gone;
      const auto what = fs::read_symlink(entry.path(), gone).string();
      if (what.find("pidfd") != std::string::npos) handles.push_back(std::stoi(entry.path().filename().string()));
    }
    std::vector<http::FileDescriptor> copies;
    for (const int handle : handles) copies.emplace_back(::dup(handle));
    return copies;
  }

  fs::path folder_ = fs::temp_directory_path() / fmt::format("gleaner-processes-{}", ::getpid());
  ProcessExecutor executor_{folder_.string()};
};

/// The next job was over at once, without a status.
TEST_F(Processes, TheEndOfAJob_IsNotTakenForThatOfTheNext_WhileAProcessHasACopyOfItsHandle) {
  begin(1, "true");
  const auto copies = copies_of_handles();
  ASSERT_EQ(copies.size(), 1U);
  EXPECT_THAT(wait_for_end(), ElementsAre(JobKey{0, 1}));
  begin(2, "sleep 60");
  executor_.wait(0);
  EXPECT_THAT(executor_.ended({}), IsEmpty());
  executor_.kill({0, 2}, {});
  EXPECT_THAT(wait_for_end(), ElementsAre(JobKey{0, 2}));
  ASSERT_TRUE(executor_.ending({0, 2}));
}

}  // namespace
}  // namespace gleaner::minioar
