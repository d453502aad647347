#pragma once
#include <functional>
#include <optional>
#include <string_view>

#include "updator/judge.hpp"

namespace gleaner::updator {

/// A job whose end was written.
struct Settled {
  const Over* over = nullptr;
  const store::Verdict* verdict = nullptr;
};

/// The program that a job called which never began, by the command that OAR lists. Empty: it called none, or it may have begun.
[[nodiscard]] std::optional<std::string_view> program_of_never_begun(const Over& over);

/// Settles the tasks of jobs that are over, by grid::settle. Facts are read under the tasks' locks, and each is judged after the ones
/// before it are written. If a duplicate's claim is held by a job of a void launch, that job is live again: either its files show how it
/// ended, or its launch is searched for once more. A job that the database refuses keeps its state. `written` is called for each of the
/// others, in their order. Returns the number of ends written.
int settle_ends(store::Transaction& transaction, const fleet::Visit& visit, std::span<const Over> over, grid::Instant now,
                const std::function<void(const Settled&)>& written);

}  // namespace gleaner::updator
