#include "lib/oar/job.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "lib/grid/exit_status.hpp"
#include "lib/grid/walltime.hpp"

namespace gleaner::oar {
namespace {

constexpr std::array<std::pair<RemoteState, std::string_view>, 12> kNames{{
    {RemoteState::waiting, "Waiting"},
    {RemoteState::hold, "Hold"},
    {RemoteState::to_launch, "toLaunch"},
    {RemoteState::launching, "Launching"},
    {RemoteState::running, "Running"},
    {RemoteState::suspended, "Suspended"},
    {RemoteState::resuming, "Resuming"},
    {RemoteState::finishing, "Finishing"},
    {RemoteState::terminated, "Terminated"},
    {RemoteState::error, "Error"},
    {RemoteState::to_error, "toError"},
    {RemoteState::to_ack_reservation, "toAckReservation"},
}};

}  // namespace

std::string_view name_of(RemoteState state) {
  const auto* found = std::ranges::find(kNames, state, [](const auto& pair) { return pair.first; });
  return found == kNames.end() ? std::string_view{} : found->second;
}

RemoteState remote_state(std::string_view name) {
  const auto* found = std::ranges::find(kNames, name, [](const auto& pair) { return pair.second; });
  return found == kNames.end() ? RemoteState::unknown : found->first;
}

bool is_over(const RemoteJob& job) { return is_over(job.state) || (job.state == RemoteState::finishing && job.exit_status); }
bool is_over(RemoteState state) { return state == RemoteState::terminated || state == RemoteState::error; }

bool holds_resources(RemoteState state) {
  switch (state) {
    case RemoteState::to_launch:
    case RemoteState::launching:
    case RemoteState::running:
    case RemoteState::suspended:
    case RemoteState::resuming:
    case RemoteState::finishing:
    case RemoteState::to_error: return true;
    case RemoteState::waiting:
    case RemoteState::hold:
    case RemoteState::terminated:
    case RemoteState::error:
    case RemoteState::to_ack_reservation:
    case RemoteState::unknown: return false;
  }
  return false;
}

bool RemoteJob::is_best_effort() const {
  if (queue == "besteffort") return true;
  // The name and the project stand before the types, and the job's user chose them.
  constexpr std::string_view kTypes{",T="}, kType{"besteffort"};
  std::string_view types{message};
  for (const auto& chosen : {",N=" + name, ",P=" + project}) {
    if (const auto at = types.find(chosen); at != std::string_view::npos) types.remove_prefix(at + chosen.size());
  }
  const auto at = types.find(kTypes);
  if (at == std::string_view::npos) return false;
  types.remove_prefix(at + kTypes.size());
  types = types.substr(0, types.find(' '));
  while (!types.empty()) {
    const auto type = types.substr(0, types.find('|'));
    if (type == kType) return true;
    types.remove_prefix(std::min(type.size() + 1, types.size()));
  }
  return false;
}

std::vector<grid::AdvanceReservation> reservations_of(const std::vector<RemoteJob>& jobs, grid::Seconds clock_ahead) {
  std::vector<grid::AdvanceReservation> found;
  for (const auto& job : jobs) {
    if (!job.reserved || job.state != RemoteState::waiting || !job.started || !job.walltime || !job.resources) continue;
    const auto from = *job.started - clock_ahead;
    found.push_back({.from = from, .until = from + std::min(*job.walltime, grid::kLongestWalltime), .resources = *job.resources});
  }
  return found;
}

int shell_status(int wait_status) {
  constexpr int kSignalBits = 0x7f;
  const int signal = wait_status & kSignalBits;
  return signal != 0 ? grid::kSignalled + signal : (wait_status >> 8) & 0xff;
}

}  // namespace gleaner::oar
