#pragma once
#include <string>

#include "lib/fleet/fleet.hpp"
#include "lib/grid/epochs.hpp"

namespace gleaner::nikita {

/// Keeps pooled tasks that their users cancelled from starting: creates their claims on the cluster, as a carrier does before it takes a
/// task. A task that a carrier took first runs on; the carriers' own files say which. Returns how many claims there are now.
int withhold(fleet::Visit& visit, const grid::Epochs& epochs);

}  // namespace gleaner::nikita
