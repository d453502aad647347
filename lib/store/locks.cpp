#include "lib/store/locks.hpp"

#include "lib/store/detail.hpp"

namespace gleaner::store {
namespace {

constexpr std::int64_t kWholeGrid = 0;  // no cluster's id

}  // namespace

bool try_lock_until_commit(Transaction& transaction, Database::Work work) {
  return *detail::exec_prepared(transaction, sql::locks_try_until_commit{.work = static_cast<int>(work), .cluster = kWholeGrid})[0].taken;
}

std::optional<LockHolder> lock_holder(Transaction& transaction, Database::Work work, std::optional<grid::ClusterId> cluster) {
  const auto rows =
      detail::exec(transaction, sql::locks_holder{.work = static_cast<int>(work), .cluster = cluster ? cluster->value() : kWholeGrid});
  if (rows.empty()) return std::nullopt;
  return LockHolder{*rows[0].pid, *rows[0].host, *rows[0].silent_s};
}

}  // namespace gleaner::store
