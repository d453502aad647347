#include "lib/grid/evidence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "lib/grid/exit_status.hpp"
#include "lib/grid/given.hpp"
#include "lib/grid/stderr_line.hpp"
#include "lib/text/numbers.hpp"

namespace gleaner::grid {
namespace {

constexpr int kLastStatus = 255;

/// Removes a number and what must follow it from the text. Accepts only the form that a program prints: no sign, no leading zero.
std::optional<std::int64_t> take_number(std::string_view& text, std::int64_t most = std::numeric_limits<std::int64_t>::max()) {
  auto rest = text;
  const auto value = text::take_whole_number(rest);
  const auto length = text.size() - rest.size();
  if (!value || *value > most || text.starts_with('-') || (length > 1 && text.starts_with('0'))) return std::nullopt;
  text = rest;
  return *value;
}

bool take(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

/// A task's number; a script's is negative.
std::optional<std::int64_t> take_task(std::string_view& text) {
  auto rest = text;
  const bool is_negative = take(rest, "-");
  const auto value = take_number(rest);
  if (!value || (is_negative && *value == 0) || !take(rest, ".")) return std::nullopt;
  text = rest;
  return is_negative ? -*value : *value;
}

std::optional<std::int64_t> take_field(std::string_view& text, std::int64_t most = std::numeric_limits<std::int64_t>::max()) {
  const auto value = take_number(text, most);
  return value && take(text, ".") ? value : std::nullopt;
}

/// Ten years. A longer time was not measured; sums of some thousands stay far from overflow.
constexpr std::int64_t kLongestTime = std::int64_t{10} * 366 * 24 * 3600 * 1000;

/// An exbibyte in KiB. No task moves more, and sums of some thousands stay exact enough.
constexpr std::int64_t kMostMoved = std::int64_t{1} << 50;

/// Takes a dot, a letter and a number; `into` stays as it is where the text begins otherwise. False: the letter has no number.
bool take_noted(std::string_view& text, std::string_view letter, std::int64_t most, std::optional<std::int64_t>& into) {
  if (!take(text, letter)) return true;
  into = take_number(text, most);
  return into.has_value();
}

/// Reads `<milliseconds>`, `<milliseconds>.c<milliseconds>.m<KiB>.i<KiB>` without some of the last three. One that makes no sense is none:
/// a clock that was set back during the task gives a negative time, and the end is one all the same.
void read_profile(std::string_view text, Evidence& evidence) {
  const auto duration = take_number(text, kLongestTime);
  std::optional<std::int64_t> cpu, peak, moved;
  if (!duration || !take_noted(text, ".c", kLongestTime, cpu) || !take_noted(text, ".m", std::numeric_limits<std::int64_t>::max(), peak) ||
      !take_noted(text, ".i", kMostMoved, moved) || !text.empty())
    return;
  evidence.duration = std::chrono::milliseconds{*duration};
  if (cpu) evidence.cpu = std::chrono::milliseconds{*cpu};
  evidence.peak_kib = peak;
  evidence.moved_kib = moved;
}

/// Reads what may follow an end. False: it is no end.
bool read_rest(std::string_view text, Evidence& evidence) {
  if (text.empty()) return true;
  if (!take(text, ".")) return false;
  read_profile(text, evidence);
  return true;
}

/// The last part of a name, after the dot that follows OAR's id.
std::optional<Evidence> read_ending(std::string_view text) {
  Evidence evidence;
  if (text == "s") {
    evidence.witness = Witness::started;
  } else if (text == "u") {
    evidence.witness = Witness::unclaimed;
  } else if (text == "f") {
    evidence.witness = Witness::ended;
    evidence.status = kRanNothing;
    evidence.no_folder = true;
  } else if (take(text, "d.")) {
    const auto holder = take_number(text);
    if (!holder || !text.empty()) return std::nullopt;
    evidence.witness = Witness::duplicate;
    evidence.holder = JobId{*holder};
  } else if (take(text, "e")) {
    const auto status = take_number(text, kLastStatus);
    if (!status || !read_rest(text, evidence)) return std::nullopt;
    evidence.witness = Witness::ended;
    evidence.status = static_cast<int>(*status);
  } else if (take(text, "w")) {
    if (!read_rest(text, evidence)) return std::nullopt;
    evidence.witness = Witness::ended;
    evidence.status = kRanNothing;
    evidence.overran = true;
  } else {
    return std::nullopt;
  }
  return evidence;
}

constexpr std::string_view kGivenMark{".g"};
constexpr std::string_view kStderrMark{".x"};

/// Takes what follows the profile of an end from the end of a name's last part: what a task gives to others, or its line of stderr. Nothing
/// before it has a `g` or an `x`.
void take_words(std::string_view& ending, EvidenceFile& into) {
  const auto mark = ending.starts_with('e') ? std::min(ending.find(kGivenMark), ending.find(kStderrMark)) : std::string_view::npos;
  if (mark == std::string_view::npos) return;
  const auto words = ending.substr(mark + kGivenMark.size());
  if (ending.substr(mark).starts_with(kGivenMark)) into.given = stored_given(words);
  else into.stderr_line = read_stderr_line(words);
  ending.remove_suffix(ending.size() - mark);
}

int weight_of(Witness witness) {
  switch (witness) {
    case Witness::ended: return 4;
    case Witness::started: return 3;
    case Witness::duplicate: return 2;
    case Witness::unclaimed: return 1;
    default: return 0;
  }
}

/// The stronger evidence of two runs of one job: the one that shows more. One attempt ends once. If the files disagree, a success wins,
/// whatever the order of the names.
bool shows_more(const Evidence& one, const Evidence& other) {
  const int difference = weight_of(one.witness) - weight_of(other.witness);
  if (difference != 0) return difference > 0;
  if (one.status != other.status) return one.status < other.status;
  return one.holder > other.holder;
}

}  // namespace

std::string EvidenceFile::name() const {
  const auto stem = fmt::format("{}.{}.{}.{}", task.value(), attempt, job.value(), remote.value());
  switch (evidence.witness) {
    case Witness::ended: {
      if (evidence.no_folder) return stem + ".f";
      const auto end = evidence.overran ? std::string{"w"} : fmt::format("e{}", evidence.status);
      auto words = given.empty() ? std::string{} : fmt::format("{}{}", kGivenMark, given);
      if (!stderr_line.empty()) words = fmt::format("{}{}", kStderrMark, noted_stderr_line(stderr_line));
      if (!evidence.duration) return fmt::format("{}.{}{}", stem, end, words);
      return fmt::format("{}.{}.{}{}{}{}{}", stem, end, evidence.duration->count(),
                         evidence.cpu ? fmt::format(".c{}", evidence.cpu->count()) : "",
                         evidence.peak_kib ? fmt::format(".m{}", *evidence.peak_kib) : "",
                         evidence.moved_kib ? fmt::format(".i{}", *evidence.moved_kib) : "", words);
    }
    case Witness::duplicate: return fmt::format("{}.d.{}", stem, evidence.holder.value());
    case Witness::unclaimed: return stem + ".u";
    default: return stem + ".s";
  }
}

std::optional<EvidenceFile> read_evidence_name(std::string_view name) {
  const auto task = take_task(name);
  const auto attempt = task ? take_field(name, std::numeric_limits<int>::max()) : std::nullopt;
  const auto job = attempt ? take_field(name) : std::nullopt;
  const auto remote = job ? take_field(name) : std::nullopt;
  if (!remote) return std::nullopt;
  EvidenceFile file{TaskNumber{*task}, static_cast<int>(*attempt), JobId{*job}, RemoteJobId{*remote}};
  take_words(name, file);
  const auto evidence = read_ending(name);
  if (!evidence) return std::nullopt;
  file.evidence = *evidence;
  return file;
}

EvidenceIndex::EvidenceIndex(std::span<const std::string> names) {
  for (const auto& name : names) add(name);
}

void EvidenceIndex::add(std::string_view name) {
  if (name == kPoolFile) has_pool_ = true;
  const auto file = read_evidence_name(name);
  if (!file) return;
  const auto& shown = file->evidence;
  if (shown.witness == Witness::duplicate && shown.holder == file->job) return;
  if (shown.witness == Witness::started || shown.witness == Witness::ended) {
    const auto [holder, is_first] = holders_.try_emplace({file->task, file->attempt}, file->job);
    holder->second = std::min(holder->second, file->job);
  }
  const auto [known, is_new] = jobs_.try_emplace(file->job, Seen{shown, file->remote, file->given, file->stderr_line});
  const bool same = !is_new && shown == known->second.evidence;
  if (same ? file->remote > known->second.remote : !is_new && shows_more(shown, known->second.evidence))
    known->second = {shown, file->remote, file->given, file->stderr_line};
}

std::optional<RemoteJobId> EvidenceIndex::claimed_as(JobId job) const {
  const auto found = jobs_.find(job);
  if (found == jobs_.end() || !has_claimed(found->second.evidence) || found->second.remote.value() == 0) return std::nullopt;
  return found->second.remote;
}

std::string EvidenceIndex::given_by(JobId job) const {
  const auto found = jobs_.find(job);
  return found == jobs_.end() ? std::string{} : found->second.given;
}

std::string EvidenceIndex::stderr_line_of(JobId job) const {
  const auto found = jobs_.find(job);
  return found == jobs_.end() ? std::string{} : found->second.stderr_line;
}

std::optional<RemoteJobId> EvidenceIndex::run_of(JobId job) const {
  const auto found = jobs_.find(job);
  return found == jobs_.end() ? std::nullopt : std::optional{found->second.remote};
}

std::chrono::milliseconds EvidenceIndex::carried_by(RemoteJobId remote) const {
  std::chrono::milliseconds all{0};
  for (const auto& [job, seen] : jobs_) {
    if (seen.remote == remote) all += seen.evidence.duration.value_or(std::chrono::milliseconds{0});
  }
  return all;
}

Evidence EvidenceIndex::of(const JobRun& run) const {
  const auto found = jobs_.find(run.job);
  Evidence evidence{.witness = Witness::nothing};
  if (found != jobs_.end()) {
    evidence = found->second.evidence;
    const bool ran = evidence.witness == Witness::started || evidence.witness == Witness::ended;
    evidence.earlier = ran && found->second.remote.value() != 0 && found->second.remote != run.remote;
  } else if (const auto holder = holders_.find({run.task, run.attempt}); holder != holders_.end()) {
    evidence = {.witness = Witness::duplicate, .holder = holder->second};
  }
  if (evidence.witness != Witness::duplicate) return evidence;
  const auto holder = jobs_.find(evidence.holder);
  if (holder != jobs_.end() && holder->second.evidence.witness == Witness::ended) evidence.holder_status = holder->second.evidence.status;
  return evidence;
}

}  // namespace gleaner::grid
