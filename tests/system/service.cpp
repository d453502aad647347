#include "tests/system/service.hpp"

#include <csignal>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <stdexcept>

#include <fmt/format.h>

namespace gleaner::tests {

std::filesystem::path program(const std::string& name) {
  const char* directory = std::getenv("GLEANER_BIN_DIR");
  if (directory == nullptr) throw std::runtime_error{"GLEANER_BIN_DIR is not set: run the tests with ctest"};
  const auto path = std::filesystem::path{directory} / name;
  if (!std::filesystem::exists(path)) throw std::runtime_error{path.string() + " is not built"};
  return path;
}

std::string tail_of(const std::filesystem::path& file, std::size_t lines) {
  std::ifstream input{file};
  std::deque<std::string> last;
  for (std::string line; std::getline(input, line);) {
    last.push_back(std::move(line));
    if (last.size() > lines) last.pop_front();
  }
  std::string text;
  for (const auto& line : last) text += line + "\n";
  return text;
}

Service::Service(std::string name, process::Command command) : name_{std::move(name)}, command_{std::move(command)} {}

void Service::start(const Environment& extra) {
  if (is_running()) throw std::logic_error{name_ + " runs already"};
  auto command = command_;
  command.environment.insert(command.environment.end(), extra.begin(), extra.end());
  auto child = process::Child::start(command);
  if (!child) throw std::runtime_error{child.error()};
  child_ = std::move(*child);
}

process::ChildEnd Service::stop() {
  constexpr process::Duration kPatience{120'000};
  if (!child_) return {};
  const auto end = child_->stop(kPatience);
  child_.reset();
  return end;
}

void Service::kill() {
  if (!child_) return;
  child_->signal_group(SIGKILL);
  while (!child_->wait(process::Duration{1000})) {
  }
  child_.reset();
}

bool Service::is_running() { return child_ && !child_->wait(process::Duration{0}); }

pid_t Service::pid() const { return child_ ? child_->pid() : -1; }

std::vector<pid_t> Service::children() const {
  std::vector<pid_t> found;
  if (!child_) return found;
  std::ifstream file{fmt::format("/proc/{0}/task/{0}/children", child_->pid())};
  for (pid_t pid = 0; file >> pid;) found.push_back(pid);
  return found;
}

}  // namespace gleaner::tests
