#pragma once
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lib/process/child.hpp"
#include "tests/db/await.hpp"

namespace gleaner::tests {

/// The programs under test: GLEANER_BIN_DIR, as ctest gives it.
[[nodiscard]] std::filesystem::path program(const std::string& name);

/// The end of a text file, at most so many lines; empty when there is none.
[[nodiscard]] std::string tail_of(const std::filesystem::path& file, std::size_t lines);

/// A long-running program of the grid under test, with its log. Killed when this goes out of scope.
class Service {
 public:
  using Environment = std::vector<std::pair<std::string, std::string>>;

  Service(std::string name, process::Command command);

  /// `extra` is on top of its usual environment, this time only.
  void start(const Environment& extra = {});
  /// SIGTERM, and its end.
  process::ChildEnd stop();
  /// SIGKILL, and its end.
  void kill();
  [[nodiscard]] bool is_running();
  [[nodiscard]] pid_t pid() const;
  /// The processes that it started and that still run.
  [[nodiscard]] std::vector<pid_t> children() const;
  [[nodiscard]] const std::filesystem::path& log() const { return command_.output; }
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  std::string name_;
  process::Command command_;
  std::optional<process::Child> child_;
};

}  // namespace gleaner::tests
