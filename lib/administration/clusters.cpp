#include "lib/administration/clusters.hpp"

#include <fmt/format.h>

#include "lib/store/clock.hpp"
#include "lib/store/declarations.hpp"
#include "lib/store/views.hpp"

namespace gleaner::administration {
namespace {

/// Puts a retired cluster back into use; its old jobs are late.
std::string bring_back(store::Transaction& transaction, const store::Cluster& cluster, const std::string& author) {
  store::hold_lease(transaction);
  const auto now = store::now(transaction);
  const auto kills = store::bring_back_cluster(transaction, cluster.id, now).value_or(0);
  const auto message = fmt::format("{} is in use again; {} job{} lost when it was retired {} deleted there", cluster.name, kills,
                                   kills == 1 ? "" : "s", kills == 1 ? "is" : "are");
  store::declare(transaction, {.what = "cluster_returned", .subject = cluster.name, .author = {.name = author}, .message = message}, now);
  return message;
}

}  // namespace

std::vector<std::string> set_use(store::Transaction& transaction, store::Cluster cluster, ClusterUse use, const std::string& author) {
  std::vector<std::string> done;
  cluster.enabled = use == ClusterUse::enabled;
  if (cluster.enabled && cluster.retired_at) done.push_back(bring_back(transaction, cluster, author));
  store::edit_cluster(transaction, cluster);
  store::wake_up(transaction);
  done.push_back(cluster.enabled ? fmt::format("{} is enabled: jobs go there from the next cycle on", cluster.name)
                                 : fmt::format("{} is disabled: nothing more is submitted to it, its jobs continue", cluster.name));
  return done;
}

void clear_brakes(store::Transaction& transaction, const store::Target& target, grid::Instant now) {
  store::clear_brake(transaction, target);
  if (target.campaign && !target.cluster) {
    for (const auto& pair : store::views::campaign_clusters(transaction, *target.campaign, now))
      store::clear_brake(transaction, {target.campaign, pair.cluster});
  }
  store::wake_up(transaction);
}

}  // namespace gleaner::administration
