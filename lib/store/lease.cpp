#include "lib/store/lease.hpp"

#include "lib/store/detail.hpp"

namespace gleaner::store {

using detail::exec;
using detail::exec_prepared;

std::optional<Term> acquire_lease(Database& database, const std::string& holder, std::chrono::milliseconds duration) {
  auto transaction = database.begin();
  const auto rows = exec(transaction, sql::lease_acquire{.holder = holder, .milliseconds = duration.count()});
  transaction.commit();
  if (rows.empty()) return std::nullopt;
  return rows[0].term;
}

bool renew_lease(Database& database, Term term, std::chrono::milliseconds duration) {
  auto transaction = database.begin();
  const bool renewed = !exec_prepared(transaction, sql::lease_renew{.milliseconds = duration.count(), .term = term}).empty();
  transaction.commit();
  return renewed;
}

void release_lease(Database& database, Term term) {
  auto transaction = database.begin();
  exec(transaction, sql::lease_release{.term = term});
  wake_up(transaction);
  transaction.commit();
}

std::optional<LeaseHolder> lease_holder(Transaction& transaction) {
  const auto rows = exec(transaction, sql::lease_holder{});
  if (rows.empty()) return std::nullopt;
  return LeaseHolder{rows[0].holder.value_or(""), *rows[0].term};
}

std::int64_t begin_cycle(Transaction& transaction, Term term, grid::Instant now) {
  return *exec_prepared(transaction, sql::cycles_begin{.term = term, .now = now})[0].id;
}

void end_cycle(Transaction& transaction, std::int64_t cycle, grid::Instant now, const std::string& modules) {
  exec_prepared(transaction, sql::cycles_end{.now = now, .modules = modules, .cycle = cycle});
}

bool is_busy(Transaction& transaction) { return *exec_prepared(transaction, sql::cycles_busy{})[0].busy; }

}  // namespace gleaner::store
