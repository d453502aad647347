#pragma once
#include <span>
#include <vector>

#include "lib/fleet/fleet.hpp"
#include "lib/store/kills.hpp"

namespace gleaner::nikita {

/// The kills whose jobs are listed under their id with their own owner, name and command: after OAR was restored or reinstalled, an id may
/// belong to a foreign job. A job outside its launch's array is marked to be deleted singly.
[[nodiscard]] std::vector<store::PendingKill> ours_of(std::vector<store::PendingKill> kills, std::span<const oar::RemoteJob> listed);

/// The same, by a list that is requested now; jobs that the cluster does not list are left out too. Kills that are left out are logged.
/// Error: the list could not be read.
[[nodiscard]] oar::Result<std::vector<store::PendingKill>> still_ours(fleet::Visit& visit, std::vector<store::PendingKill> kills);

}  // namespace gleaner::nikita
