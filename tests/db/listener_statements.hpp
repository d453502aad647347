#pragma once
#include <filesystem>
#include <fstream>
#include <string>

namespace gleaner::tests {

/// The statements that PostgreSQL has logged (log_statement) of the session that listened last: that of the streams of changes.
[[nodiscard]] inline int statements_of_listener(const std::filesystem::path& log) {
  std::ifstream file{log};
  std::string session;
  int count = 0;
  for (std::string line; std::getline(file, line);) {
    const auto begin = line.find('['), end = line.find("] ");
    const bool is_statement = line.find("LOG:  statement: ") != std::string::npos || line.find("LOG:  execute ") != std::string::npos;
    if (!is_statement || begin == std::string::npos || end < begin) continue;
    const auto pid = line.substr(begin, end - begin);
    if (line.find("LISTEN") != std::string::npos) session = pid, count = 0;
    else if (pid == session) ++count;
  }
  return count;
}

/// The log of a test's own PostgreSQL, by its data directory.
[[nodiscard]] inline std::filesystem::path log_of_postgres(const std::filesystem::path& data_directory) {
  return data_directory.parent_path() / "server.log";
}

}  // namespace gleaner::tests
