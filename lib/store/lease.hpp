#pragma once
#include <optional>
#include <string>
#include <vector>

#include "lib/grid/time.hpp"
#include "lib/store/database.hpp"

namespace gleaner::store {

/// Takes the lease under a new term; empty while another holder's lease has not expired.
[[nodiscard]] std::optional<Term> acquire_lease(Database& database, const std::string& holder, std::chrono::milliseconds duration);
/// Renews the lease; false when the term is over.
[[nodiscard]] bool renew_lease(Database& database, Term term, std::chrono::milliseconds duration);
/// Releases the lease, and wakes the standby conductor up.
void release_lease(Database& database, Term term);

struct LeaseHolder {
  std::string name;
  Term term;
};
[[nodiscard]] std::optional<LeaseHolder> lease_holder(Transaction& transaction);

/// The log of cycles. `modules` is a JSON array.
[[nodiscard]] std::int64_t begin_cycle(Transaction& transaction, Term term, grid::Instant now);
void end_cycle(Transaction& transaction, std::int64_t cycle, grid::Instant now, const std::string& modules);

/// Whether anything may change on the grid without a user.
[[nodiscard]] bool is_busy(Transaction& transaction);

}  // namespace gleaner::store
