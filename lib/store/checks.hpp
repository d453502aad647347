#pragma once
#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/grid/settle.hpp"
#include "lib/grid/time.hpp"
#include "lib/store/database.hpp"

/// The laws of the database: what holds after every commit, whoever was killed where. One named query a law in sql/queries/checks.sql.
namespace gleaner::store {

/// A breach of a law harms the grid; a leftover is only in the way.
enum class Weight { law, leftover };

struct Law {
  std::string_view name;      ///< task_without_job
  std::string_view sentence;  ///< what holds
  std::string_view repair;    ///< what a repair does; empty: an administrator must judge
  Weight weight = Weight::law;
};
/// In the order in which they are checked and repaired: counters come after what they count.
[[nodiscard]] std::span<const Law> laws();

/// Which rows are read: those of campaigns in treatment or paused, trusting counters where these suffice; or all.
enum class Reach { live, all };

/// A row that breaks a law.
struct Breach {
  std::optional<std::int64_t> campaign;
  std::optional<std::int64_t> cluster;
  std::optional<std::int64_t> id;  ///< of the task, job, launch, event… that the law is about
  std::string text;                ///< `task 5 of campaign 1 is running, attempt 2`
};
struct Breaches {
  std::int64_t count = 0;    ///< of all that there are
  std::vector<Breach> rows;  ///< the first 1 000 at most
};

/// What the check of one law found; `unchecked`: PostgreSQL needed longer than the limit, or the law is only checked with Reach::all.
struct Checked {
  enum class Result { holds, broken, unchecked } result = Result::holds;
  Breaches breaches{};
};
/// Checks a law in a transaction of its own, for `limit` at most (0: as long as it takes). Changes nothing.
[[nodiscard]] Checked check_law(Database& database, const Law& law, Reach reach, std::chrono::milliseconds limit);

/// Repairs the rows found, as far as they are still broken, in one transaction in which no module writes; how many were repaired.
/// `limits` are the tasks' whose jobs a repair declares lost. Notes the repair with its author, as a declaration and an event.
std::int64_t repair_law(Database& database, const Law& law, const Breaches& breaches, const grid::Limits& limits, std::string_view author,
                        grid::Instant now);

/// Opens, counts up or closes the event LAW_BROKEN_<law>; a law that is unchecked, and a leftover, change none.
void note_checked(Transaction& transaction, const Law& law, const Checked& verdict, grid::Instant now);

/// True once in a period, by the database's clock; the caller checks then.
[[nodiscard]] bool check_is_due(Transaction& transaction, std::chrono::milliseconds period);

}  // namespace gleaner::store
