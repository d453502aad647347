#pragma once
#include <cstddef>
#include <functional>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>

#include "lib/grid/time.hpp"
#include "lib/store/database.hpp"

/// Each fault stays local: when PostgreSQL refuses a part of a transaction, only that part is rolled back.
namespace gleaner::store {

struct Target;

/// Runs the work under a savepoint. If PostgreSQL refuses a statement for its values, all writes of the work are rolled back, the
/// transaction continues as before it, and the result is PostgreSQL's reason. Any other exception passes through, and the transaction is
/// lost. Cost: none in transact() while nothing is refused, because it makes savepoints only in a second run, after a first one with a
/// refusal. Elsewhere two short statements.
[[nodiscard]] std::optional<std::string> attempt(Transaction& transaction, const std::function<void()>& work);

/// The same for a work that is left out if it is refused: an event WRITE_REFUSED on the target names it, as note_refused() does. For each
/// turn of a loop over campaigns, clusters, launches or jobs in one transaction. True: it was written.
bool write_or_note(Transaction& transaction, const Target& target, std::string_view what, grid::Instant now,
                   const std::function<void()>& work);

namespace detail {
using WritePart = std::function<void(std::size_t first, std::size_t count)>;
using RefusedOne = std::function<void(std::size_t index, const std::string& why)>;
std::size_t write_halving(Transaction& transaction, std::size_t items, const WritePart& write, const RefusedOne& refused);
}  // namespace detail

/// Writes the items, all at once: `write(std::span<const Item>)`. A part that PostgreSQL refuses is halved until the refused item is alone.
/// That item is passed to `refused(const Item&, const std::string& why)`, in the same transaction, and the others are written. `write` is
/// called again for each part, so it must update its counts after its statements. Parts keep the order of the items. Returns the number of
/// refused items; rethrows all other exceptions of `write`, such as Unavailable. Cost: one call when nothing is refused, and up to 2
/// log2(items) more for each refused item.
template <std::ranges::contiguous_range Items, class Write, class RefusedItem>
std::size_t write_batch(Transaction& transaction, const Items& items, const Write& write, const RefusedItem& refused) {
  const std::span<const std::ranges::range_value_t<Items>> all{items};
  return detail::write_halving(
      transaction, all.size(), [&](std::size_t first, std::size_t count) { write(all.subspan(first, count)); },
      [&](std::size_t index, const std::string& why) { refused(all[index], why); });
}

}  // namespace gleaner::store
