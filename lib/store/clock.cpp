#include "lib/store/clock.hpp"

#include "lib/store/detail.hpp"

namespace gleaner::store {

grid::Instant now(Transaction& transaction) {
  return detail::instant(detail::exec(transaction, sql::clock_now{})[0][0].as<std::int64_t>());
}

grid::Instant now(Database& database) {
  auto transaction = database.begin();
  return now(transaction);
}

}  // namespace gleaner::store
