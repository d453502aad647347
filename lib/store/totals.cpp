#include "lib/store/totals.hpp"

#include "lib/store/detail.hpp"

namespace gleaner::store {

void add_totals(Transaction& transaction, const std::vector<Total>& more, grid::Instant now) {
  if (more.empty()) return;
  std::vector<sql::addend> rows;
  for (const auto& total : more) {
    const auto buckets =
        total.buckets.empty() ? std::nullopt : std::optional{detail::number_array(std::span<const std::int64_t>{total.buckets})};
    rows.push_back({
        .kind = total.kind,
        .cluster_id = total.cluster ? total.cluster->value() : 0,
        .name = total.name,
        .result = total.result,
        .times = total.times,
        .amount = total.amount,
        .buckets = buckets,
    });
  }
  detail::exec_prepared(transaction, sql::totals_add{.now = now, .more = rows});
}

}  // namespace gleaner::store
