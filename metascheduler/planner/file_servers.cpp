#include "metascheduler/planner/file_servers.hpp"

#include <algorithm>
#include <cmath>

#include "lib/grid/dust.hpp"
#include "metascheduler/planner/room.hpp"

namespace gleaner::planner {
namespace {

using grid::kDust;

/// MB/s of a job that moves next to nothing: a thousand such jobs are a load that each server bears.
constexpr double kNextToNothing = 0.01;
/// The part of a job by which it may exceed the rest: a measured figure is no more exact.
constexpr double kAlmost = 0.01;
/// Seconds of a task, at least: the wrapper's clock has steps of 10 ms.
constexpr double kStep = 0.01;

double finite(double value) { return std::isfinite(value) && value > 0.0 ? value : 0.0; }

}  // namespace

double FileServers::Moved::mb_s() const { return finite(mb) / std::max(finite(seconds), kStep * static_cast<double>(jobs)); }

FileServers::FileServers(const Snapshot& snapshot, int first_jobs) : first_jobs_{std::max(1, first_jobs)} {
  open(snapshot);
  if (!servers_.empty()) count_live(snapshot);
}

void FileServers::open(const Snapshot& snapshot) {
  std::map<std::string, std::size_t> homes;
  const auto declares = [](const ClusterView& cluster) { return cluster.file_server_mb_s > 0 && !cluster.retired; };
  if (std::ranges::none_of(snapshot.clusters, declares)) return;
  server_of_.resize(snapshot.clusters.size());
  for (std::size_t i = 0; i < snapshot.clusters.size(); ++i) {
    const auto& cluster = snapshot.clusters[i];
    if (!declares(cluster)) continue;
    auto place = servers_.size();
    if (!cluster.shared_home.empty()) place = homes.emplace(cluster.shared_home, place).first->second;
    if (place == servers_.size()) servers_.push_back({.home = cluster.shared_home, .bears = cluster.file_server_mb_s});
    servers_[place].bears = std::min(servers_[place].bears, cluster.file_server_mb_s);
    server_of_[i] = place;
  }
  // Those that declare nothing have the server of their home.
  for (std::size_t i = 0; i < snapshot.clusters.size(); ++i) {
    if (const auto home = homes.find(snapshot.clusters[i].shared_home); home != homes.end()) server_of_[i] = home->second;
  }
}

void FileServers::count_live(const Snapshot& snapshot) {
  for (const auto& campaign : snapshot.campaigns) campaigns_.emplace(campaign.id, &campaign);
  for (const auto& pair : snapshot.pairs) {
    if (pair.io_jobs <= 0) continue;
    auto& moved = anywhere_[pair.campaign];
    moved.jobs += pair.io_jobs;
    moved.mb += finite(pair.io_mb);
    moved.seconds += finite(pair.io_seconds);
  }
  std::map<grid::ClusterId, std::size_t> places;
  for (std::size_t i = 0; i < snapshot.clusters.size(); ++i) places.emplace(snapshot.clusters[i].id, i);
  for (const auto& pair : snapshot.pairs) {
    const int live = pair.live_jobs + pair.frozen_jobs;
    const auto place = places.at(pair.cluster);
    if (live == 0 || !server_of_[place]) continue;
    const auto job = load_of_job(*campaigns_.at(pair.campaign), pair, width_of(pair, snapshot.clusters[place]));
    servers_[*server_of_[place]].load += live * job.value_or(0.0);
  }
}

std::optional<double> FileServers::load_of_job(const CampaignView& campaign, const PairView& pair, const Width& width) const {
  const auto at_once = pair.pools_refused ? 1 : at_a_time(campaign, width);
  if (pair.io_jobs > 0) return at_once * Moved{.jobs = pair.io_jobs, .mb = pair.io_mb, .seconds = pair.io_seconds}.mb_s();
  const auto elsewhere = anywhere_.find(campaign.id);
  if (elsewhere == anywhere_.end()) return std::nullopt;
  return at_once * elsewhere->second.mb_s();
}

std::optional<Cap> FileServers::left(const CampaignView& campaign, const Candidate& candidate) const {
  if (servers_.empty() || !server_of_[candidate.cluster_index]) return std::nullopt;
  const auto& server = servers_[*server_of_[candidate.cluster_index]];
  const int live = live_jobs(candidate);
  const auto job = load_of_job(campaign, *candidate.pair, candidate.width);
  if (!job) {
    if (candidate.pair->done >= first_jobs_) return std::nullopt;
    return Cap{.kind = Cap::Kind::file_server, .jobs = first_jobs_ - live, .most = first_jobs_};
  }
  if (*job < kNextToNothing) return std::nullopt;
  auto jobs = static_cast<int>(std::clamp(std::floor((server.bears - server.load) / *job + kAlmost), 0.0, grid::kMostJobs));
  if (jobs == 0 && live == 0 && server.load + kDust < server.bears) jobs = 1;
  return Cap{.kind = Cap::Kind::file_server, .jobs = jobs, .most = first_jobs_};
}

void FileServers::take(const CampaignView& campaign, const Candidate& candidate, int jobs) {
  if (servers_.empty() || !server_of_[candidate.cluster_index]) return;
  const auto job = load_of_job(campaign, *candidate.pair, candidate.width);
  servers_[*server_of_[candidate.cluster_index]].load += jobs * job.value_or(0.0);
}

decisions::FileServerLoad FileServers::in_force(const Candidate& candidate) const {
  const auto& server = servers_.at(server_of_.at(candidate.cluster_index).value());
  // A figure that changes a little in each cycle would be written in each.
  constexpr int kDecimals = 2, kDecimalsOfLoad = 1;
  const auto job = load_of_job(*campaigns_.at(candidate.pair->campaign), *candidate.pair, candidate.width);
  return {.bears = server.bears,
          .home = server.home,
          .load = decisions::rounded(server.load, kDecimalsOfLoad),
          .of_job = job ? std::optional{decisions::rounded(*job, kDecimals)} : std::nullopt};
}

}  // namespace gleaner::planner
