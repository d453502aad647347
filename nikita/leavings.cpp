#include "nikita/leavings.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <set>

#include "lib/grid/evidence.hpp"
#include "lib/grid/launch_fate.hpp"
#include "lib/text/numbers.hpp"

namespace gleaner::nikita {
namespace {

grid::FolderFacts facts_of(const store::LaunchFolder& folder, grid::Instant now) {
  grid::FolderFacts facts{.state = folder.state};
  if (folder.settled_at) facts.since_settled = now - *folder.settled_at;
  if (folder.never_began_at) facts.since_never_began = now - *folder.never_began_at;
  return facts;
}

/// Files of settled attempts, as far as is known.
std::int64_t superfluous(const store::LaunchFolder& folder) { return folder.files - kFilesPerAttempt * folder.attempts; }

/// `<task>.<attempt>.claim`
std::optional<store::Attempt> read_claim(std::string_view name) {
  constexpr std::string_view kClaim{".claim"};
  if (!name.ends_with(kClaim)) return std::nullopt;
  name.remove_suffix(kClaim.size());
  const auto task = text::take_whole_number(name);
  if (!task || !name.starts_with('.')) return std::nullopt;
  const auto attempt = text::whole_number<int>(name.substr(1));
  if (!attempt) return std::nullopt;
  return store::Attempt{grid::TaskNumber{*task}, *attempt};
}

std::optional<store::Attempt> attempt_of(std::string_view name) {
  if (const auto file = grid::read_evidence_name(name)) return store::Attempt{file->task, file->attempt};
  return read_claim(name);
}

}  // namespace

Leavings leavings_of(std::span<const store::LaunchFolder> folders, grid::Instant now) {
  Leavings leavings;
  if (folders.empty()) return leavings;
  auto left = folders.front().all_files;
  const auto target = folders.front().target;
  for (const auto& folder : folders) {
    if (left <= target) return leavings;
    const auto facts = facts_of(folder, now);
    if (!grid::may_be_removed(facts)) continue;
    if (folder.attempts == 0) {
      leavings.remove.push_back(folder);
      left -= folder.files;
    } else if (!folder.pool && superfluous(folder) > 0) {
      leavings.thin.push_back(folder);
    }
  }
  // Each file costs a request, so the fullest folders come first.
  std::ranges::stable_sort(leavings.thin, std::greater<>{}, superfluous);
  auto last = leavings.thin.begin();
  for (; last != leavings.thin.end() && left > target; ++last) left -= superfluous(*last);
  leavings.thin.erase(last, leavings.thin.end());
  return leavings;
}

std::vector<std::string> settled_files(std::span<const std::string> names, std::span<const store::Attempt> in_use) {
  const std::set<store::Attempt> used{in_use.begin(), in_use.end()};
  std::vector<std::string> settled;
  for (const auto& name : names) {
    const auto attempt = attempt_of(name);
    if (attempt && !used.contains(*attempt)) settled.push_back(name);
  }
  return settled;
}

}  // namespace gleaner::nikita
