#pragma once
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "lib/grid/clock.hpp"
#include "lib/process/config.hpp"
#include "lib/store/database.hpp"

namespace gleaner::api {

/// A few database connections, kept open between requests. Connections that the database has closed are detected and replaced. Thread-safe.
class Connections {
 public:
  Connections(std::string conninfo, const process::Config& config);

  /// Runs reads in a transaction, and repeats them once if a kept connection turns out to be dead. Throws store::Unavailable and
  /// store::WrongSchema.
  template <class Work>
  auto read(Work&& work) {
    for (bool first = true;; first = false) {
      Lease lease{*this};
      try {
        auto transaction = lease.database().begin();
        auto result = work(transaction);
        lease.keep();
        return result;
      } catch (const store::Unavailable&) {
        if (!first || lease.is_new()) throw;
      }
    }
  }

  /// Runs writes in a transaction and commits it; repeats `work` from its beginning after a deadlock.
  template <class Work>
  auto write(Work&& work) {
    Lease lease{*this};
    std::optional<decltype(work(std::declval<store::Transaction&>()))> result;
    store::transact(lease.database(), std::nullopt, [&](store::Transaction& transaction) { result.emplace(work(transaction)); });
    lease.keep();
    return std::move(*result);
  }

  /// As write, but undoes the writes at the end: what they would do.
  template <class Work>
  auto undone(Work&& work) {
    Lease lease{*this};
    std::optional<decltype(work(std::declval<store::Transaction&>()))> result;
    store::rehearse(lease.database(), [&](store::Transaction& transaction) { result.emplace(work(transaction)); });
    lease.keep();
    return std::move(*result);
  }

  /// Runs `work` once, for writes that cannot be repeated; `work` commits by itself, or not at all. The limits are longer than a request's,
  /// because a submission may write a million tasks.
  template <class Work>
  auto write_once(Work&& work) {
    Lease lease{*this};
    auto transaction = lease.database().begin();
    store::set_limits(transaction, longer_);
    auto result = work(transaction);
    return result;
  }

  /// The time by the database's clock, by which every age is measured: asked for again after 30 s, and carried on by a clock that nobody
  /// sets. Behind by at most the way of one answer, never ahead. As long as the database never answered, that of this host.
  [[nodiscard]] grid::Instant now();
  /// The same without a question to the database, however long ago the last one was.
  [[nodiscard]] grid::Instant known_now() const;

  /// A connection of its own for a thread that keeps it. Throws store::Unavailable and store::WrongSchema.
  [[nodiscard]] store::Database open() const;

 private:
  /// A connection for one request. It is closed at the end, unless keep() was called.
  class Lease {
   public:
    explicit Lease(Connections& from);
    ~Lease();
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    [[nodiscard]] store::Database& database() { return *database_; }
    [[nodiscard]] bool is_new() const { return is_new_; }
    void keep() { kept_ = true; }

   private:
    Connections& from_;
    std::optional<store::Database> database_;
    bool is_new_ = false;
    bool kept_ = false;
  };

  void wait_for_turn();
  [[nodiscard]] grid::Instant carried_on() const;  ///< under the mutex
  [[nodiscard]] std::optional<store::Database> take_idle();
  void give_back(std::optional<store::Database> database);

  std::string conninfo_;
  store::ConnectionLimits longer_;  ///< as configured for all programs
  store::ConnectionLimits limits_;  ///< limits of a request: at most api_patience
  mutable std::mutex mutex_;
  std::condition_variable freed_;
  std::vector<store::Database> idle_;
  int in_use_ = 0;
  struct Reading {
    grid::Instant time;
    grid::SteadyClock::time_point at;  ///< when the answer had come: a question may wait for seconds before the database reads its clock
  };
  std::optional<Reading> reading_;                          ///< of the database's clock
  std::optional<grid::SteadyClock::time_point> asked_for_;  ///< the last time, whether it answered or not
};

}  // namespace gleaner::api
