#pragma once
#include "lib/fleet/fleet.hpp"

namespace gleaner::nikita {

/// Deletes campaigns that their users had deleted (store::seal_campaign), once nothing of them is left on any cluster: a batch of rows of
/// each in turn, so that a huge one delays no other. Bounded by a time limit of its own; the next turns continue. Returns how many are
/// gone.
[[nodiscard]] int purge(fleet::SharedDatabase& database);

}  // namespace gleaner::nikita
