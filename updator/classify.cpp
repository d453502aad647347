#include "updator/classify.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <vector>

#include "lib/grid/exit_status.hpp"
#include "lib/grid/program_file.hpp"
#include "lib/grid/walltime.hpp"
#include "lib/text/clean.hpp"

namespace gleaner::updator {
namespace {

bool has(std::span<const oar::RemoteEvent> events, std::string_view type) {
  return std::ranges::any_of(events, [&](const oar::RemoteEvent& event) { return event.type == type; });
}

std::string status_sentence(int status) {
  if (status == 126) return "exit status 126: the command cannot be executed (is it a program, with the right to run?)";
  if (status == 127) return "exit status 127: the command was not found";
  if (status > 128 && status <= 192) return fmt::format("exit status {}: killed by signal {}", status, status - 128);
  return fmt::format("exit status {}", status);
}

int status_of(const EndWords& words) {
  return words.evidence.witness == grid::Witness::ended ? words.evidence.status : words.record.status.value_or(0);
}

std::string walltime_sentence(const EndWords& words) {
  const auto walltime = grid::format_walltime(words.walltime);
  if (words.settlement.kept) return fmt::format("stopped by its walltime of {}: it goes on from its checkpoint there", walltime);
  if (words.settlement.walltime)
    return fmt::format("killed by its walltime of {}: it is tried again with {} (max_walltime: {})", walltime,
                       grid::format_walltime(*words.settlement.walltime),
                       grid::format_walltime(words.max_walltime.value_or(*words.settlement.walltime)));
  if (words.max_walltime && words.walltime >= *words.max_walltime)
    return fmt::format("killed by its walltime of {}, which is max_walltime: ask for a longer one", walltime);
  if (words.max_walltime) return fmt::format("killed by its walltime of {}, and no attempt is left", walltime);
  return fmt::format("killed by its walltime of {}: ask for a longer one, or give max_walltime, up to which it may grow", walltime);
}

/// OAR begins jobs in the home, and writes files there; the wrapper enters the folder.
std::string bad_request_sentence(const EndWords& words) {
  if (words.evidence.witness != grid::Witness::ended)
    return "the cluster could not begin it in its user's home, or make its files there: is there a home on the nodes, with room?";
  return fmt::format("its exec_directory{}{} cannot be used, and nothing was run: does it exist there, and may its user write to it?",
                     words.exec_directory.empty() ? "" : " ", words.exec_directory);
}

/// Whether OAR recorded an end of the command that nothing else shows.
bool is_unproven(const EndWords& words) {
  if (words.record.record == grid::Record::exited) return true;
  return words.record.record == grid::Record::walltime && words.record.started && words.evidence.witness == grid::Witness::unreadable;
}

/// OAR recorded an exit status or the walltime, and nothing shows what the wrapper did: the files are missing, or nobody can read them.
std::string unproven_sentence(const EndWords& words) {
  const auto user = words.login.empty() ? std::string{"its user"} : words.login;
  const auto status = words.record.status.value_or(0);
  if (words.evidence.witness == grid::Witness::unreadable)
    return fmt::format(
        "OAR recorded {}, which proves nothing: the job's files in ~/.gleaner of {} on the cluster could not be "
        "read{}. Its task keeps its attempt, which runs only if no job has claimed it{}",
        words.record.record == grid::Record::walltime ? "an end by its walltime" : fmt::format("exit status {}", status), user,
        words.without_identity ? ", as the cluster takes no token of that user (gridtoken add)" : "",
        words.without_identity ? "" : " (does OAR's API show that folder?)");
  if (words.lacked_program)
    return fmt::format(
        "OAR recorded exit status {}, and the command never began: the program that it calls in {} of {} on the cluster is missing or "
        "damaged (the grid puts it again), or a shell ended before it (~/.bashrc, ~/.profile)",
        status, grid::kProgramsFolder, user);
  return fmt::format(
      "OAR recorded exit status {}, but the command never began: a shell of {} on the cluster ended before it. See the login "
      "shell and its start files there (~/.bashrc, ~/.profile): an `exit` in them ends every job",
      status, user);
}

std::string_view name_of(grid::Record record) {
  switch (record) {
    case grid::Record::exited: return "another exit status";
    case grid::Record::exited_silently: return "an end without an exit status";
    case grid::Record::preempted: return "a preemption";
    case grid::Record::walltime: return "an end by its walltime";
    case grid::Record::deleted: return "a deletion";
    case grid::Record::bad_request: return "a request that cannot be carried out";
    case grid::Record::failed: return "an error";
    case grid::Record::forgotten: return "nothing";
  }
  return "an error";
}

/// Types of events, or their beginnings, that are no cause of an error: ends of their own (grid::Record), requests, signals, notifications,
/// and what followed.
constexpr std::array<std::string_view, 22> kNoCauses{"BESTEFFORT_KILL",
                                                     "WALLTIME",
                                                     "FRAG_JOB_REQUEST",
                                                     "SEND_KILL_JOB",
                                                     "EXTERMINATE_JOB",
                                                     "FORCE_TERMINATE",
                                                     "SWITCH_INTO_",
                                                     "RESUBMIT_JOB_AUTOMATICALLY",
                                                     "CHECKPOINT",
                                                     "SIGNAL_",
                                                     "SIG_",
                                                     "HOLD_",
                                                     "RESUME_JOB",
                                                     "SCHEDULER_",
                                                     "USER_MAIL_",
                                                     "MAIL_",
                                                     "USER_EXEC_",
                                                     "CANNOT_NOTIFY_OARSUB",
                                                     "ADD_BESTEFFORT_",
                                                     "DELETE_BESTEFFORT_",
                                                     "REDUCE_RESERVATION_",
                                                     "ADM_RULES_"};

bool is_cause(const oar::RemoteEvent& event) {
  return std::ranges::none_of(kNoCauses, [&](std::string_view other) { return event.type.starts_with(other); });
}

std::string quoted(const oar::RemoteEvent& event) {
  constexpr std::size_t kMostBytes = 300;
  auto text = text::clean_text(event.description, {.most_bytes = kMostBytes});
  text.erase(text.find_last_not_of(' ') + 1);
  if (text.empty()) return event.type;
  return fmt::format("\"{}{}\" ({})", text, event.description.size() > kMostBytes ? "..." : "", event.type);
}

/// OAR's own words, where they explain the end.
std::string cluster_clause(const EndWords& words) {
  switch (words.end) {
    case grid::JobEnd::bad_request: return fmt::format(" OAR's reason: {}", words.cluster_words);
    case grid::JobEnd::never_began:
    case grid::JobEnd::node_failure: return fmt::format("; OAR's reason, for the cluster's administrators: {}", words.cluster_words);
    default: return {};
  }
}

std::string sentence(const EndWords& words) {
  switch (words.end) {
    case grid::JobEnd::done: return "exit status 0";
    case grid::JobEnd::task_error: return status_sentence(status_of(words));
    case grid::JobEnd::walltime: return walltime_sentence(words);
    case grid::JobEnd::bad_request: return bad_request_sentence(words);
    case grid::JobEnd::node_failure: return "the cluster could not run it to its end";
    case grid::JobEnd::never_began:
      return is_unproven(words) ? unproven_sentence(words) : "it had resources, and the cluster never began it";
    case grid::JobEnd::cannot_start: return "it could not claim its attempt, and ran nothing (is there room in the home there?)";
    case grid::JobEnd::duplicate:
      return words.evidence.holder.value() > 0
                 ? fmt::format("its attempt is claimed by job {}: it ran nothing", words.evidence.holder.value())
                 : std::string{"its attempt is claimed by another job: it ran nothing"};
    case grid::JobEnd::not_reached: return "the jobs of its launch ended before they came to it";
    default: return std::string{grid::name_of(words.end)};
  }
}

}  // namespace

grid::Record record_of(std::span<const oar::RemoteEvent> events) {
  // A preempted job is deleted by OAR's root afterwards, and a walltime's job too: the first cause counts.
  if (has(events, "BESTEFFORT_KILL")) return grid::Record::preempted;
  if (has(events, "WALLTIME")) return grid::Record::walltime;
  if (has(events, "WORKING_DIRECTORY") || has(events, "OUTPUT_FILES")) return grid::Record::bad_request;
  if (has(events, "FRAG_JOB_REQUEST")) return grid::Record::deleted;
  return grid::Record::failed;
}

std::string words_of(std::span<const oar::RemoteEvent> events) {
  constexpr std::size_t kMost = 3;
  std::vector<std::string> causes;
  for (const auto& event : events) {
    if (!is_cause(event)) continue;
    auto words = quoted(event);
    if (std::ranges::find(causes, words) == causes.end()) causes.push_back(std::move(words));
    if (causes.size() == kMost) break;
  }
  return fmt::format("{}", fmt::join(causes, ", "));
}

bool gave_up_launch(std::span<const oar::RemoteEvent> events) {
  return has(events, "LAUNCHING_OAREXEC_TIMEOUT") || has(events, "SSH_TRANSFER_TIMEOUT");
}

std::optional<grid::Instant> checkpoint_of(std::span<const oar::RemoteEvent> events) {
  std::optional<grid::Instant> last;
  for (const auto& event : events) {
    // OAR 2.5.9 spells its own ones with two L.
    if (event.type == "CHECKPOINT_SUCCESSFULL" || event.type == "CHECKPOINT_SUCCESS") last = std::max(last, std::optional{event.date});
  }
  return last;
}

std::optional<grid::RemoteEnd> remote_end(const oar::RemoteJob& job, const oar::JobDetails* details) {
  grid::RemoteEnd end{.record = grid::Record::exited_silently, .started = job.started.has_value()};
  if (job.state == oar::RemoteState::terminated || job.exit_status) {
    if (!job.exit_status) return end;
    end.record = grid::Record::exited;
    end.status = oar::shell_status(*job.exit_status);
    return end;
  }
  if (details == nullptr) return std::nullopt;
  end.record = record_of(details->events);
  return end;
}

std::string describe_end(const EndWords& words) {
  const auto witness = words.evidence.witness;
  const bool recorded = words.record.record == grid::Record::exited;
  if (words.end == grid::JobEnd::done && recorded && words.record.status == 0) return {};
  auto text = sentence(words);
  if (!words.cluster_words.empty()) text += cluster_clause(words);
  if (witness == grid::Witness::unreadable)
    return is_unproven(words) ? text : text + " (by the cluster's record alone: the files of the job could not be read)";
  // An earlier run of the job noted it where a later one, which OAR recorded, ran nothing.
  const bool agrees = recorded && (words.evidence.earlier || words.record.status == words.evidence.status);
  const bool by_itself = witness == grid::Witness::ended && !words.evidence.no_folder && !words.evidence.overran && !agrees;
  if (by_itself) text += fmt::format(" (as the job noted; its cluster recorded {})", name_of(words.record.record));
  return text;
}

}  // namespace gleaner::updator
