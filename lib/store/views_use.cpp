#include "lib/store/views_use.hpp"

#include <algorithm>
#include <map>

#include "lib/store/detail.hpp"

namespace gleaner::store::views {
namespace {

/// Outages of all clusters together.
constexpr std::int64_t kMostOutages = 500;

UseOfSlice read_slice(const sql::views_use::Row& row) {
  return {.slice = *row.slice,
          .known_seconds = *row.known_s,
          .max_resources = {*row.least_max_resources, *row.mean_max_resources, *row.most_max_resources},
          .used = {*row.least_used, *row.mean_used, *row.most_used},
          .used_besteffort = {*row.least_used_besteffort, *row.mean_used_besteffort, *row.most_used_besteffort},
          .ours = {*row.least_ours, *row.mean_ours, *row.most_ours},
          .unavailable = {*row.least_unavailable, *row.mean_unavailable, *row.most_unavailable}};
}

}  // namespace

std::vector<UseOfCluster> use(Transaction& transaction, std::span<const grid::ClusterId> clusters, const Span& span, grid::Seconds holds) {
  std::vector<UseOfCluster> all(clusters.size());
  if (clusters.empty()) return all;
  std::map<std::int64_t, UseOfCluster*> by_id;
  for (std::size_t i = 0; i < clusters.size(); ++i) by_id.emplace(clusters[i].value(), &all[i]);
  const auto ids = store::detail::ids_of(clusters);
  for (const auto& row : store::detail::exec(transaction, sql::views_use{.from = span.from,
                                                          .holds_s = std::min(holds, span.slice).count(),
                                                          .to = span.to,
                                                          .clusters = ids,
                                                          .step_s = span.slice.count()}))
    by_id.at(*row.cluster_id)->slices.push_back(read_slice(row));
  for (const auto& row :
       store::detail::exec(transaction, sql::views_outages{.clusters = ids, .to = span.to, .from = span.from, .most = kMostOutages}))
    by_id.at(*row.cluster_id)->outages.push_back({.from = *row.opened_at, .to = row.closed_at});
  return all;
}

}  // namespace gleaner::store::views
