#include "lib/store/clock.hpp"

#include "lib/store/detail.hpp"

namespace gleaner::store {

/// The lease's guard reads the clock as well: most transactions of a module read it next.
grid::Instant now(Transaction& transaction) {
  if (const auto& known = transaction.implementation().now) return *known;
  return *detail::exec_prepared(transaction, sql::clock_now{})[0].now;
}

grid::Instant now(Database& database) {
  auto transaction = database.begin();
  return now(transaction);
}

}  // namespace gleaner::store
