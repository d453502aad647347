#include "almighty/check.hpp"

#include <chrono>
#include <stdexcept>

#include "lib/grid/clock.hpp"
#include "lib/process/log.hpp"
#include "lib/store/checks.hpp"
#include "lib/store/clock.hpp"

namespace gleaner::almighty {
namespace {

using Clock = grid::SteadyClock;
using Milliseconds = std::chrono::milliseconds;

void check(store::Database& database, store::Term term, const store::Law& law, Milliseconds limit) {
  const auto verdict = store::check_law(database, law, store::Reach::live, limit);
  store::transact(database, term,
                  [&](store::Transaction& transaction) { store::note_checked(transaction, law, verdict, store::now(transaction)); });
  if (verdict.result == store::Checked::Result::broken && law.weight == store::Weight::law)
    process::log::error("law broken", {{"law", law.name}, {"rows", verdict.breaches.count}, {"first", verdict.breaches.rows.front().text}});
}

}  // namespace

void check_laws(const process::Config& config, store::Database& database, store::Term term) {
  if (config.check_period.count() == 0) return;
  bool due = false;
  store::transact(database, term, [&](store::Transaction& transaction) { due = store::check_is_due(transaction, config.check_period); });
  if (!due) return;
  const auto began = Clock::now();
  const Milliseconds budget = config.lease_duration / 3;
  std::int64_t left_out = 0;
  for (const auto& law : store::laws()) {
    const auto left = budget - std::chrono::duration_cast<Milliseconds>(Clock::now() - began);
    if (left.count() <= 0) {
      ++left_out;
      continue;
    }
    try {
      check(database, term, law, left);
    } catch (const std::logic_error& error) {
      // Only this law stays unchecked; the other laws and the cycle continue.
      process::log::error("law not checked", {{"law", law.name}, {"error", error.what()}});
    }
  }
  const auto ms = std::chrono::duration_cast<Milliseconds>(Clock::now() - began).count();
  if (left_out > 0) process::log::warning("laws checked in part", {{"ms", ms}, {"left_out", left_out}});
  else process::log::debug("laws checked", {{"ms", ms}});
}

}  // namespace gleaner::almighty
