#include <algorithm>
#include <csignal>

#include "lib/grid/exit_status.hpp"
#include "lib/grid/stderr_line.hpp"
#include "sim/wrapper/files.hpp"
#include "sim/wrapper/shell.hpp"

/// As runner/wrapper/errors.bash.
namespace gleaner::wrapper {
namespace {

constexpr std::size_t kRead = 2000;
constexpr std::string_view kSpaces{" \t\n\v\f\r"};

/// As bash takes what a program prints: without NULs, and without newlines at the end.
std::string substituted(std::string_view bytes) {
  std::string text{bytes};
  std::erase(text, '\0');
  text.erase(text.find_last_not_of('\n') + 1);
  return text;
}

std::string_view trimmed(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(kSpaces), text.size()));
  return text.substr(0, text.find_last_not_of(kSpaces) + 1);
}

std::string line_of(std::string_view bytes) {
  const auto head = substituted(bytes.substr(0, kRead));
  std::string_view text{head};
  text.remove_prefix(std::min(text.find_first_not_of(kSpaces), text.size()));
  if (!text.starts_with("Traceback ")) return std::string{trimmed(text.substr(0, text.find('\n')))};
  const auto tail = substituted(bytes.substr(bytes.size() - std::min(bytes.size(), kRead)));
  return std::string{trimmed(std::string_view{tail}.substr(tail.rfind('\n') + 1))};
}

}  // namespace

std::string Shell::error_words(std::string_view end) const {
  if (!end.starts_with('e') || status_ == 0 || status_ == grid::kSignalled + SIGKILL || status_ == grid::kSignalled + SIGTERM) return {};
  const auto line = line_of(content_of(err_).value_or(""));
  return line.empty() ? std::string{} : ".x" + grid::noted_stderr_line(line);
}

}  // namespace gleaner::wrapper
