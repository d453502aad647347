#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <thread>
#include <utility>

#include "lib/fleet/fleet.hpp"
#include "lib/fleet/order.hpp"
#include "lib/fleet/tokens.hpp"
#include "lib/grid/clock.hpp"
#include "lib/process/exit_code.hpp"
#include "lib/process/log.hpp"
#include "lib/process/stop.hpp"
#include "lib/store/clock.hpp"
#include "lib/store/events.hpp"
#include "lib/store/locks.hpp"
#include "lib/store/totals.hpp"

namespace gleaner::fleet {
namespace {

using Work = store::Database::Work;
using Clock = grid::SteadyClock;

std::string where(const store::LockHolder& holder) {
  return fmt::format("process {} of PostgreSQL, for a program on {}", holder.pid,
                     holder.host.empty() ? "the database's own machine" : holder.host);
}

std::string advice(const store::LockHolder& holder) { return fmt::format("end it: SELECT pg_terminate_backend({})", holder.pid); }

/// Whether no cluster's results can be written any more. Any other failure concerns one cluster.
bool ends_the_turn(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const store::TimedOut&) {
    return false;
  } catch (const store::Unavailable&) {
    return true;
  } catch (const store::LeaseLost&) {
    return true;
  } catch (const store::WrongSchema&) {
    return true;
  } catch (...) {
    return false;
  }
}

std::string what_of(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "an exception of no known kind";
  }
}

/// The lock on one cluster's work, released at the end of the scope.
class ClusterLock {
 public:
  ClusterLock(SharedDatabase& database, Work work, grid::ClusterId cluster)
      : database_{database}, work_{work}, cluster_{cluster}, ours_{database.try_lock(work, cluster)} {}
  ~ClusterLock() {
    if (!ours_) return;
    try {
      database_.unlock(work_, cluster_);
    } catch (const std::exception& error) {
      process::log::warning("lock not given back, it ends with the connection", {{"cluster", cluster_}, {"error", error.what()}});
    }
  }
  ClusterLock(const ClusterLock&) = delete;
  ClusterLock& operator=(const ClusterLock&) = delete;
  [[nodiscard]] bool is_ours() const { return ours_; }

 private:
  SharedDatabase& database_;
  Work work_;
  grid::ClusterId cluster_;
  bool ours_;
};

/// One turn of a module on all clusters.
class Round {
 public:
  Round(const process::Config& config, SharedDatabase& database, Work work, const std::vector<store::Cluster>& clusters,
        const std::function<void(Visit&)>& visit)
      : config_{config},
        database_{database},
        work_{work},
        visit_{visit},
        event_{fmt::format("CLUSTER_TURN_FAILED_{}", module_of(work))},
        ends_{Clock::now() + turn_budget(config)} {
    for (const auto& cluster : clusters) traffic_.emplace(cluster.id, std::make_shared<oar::Traffic>());
    database_.transact([&](store::Transaction& transaction) {
      const auto open = store::clusters_with_open_event(transaction, event_);
      had_failed_ = {open.begin(), open.end()};
    });
  }

  /// Throws only exceptions that end the turn; other failures concern this cluster.
  void visit(const store::Cluster& cluster) const {
    const ClusterLock lock{database_, work_, cluster.id};
    if (!lock.is_ours()) return note_locked(cluster);
    try {
      visit_locked(cluster);
    } catch (...) {
      if (ends_the_turn(std::current_exception())) throw;
      return note_failed(cluster, what_of(std::current_exception()));
    }
    if (had_failed_.contains(cluster.id)) note_recovered(cluster);
  }

  /// The requests of all visits, for GET /metrics: one transaction for the whole turn. Those of a turn that is killed are not counted.
  void count_requests() const {
    std::vector<store::Total> requests;
    for (const auto& [cluster, traffic] : traffic_) {
      for (const auto& [kind, count] : traffic->take())
        requests.push_back({.kind = "request",
                            .cluster = cluster,
                            .name = std::string{kind.first},
                            .result = std::string{kind.second},
                            .times = count.requests,
                            .amount = count.seconds,
                            .buckets = {count.buckets.begin(), count.buckets.end()}});
    }
    if (requests.empty()) return;
    try {
      database_.transact([&](store::Transaction& transaction) { store::add_totals(transaction, requests, store::now(transaction)); });
    } catch (...) {
      if (ends_the_turn(std::current_exception())) throw;
      process::log::warning("requests not counted", {{"error", what_of(std::current_exception())}});
    }
  }

 private:
  void visit_locked(const store::Cluster& cluster) const {
    const auto tokens = open_tokens(cluster, config_, grid::now());
    auto access = access_of(cluster, tokens);
    if (!access) return note_unreachable(database_, cluster, access.error());
    access->traffic = traffic_.at(cluster.id);
    const auto use = access->token_use;
    oar::Client client{std::move(*access), limits_of(config_)};
    Visit here{cluster, config_, database_, client, ends_};
    if (work_ == Work::update) note_readings(here, tokens);
    visit_(here);
    if (work_ == Work::update) renew_tokens(here, tokens);
    note_token_use(here, tokens, *use);
  }

  void note_locked(const store::Cluster& cluster) const {
    std::optional<store::LockHolder> holder;
    database_.transact([&](store::Transaction& transaction) { holder = store::lock_holder(transaction, work_, cluster.id); });
    if (!holder || holder->silent < config_.module_time_limit) {
      process::log::info("left to the run that is still at it",
                         {{"cluster", cluster.name}, {"silent_s", holder ? holder->silent.count() : 0}});
      return;
    }
    open_event(cluster, fmt::format("another run of the {} holds this cluster's lock and has done nothing for {} s ({}); {}",
                                    module_of(work_), holder->silent.count(), where(*holder), advice(*holder)));
  }

  void note_failed(const store::Cluster& cluster, std::string_view error) const {
    open_event(cluster,
               fmt::format("the {}'s turn on this cluster failed, and is taken again in the next cycle: {}", module_of(work_), error));
  }

  void open_event(const store::Cluster& cluster, const std::string& message) const {
    process::log::error("cluster's turn failed", {{"cluster", cluster.name}, {"message", message}});
    database_.transact([&](store::Transaction& transaction) {
      store::open_event(transaction, {.code = event_, .target = {.campaign = {}, .cluster = cluster.id}, .job = {}, .message = message},
                        store::now(transaction));
    });
  }

  void note_recovered(const store::Cluster& cluster) const {
    process::log::info("cluster's turn goes well again", {{"cluster", cluster.name}});
    database_.transact([&](store::Transaction& transaction) {
      store::close_event(transaction, event_, {.campaign = {}, .cluster = cluster.id}, store::now(transaction));
    });
  }

  const process::Config& config_;
  SharedDatabase& database_;
  Work work_;
  const std::function<void(Visit&)>& visit_;
  std::string event_;
  Clock::time_point ends_;
  std::set<grid::ClusterId> had_failed_;
  std::map<grid::ClusterId, std::shared_ptr<oar::Traffic>> traffic_;
};

/// All visits of one turn, each with the failure that ends the turn, if one does.
class Visits {
 public:
  Visits(const Round& round, const std::vector<store::Cluster>& clusters)
      : round_{round}, clusters_{clusters}, failures_(clusters.size()) {}

  void make(std::size_t place) {
    try {
      round_.visit(clusters_[place]);
    } catch (...) {
      auto& failure = failures_[place];
      failure = std::current_exception();
      // This cluster's event could not be written, but those of others could.
      if (ends_the_turn(failure)) return;
      process::log::error("cluster's turn failed",
                          {{"cluster", clusters_[place].name}, {"error", what_of(std::exchange(failure, nullptr))}});
    }
  }

  void rethrow_failure() const {
    for (const auto& failure : failures_) {
      if (failure) std::rethrow_exception(failure);
    }
  }

 private:
  const Round& round_;
  const std::vector<store::Cluster>& clusters_;
  std::vector<std::exception_ptr> failures_;
};

std::function<void(std::vector<std::size_t>&)> order_of_visits;

}  // namespace

void visit_in_order(std::function<void(std::vector<std::size_t>& places)> order) { order_of_visits = std::move(order); }

std::string_view module_of(Work work) {
  switch (work) {
    case Work::update: return "updator";
    case Work::wipe: return "nikita";
    case Work::launch: return "runner";
    case Work::plan: return "metascheduler";
    case Work::predict: return "predictor";
  }
  return "module";
}

process::Duration turn_budget(const process::Config& config) { return config.module_time_limit / 2; }

process::Duration Visit::time_left() const {
  if (process::stop_requested()) return process::Duration{0};
  return std::max(std::chrono::floor<process::Duration>(ends - Clock::now()), process::Duration{0});
}

void visit_clusters(const process::Config& config, SharedDatabase& database, Work work, const std::vector<store::Cluster>& clusters,
                    const std::function<void(Visit&)>& visit) {
  if (clusters.empty()) return;
  const Round round{config, database, work, clusters, visit};
  Visits visits{round, clusters};
  if (order_of_visits) {
    std::vector<std::size_t> places(clusters.size());
    std::iota(places.begin(), places.end(), std::size_t{0});
    order_of_visits(places);
    for (const auto place : places) visits.make(place);
  } else {
    std::vector<std::jthread> threads;
    for (std::size_t place = 0; place < clusters.size(); ++place) threads.emplace_back([&visits, place] { visits.make(place); });
  }
  visits.rethrow_failure();
  round.count_requests();
}

bool is_sole_turn(const process::Config& config, store::Transaction& transaction, Work work) {
  if (store::try_lock_until_commit(transaction, work)) return true;
  const auto holder = store::lock_holder(transaction, work, std::nullopt);
  if (holder && holder->silent >= config.module_time_limit)
    throw process::Error{process::ExitCode::try_again,
                         fmt::format("another turn of the {} has done nothing for {} s ({}); {}", module_of(work), holder->silent.count(),
                                     where(*holder), advice(*holder))};
  process::log::warning("left to the turn that is still at it",
                        {{"module", module_of(work)}, {"silent_s", holder ? holder->silent.count() : 0}});
  return false;
}

}  // namespace gleaner::fleet
