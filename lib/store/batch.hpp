#pragma once
#include <cstddef>
#include <functional>
#include <optional>
#include <ranges>
#include <span>
#include <string>

#include "lib/store/database.hpp"

/// A fault costs its own: what PostgreSQL refuses of a transaction is taken back alone.
namespace gleaner::store {

/// Runs the work under a savepoint. When PostgreSQL refuses a statement of it for its values, all that the work wrote is taken back,
/// the transaction goes on as it was before, and the result is PostgreSQL's reason. Any other exception of the work passes, and the
/// transaction is then lost. Cost: nothing in transact() while nothing is refused: it makes savepoints in a second run only, after a
/// first one in which something was. Elsewhere two short statements.
[[nodiscard]] std::optional<std::string> attempt(Transaction& transaction, const std::function<void()>& work);

namespace detail {
using WritePart = std::function<void(std::size_t first, std::size_t count)>;
using RefusedOne = std::function<void(std::size_t index, const std::string& why)>;
std::size_t write_halving(Transaction& transaction, std::size_t items, const WritePart& write, const RefusedOne& refused);
}  // namespace detail

/// Writes the items, all of them at once: `write(std::span<const Item>)`. A part that PostgreSQL refuses is halved, until the item
/// that it refuses is alone; `refused(const Item&, const std::string& why)` gets that one, in the same transaction, and the others
/// are written. `write` is called anew for each part, so what it counts it must count after its statements. Parts keep the order of
/// the items. Returns how many were refused; throws whatever else `write` throws, such as Unavailable.
/// Cost: one call when nothing is refused, else 2 log2(items) calls more for each item that is.
template <std::ranges::contiguous_range Items, class Write, class RefusedItem>
std::size_t write_batch(Transaction& transaction, const Items& items, const Write& write, const RefusedItem& refused) {
  const std::span<const std::ranges::range_value_t<Items>> all{items};
  return detail::write_halving(
      transaction, all.size(), [&](std::size_t first, std::size_t count) { write(all.subspan(first, count)); },
      [&](std::size_t index, const std::string& why) { refused(all[index], why); });
}

}  // namespace gleaner::store
