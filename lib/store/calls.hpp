#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "lib/grid/id.hpp"
#include "lib/grid/time.hpp"
#include "lib/store/database.hpp"

/// Calls of clusters: a hook of OAR's server says that jobs there have begun or ended, so that the grid need not wait for its next cycle. A
/// call proves nothing: it has the cluster polled sooner.
namespace gleaner::store {

/// The channel on which the conductor learns of calls.
inline constexpr const char* kCall = "gleaner_call";

struct CallsOfCluster {
  grid::ClusterId cluster{0};
  std::optional<grid::Instant> called = {};  ///< the last time; empty: never
  bool waits = false;                        ///< no poll has answered it
  std::optional<grid::Instant> polled = {};  ///< the last time that it answered a poll
};

/// Notes a call, and notifies the conductor when the transaction commits.
void note_call(Transaction& transaction, grid::ClusterId cluster, grid::Instant now);
/// The calls of all clusters in use; nothing where none has ever called.
[[nodiscard]] std::vector<CallsOfCluster> calls(Transaction& transaction);
/// Has a poll that began at this time answer the calls before it. If the cluster called since, the conductor is notified again.
void answer_calls(Transaction& transaction, grid::ClusterId cluster, grid::Instant began);
/// Notifies the conductor again of a call that waits.
void call_again(Transaction& transaction);

}  // namespace gleaner::store
