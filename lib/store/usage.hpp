#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/grid/time.hpp"
#include "lib/store/database.hpp"
#include "lib/store/views.hpp"

/// Usage by jobs, and its purpose (the table usage).
namespace gleaner::store {

enum class UsageKey { day, user, project, campaign, cluster };

struct UsageFilter {
  grid::Instant from;                 ///< its day (UTC) is the first
  grid::Instant to;                   ///< its day is the last
  std::optional<std::string> user{};  ///< empty: of all users
  std::vector<UsageKey> by{};         ///< empty: one sum of all
};

/// A sum; a key that was not asked for is empty. Resource-seconds of jobs that have ended.
struct UsageSum {
  std::optional<std::string> day{};  ///< 2026-11-20, UTC
  std::optional<std::string> user{};
  std::optional<std::string> project{};
  std::optional<std::int64_t> campaign{};
  std::optional<std::string> campaign_name{};  ///< empty: it was removed
  std::optional<std::string> cluster{};
  double resource_seconds = 0;
  double useful_seconds = 0;  ///< of jobs that ended with exit status 0, and of others until their last checkpoint
  double failed_seconds = 0;  ///< of jobs that failed by their own fault
  double lost_seconds = 0;    ///< of jobs that were killed or preempted, or could not run
  std::int64_t jobs = 0;      ///< that started
  std::int64_t failed_jobs = 0;
  std::int64_t lost_jobs = 0;
  std::int64_t tasks = 0;  ///< that were done
};

/// By day, user, project, campaign and cluster. Cost: O(rows of usage of these days).
[[nodiscard]] views::Page<UsageSum> usage_report(Transaction& transaction, const UsageFilter& filter, views::Window window);

}  // namespace gleaner::store
