#pragma once
#include "lib/fleet/fleet.hpp"

namespace gleaner::nikita {

/// Has OAR signal the running jobs whose next checkpoint is due, if OAR lists them as ours; at most 200 in a turn. A signal is noted before
/// it is sent, and never repeated before the next one is due: a lost one costs a checkpoint, nothing else. Returns how many OAR passed on.
int request_checkpoints(fleet::Visit& visit);

}  // namespace gleaner::nikita
