#include "lib/store/batch.hpp"

#include "lib/store/detail.hpp"

namespace gleaner::store {

/// Uses statements, not pqxx::subtransaction: while one of those is open, libpqxx refuses statements through its transaction, which every
/// function of the store uses. The server does not distinguish the two.
std::optional<std::string> attempt(Transaction& transaction, const std::function<void()>& work) {
  auto& implementation = transaction.implementation();
  if (!implementation.savepoints) {
    try {
      work();
    } catch (const Refused&) {
      implementation.refused_part = true;
      throw;
    }
    return std::nullopt;
  }
  detail::exec_text(transaction, "SAVEPOINT gleaner_attempt");
  try {
    work();
  } catch (const Refused& refused) {
    detail::exec_text(transaction, "ROLLBACK TO SAVEPOINT gleaner_attempt");
    detail::exec_text(transaction, "RELEASE SAVEPOINT gleaner_attempt");
    return refused.what();
  }
  detail::exec_text(transaction, "RELEASE SAVEPOINT gleaner_attempt");
  return std::nullopt;
}

namespace detail {
namespace {

std::size_t write_part(Transaction& transaction, std::size_t first, std::size_t count, const WritePart& write, const RefusedOne& refused) {
  const auto why = attempt(transaction, [&] { write(first, count); });
  if (!why) return 0;
  if (count == 1) {
    refused(first, *why);
    return 1;
  }
  const auto half = count / 2;
  return write_part(transaction, first, half, write, refused) + write_part(transaction, first + half, count - half, write, refused);
}

}  // namespace

std::size_t write_halving(Transaction& transaction, std::size_t items, const WritePart& write, const RefusedOne& refused) {
  return items == 0 ? 0 : write_part(transaction, 0, items, write, refused);
}

}  // namespace detail
}  // namespace gleaner::store
