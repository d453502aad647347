#include "lib/store/clock.hpp"

#include "lib/store/detail.hpp"

namespace gleaner::store {

grid::Instant now(Transaction& transaction) { return *detail::exec_prepared(transaction, sql::clock_now{})[0].now; }

grid::Instant now(Database& database) {
  auto transaction = database.begin();
  return now(transaction);
}

}  // namespace gleaner::store
