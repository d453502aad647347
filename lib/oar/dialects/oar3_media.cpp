// Files of the users on OAR 3. Its API reads and deletes them, by absolute paths. It lists no folder and takes no file.
#include <fmt/format.h>

#include <utility>

#include "lib/grid/clock.hpp"
#include "lib/oar/dialects/oar3_requests.hpp"
#include "lib/text/percent.hpp"

namespace gleaner::oar {
namespace {

constexpr int kNotFound = 404;

bool is_missing(const Failure& failure) {
  const auto* const refused = std::get_if<Refused>(&failure);
  return refused != nullptr && refused->status == kNotFound;
}

tl::unexpected<Failure> takes_no_file() {
  return refused_here("the API of OAR 3 takes no file: campaigns with input files, or whose tasks share jobs, cannot use it");
}

}  // namespace

Result<std::string> Oar3::media_query(std::string_view user, std::string_view path) const {
  if (auto wrong = wrong_identity(user)) return tl::unexpected(no_identity(std::move(*wrong)));
  if (auto wrong = wrong_user(user)) return refused_here(std::move(*wrong));
  const auto full = oar3::absolute_path(path, user, requests_.access().homes);
  if (!full) return refused_here(full.error());
  return "path_filename=" + text::percent_encoded(*full, "/-_.");
}

Result<std::string> Oar3::file(const std::string& user, const std::string& path, const FilePart& part) {
  const auto query = media_query(user, path);
  if (!query) return tl::unexpected(query.error());
  const auto answer =
      read("/media?" + *query + (part.last_lines ? fmt::format("&tail={}", *part.last_lines) : ""), user, part.patience, part.most_bytes);
  if (!answer) return tl::unexpected(answer.error());
  if (answer->status == kOk) return answer->body;
  // A missing file has a meaning for the callers, so only OAR itself may report it.
  if (const auto wrong = oar3::is_server_error(*answer) ? std::nullopt : wrong_type(*answer)) return nonsense("/media", *wrong);
  return tl::unexpected(oar3::failure_of(*answer));
}

std::vector<Result<std::string>> Oar3::read_files(std::span<const PathOf> asked, const FilePart& part) {
  std::vector<Result<std::string>> contents;
  for (const auto& [user, path] : asked) contents.push_back(file(user, path, part));
  return contents;
}

std::vector<Result<std::vector<std::string>>> Oar3::list_folders(std::span<const PathOf> asked) {
  return {asked.size(), refused_here("the API of OAR 3 lists no folder")};
}

/// Its answer to a mode that is none says whether there is something whose mode could be changed; nothing is changed.
Result<void> Oar3::find_folder(std::string_view user, std::string_view path) {
  constexpr int kWrongMode = 400;
  const auto query = media_query(user, path);
  if (!query) return tl::unexpected(query.error());
  const auto answer = write({Method::post, fmt::format("/media/chmod?{}&mode=-", *query), std::string{user}, "{}"});
  if (!answer) return tl::unexpected(answer.error());
  if (const auto wrong = oar3::is_server_error(*answer) ? std::nullopt : wrong_type(*answer)) return nonsense("/media/chmod", *wrong);
  if (answer->status == kWrongMode) return {};
  return tl::unexpected(oar3::failure_of(*answer));
}

std::vector<Result<Traces>> Oar3::evidence(std::span<const FenceOf> asked, std::chrono::milliseconds patience) {
  const auto end = grid::SteadyClock::now() + patience;
  std::vector<Result<Traces>> found;
  for (const auto& fence : asked) found.push_back(evidence_in(fence, end));
  return found;
}

/// The claim of an attempt is the own file of the job that holds it, to which the wrapper adds the end: it shows who runs the attempt, or
/// ran it, and how it ended. Only a job that could make no claim leaves something else, `….u`.
Result<Traces> Oar3::evidence_in(const FenceOf& fence, grid::SteadyClock::time_point end) {
  constexpr std::size_t kLongestClaim = 4096;
  const auto& [user, folder] = fence.folder;
  Traces traces;
  bool is_first = true;
  for (const auto& run : fence.runs) {
    if (!std::exchange(is_first, false) && grid::SteadyClock::now() >= end) {
      traces.unread.push_back(run.job);
      continue;
    }
    const auto claim = file(user, fmt::format("{}/{}.{}.claim", folder, run.task.value(), run.attempt), {.most_bytes = kLongestClaim});
    if (!claim && !is_missing(claim.error())) return tl::unexpected(claim.error());
    if (claim) {
      if (auto name = oar3::evidence_in_claim(run, *claim)) traces.names.push_back(std::move(*name));
      else traces.unreadable.push_back(run.job);
      continue;
    }
    auto unclaimed = fmt::format("{}.{}.{}.{}.u", run.task.value(), run.attempt, run.job.value(), run.remote.value());
    const auto own = file(user, fmt::format("{}/{}", folder, unclaimed), {.most_bytes = kLongestClaim});
    if (!own && !is_missing(own.error())) return tl::unexpected(own.error());
    if (own) traces.names.push_back(std::move(unclaimed));
  }
  // That some are missing shows something only where the home can be read, which another file shows.
  if (traces.names.empty() && !traces.unread.empty()) {
    traces.unread.clear();
    for (const auto& run : fence.runs) traces.unread.push_back(run.job);
  }
  const bool is_empty = traces.names.empty() && traces.unread.empty() && traces.unreadable.empty();
  if (is_empty) return tl::unexpected(Failure{Refused{kNotFound, fmt::format("{} has no file of these jobs", folder)}});
  return traces;
}

std::vector<Result<void>> Oar3::write_files(std::span<const FileOf> files) { return {files.size(), takes_no_file()}; }

std::vector<Result<void>> Oar3::create_files(std::span<const FileOf> files) { return {files.size(), takes_no_file()}; }

std::vector<Result<void>> Oar3::delete_paths(std::span<const PathOf> asked) {
  std::vector<Result<void>> results;
  for (const auto& [user, path] : asked) {
    const auto query = media_query(user, path);
    if (!query) {
      results.emplace_back(tl::unexpected(query.error()));
      continue;
    }
    const auto answer = write({Method::remove, "/media?" + *query, user, {}});
    if (!answer) results.emplace_back(tl::unexpected(answer.error()));
    else if (is_success(answer->status)) results.emplace_back();
    else results.emplace_back(tl::unexpected(oar3::failure_of(*answer)));
  }
  return results;
}

}  // namespace gleaner::oar
