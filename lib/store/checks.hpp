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

/// The laws of the database: statements that hold after every commit, even if processes were killed at any point. Each law is one named
/// query in sql/queries/checks.sql.
namespace gleaner::store {

/// A breach of a law harms the grid; a leftover is harmless.
enum class Weight { law, leftover };

struct Law {
  std::string_view name;      ///< task_without_job
  std::string_view sentence;  ///< the law
  std::string_view repair;    ///< how a repair works; empty: an administrator must decide
  Weight weight = Weight::law;
};
/// In the order of checks and repairs: counters come after the rows that they count.
[[nodiscard]] std::span<const Law> laws();

/// Which rows are read: those of campaigns in treatment or paused, trusting counters where these suffice; or all rows.
enum class Reach { live, all };

/// A row that breaks a law.
struct Breach {
  std::optional<std::int64_t> campaign;
  std::optional<std::int64_t> cluster;
  std::optional<std::int64_t> id;  ///< of the task, job, launch or event that the law is about
  std::string text;                ///< `task 5 of campaign 1 is running, attempt 2`
};
struct Breaches {
  std::int64_t count = 0;    ///< of all breaches
  std::vector<Breach> rows;  ///< at most the first 1 000
};

/// The result of one check. `unchecked`: the time limit was exceeded, or the law is only checked with Reach::all.
struct Checked {
  enum class Result { holds, broken, unchecked } result = Result::holds;
  Breaches breaches{};
};
/// Checks a law in a transaction of its own, within `limit` (0: no limit). Changes nothing.
[[nodiscard]] Checked check_law(Database& database, const Law& law, Reach reach, std::chrono::milliseconds limit);

/// Repairs those of the given rows that are still broken, in one transaction in which no module writes. Returns the number of repaired
/// rows. `limits` apply to the tasks whose jobs a repair declares lost. Records the repair with its author, as a declaration and an event.
std::int64_t repair_law(Database& database, const Law& law, const Breaches& breaches, const grid::Limits& limits, std::string_view author,
                        grid::Instant now);

/// Opens, repeats or closes the event LAW_BROKEN_<law>. An unchecked law and a leftover change no event.
void note_checked(Transaction& transaction, const Law& law, const Checked& verdict, grid::Instant now);

/// True once in a period, by the database's clock; the caller then runs the checks.
[[nodiscard]] bool check_is_due(Transaction& transaction, std::chrono::milliseconds period);

}  // namespace gleaner::store
