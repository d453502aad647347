#include "clients/ending.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lib/grid/exit_status.hpp"

namespace gleaner::clients {

std::string cause_of(const std::string& ending, std::optional<std::int64_t> exit_code) {
  if (ending == "task_error" && exit_code)
    return *exit_code > grid::kSignalled ? fmt::format("exit status {} (signal {})", *exit_code, *exit_code - grid::kSignalled)
                                         : fmt::format("exit status {}", *exit_code);
  auto words = ending.empty() ? std::string{"no job"} : ending;
  std::ranges::replace(words, '_', ' ');
  return words;
}

}  // namespace gleaner::clients
