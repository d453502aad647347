#include "clients/task_lines.hpp"

#include <fmt/format.h>

#include "lib/process/exit_code.hpp"

namespace gleaner::clients {

using process::Error;
using process::ExitCode;

void read_tasks(ApiClient& api, const std::string& path, const std::function<void(const Json& task)>& take) {
  std::string rest;  // of a line
  const bool is_whole = api.download(path, [&](std::string_view bytes) {
    rest += bytes;
    std::size_t begin = 0;
    for (auto end = rest.find('\n'); end != std::string::npos; begin = end + 1, end = rest.find('\n', begin)) {
      const auto task = Json::parse(std::string_view{rest}.substr(begin, end - begin));
      if (!task) throw Error{ExitCode::failure, fmt::format("the API sent a task that is no JSON: {}", task.error())};
      take(*task);
    }
    rest.erase(0, begin);
  });
  if (!is_whole) throw Error{ExitCode::unavailable, "the list of tasks broke off: try again"};
}

std::string parameter_line(const Json& task) {
  auto line = task["parameters"].text();
  if (line.find_first_of("\n\r") != std::string::npos)
    throw Error{ExitCode::refused, fmt::format("the parameter of task {} has a line end, so that no line of a file can be it: use --json",
                                               task["id"].integer())};
  // Blank lines of a file, and lines that begin with #, are no parameters.
  const auto first = line.find_first_not_of(" \t");
  if (first == std::string::npos) return "''";
  return line[first] == '#' ? line.insert(first, 1, '\\') : line;
}

}  // namespace gleaner::clients
