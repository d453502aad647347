#include "lib/grid/cigri_words.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace gleaner::grid::cigri {
namespace {

using Word = std::pair<std::string_view, std::string_view>;

template <std::size_t Size>
std::string_view word_of(const std::array<Word, Size>& words, std::string_view ours, std::string_view otherwise) {
  const auto* const found = std::ranges::find(words, ours, &Word::first);
  return found == words.end() ? otherwise : found->second;
}

constexpr std::array kJobStates{Word{"planned", "to_launch"},    Word{"launching", "launching"},
                                Word{"unknown", "launching"},    Word{"remote_waiting", "remote_waiting"},
                                Word{"pooled", "batch_waiting"}, Word{"running", "running"},
                                Word{"terminated", "terminated"}};

/// A job may have ended while its task is not settled yet; the task's own state counts then.
constexpr std::array kTaskStates{Word{"waiting", "pending"}, Word{"launching", "launching"}, Word{"submitted", "remote_waiting"},
                                 Word{"running", "running"}, Word{"done", "terminated"}};

constexpr std::array kCodes{Word{"TASK_ERROR", "EXIT_ERROR"},
                            Word{"PROLOGUE_FAILED", "PROLOG_EXIT_ERROR"},
                            Word{"EPILOGUE_FAILED", "EPILOG_EXIT_ERROR"},
                            Word{"BLACKLISTED", "CLUSTER_MANUALLY_DISABLED"},
                            Word{"LAUNCH_REFUSED", "SUBMIT_JOB"},
                            Word{"OVERDUE", "CIGRI_WALLTIME"}};

}  // namespace

std::string_view job_state(std::string_view ours, std::string_view ending) {
  const bool ended_badly = !ending.empty() && ending != "done";
  return ended_badly ? "event" : word_of(kJobStates, ours, "event");
}

std::string_view task_state(std::string_view ours, std::string_view job) {
  const bool is_on_its_way = ours == "launching" || ours == "submitted";
  if (is_on_its_way && (job == "planned" || job == "pooled" || job == "unknown")) return job_state(job, {});
  return word_of(kTaskStates, ours, "event");
}

std::string_view event_code(std::string_view ours) { return word_of(kCodes, ours, ours); }

std::int64_t return_code(std::int64_t exit_code) {
  constexpr std::int64_t kExited = 256;
  return exit_code * kExited;
}

std::string date(std::string_view iso) {
  std::string text{iso};
  if (const auto place = text.find('T'); place != std::string::npos) text[place] = ' ';
  if (text.ends_with('Z')) text.replace(text.size() - 1, 1, "+00");
  return text;
}

std::string_view authentication(std::string_view ours) {
  if (ours == "basic") return "password";
  if (ours == "token") return "jwt";
  return ours == "certificate" ? "cert" : ours;
}

std::string_view batch(std::string_view ours) { return ours.empty() || ours == "oar2" ? "oar2_5" : ours; }

std::string host_of(std::string_view url) {
  const auto scheme = url.find("://");
  if (scheme == std::string_view::npos) return {};
  auto rest = url.substr(scheme + 3);
  rest = rest.substr(0, rest.find('/'));
  if (const auto at = rest.rfind('@'); at != std::string_view::npos) rest.remove_prefix(at + 1);
  if (rest.starts_with('[')) return std::string{rest.substr(0, rest.find(']') + 1)};
  return std::string{rest.substr(0, rest.find(':'))};
}

}  // namespace gleaner::grid::cigri
