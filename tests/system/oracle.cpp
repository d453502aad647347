#include "tests/system/oracle.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <fstream>
#include <system_error>

namespace gleaner::tests {
namespace {

namespace fs = std::filesystem;

/// `bash -c '…' task`, to which the job's wrapper adds the arguments.
std::string command(const std::string& script) { return fmt::format("bash -c '{}' task", script); }

/// A new file with an exclusive lock on it, in a folder that is made where it is missing.
int locked(const fs::path& file) {
  fs::create_directories(file.parent_path());
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (descriptor < 0 || ::flock(descriptor, LOCK_EX) != 0) throw std::system_error{errno, std::generic_category(), file.string()};
  return descriptor;
}

}  // namespace

Oracle::Oracle(fs::path folder) : folder_{std::move(folder)}, closed_gate_{locked(gate())} {
  // Jobs may run as other users.
  for (const auto& path : {folder_, gate()}) fs::permissions(path, fs::perms::all);
}

std::string Oracle::task(const std::string& before) const {
  // Whoever kills the sleep has killed the task. A SIGTERM comes before the note, or the task ends with status 0 all the same; a SIGKILL
  // right after the note, before the wrapper has noted the end, is the one moment that nothing can close (CutOff).
  // The jobs of several clusters, and so of several users, write to one file.
  return command(fmt::format(R"(umask 0; {}{}trap "" TERM; echo "$1 $CIGRI_ATTEMPT" >> {}/$CIGRI_CAMPAIGN_ID)", before,
                             before.empty() ? "" : " || exit 137; ", folder_.string()));
}

std::string Oracle::gated_task() const { return task(waits_at_gate()); }

std::string Oracle::waits_at_gate() const { return fmt::format("flock -s {} true", gate().string()); }

void Oracle::open_gate() const { ::flock(closed_gate_.number(), LOCK_UN); }

Oracle::Executions Oracle::executions(grid::CampaignId campaign) const {
  Executions found;
  std::ifstream file{folder_ / std::to_string(campaign.value())};
  std::int64_t task = 0;
  for (int attempt = 0; file >> task >> attempt;) ++found[{task, attempt}];
  return found;
}

std::string Oracle::each_exactly_once(grid::CampaignId campaign, std::int64_t total, const CutOff& cut_off) const {
  std::map<std::int64_t, int> times;
  std::map<std::int64_t, std::string> attempts;
  for (const auto& [execution, count] : executions(campaign)) {
    if (count > 1 || !cut_off.contains(execution)) times[execution.first] += count;
    attempts[execution.first] += fmt::format(" {} ({})", execution.second, count);
  }
  std::string wrong;
  for (std::int64_t task = 0; task < total; ++task) {
    const auto found = times.find(task);
    const int count = found == times.end() ? 0 : found->second;
    if (count != 1) wrong += fmt::format("task {} was carried out {} times, by its attempts{}; ", task, count, attempts[task]);
    if (found != times.end()) times.erase(found);
  }
  for (const auto& [task, count] : times) wrong += fmt::format("there is no task {}, carried out {} times; ", task, count);
  return wrong;
}

}  // namespace gleaner::tests
