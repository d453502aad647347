#pragma once
#include <span>
#include <vector>

#include "lib/fleet/fleet.hpp"
#include "lib/store/kills.hpp"

namespace gleaner::nikita {

/// Those of the jobs to be killed that are listed under their id with their own name and command: after OAR was restored or reinstalled,
/// the id may be somebody else's. One that is not in its launch's array is to be deleted alone.
[[nodiscard]] std::vector<store::PendingKill> ours_of(std::vector<store::PendingKill> kills, std::span<const oar::RemoteJob> listed);

/// The same, by what the cluster lists right now; what it does not list is left out too. Others are logged.
[[nodiscard]] oar::Result<std::vector<store::PendingKill>> still_ours(fleet::Visit& visit, std::vector<store::PendingKill> kills);

}  // namespace gleaner::nikita
