#include "lib/store/totals.hpp"

#include "lib/store/detail.hpp"

namespace gleaner::store {

void add_totals(Transaction& transaction, const std::vector<Total>& more, grid::Instant now) {
  if (more.empty()) return;
  detail::Array kinds;
  detail::Array clusters;
  detail::Array names;
  detail::Array results;
  detail::Array times;
  detail::Array amounts;
  detail::Array buckets;
  for (const auto& total : more) {
    kinds.add(std::string_view{total.kind});
    clusters.add(total.cluster ? total.cluster->value() : std::int64_t{0});
    names.add(std::string_view{total.name});
    results.add(std::string_view{total.result});
    times.add(total.times);
    amounts.add(total.amount);
    if (total.buckets.empty()) buckets.add(std::optional<std::int64_t>{});
    else buckets.add(std::string_view{detail::number_array(std::span{total.buckets})});
  }
  detail::exec(transaction, sql::totals_add{.now = now,
                                            .kinds = kinds.literal(),
                                            .clusters = clusters.literal(),
                                            .names = names.literal(),
                                            .results = results.literal(),
                                            .times = times.literal(),
                                            .amounts = amounts.literal(),
                                            .buckets = buckets.literal()});
}

}  // namespace gleaner::store
