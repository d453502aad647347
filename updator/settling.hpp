#pragma once
#include <functional>

#include "updator/judge.hpp"

namespace gleaner::updator {

/// A job whose end was written.
struct Settled {
  const Over* over = nullptr;
  const store::Verdict* verdict = nullptr;
};

/// Settles the tasks of jobs that are over, by the rule: facts are read under the tasks' locks, and each is judged as the ones before
/// it left them. A duplicate of a job that had been given up brings that one back: its files say what became of it, or its launch is
/// searched for again. A job that the database refuses stays as it is. `written` is called for each of the others, in their order.
/// Number of ends.
int settle_ends(store::Transaction& transaction, const fleet::Visit& visit, std::span<const Over> over, grid::Instant now,
                const std::function<void(const Settled&)>& written);

}  // namespace gleaner::updator
