#pragma once
#include "lib/process/run.hpp"

namespace gleaner::gridnotify {

/// Shows, adds and removes subscriptions to messages, and tests them.
process::Outcome gridnotify(const process::Context& context);

}  // namespace gleaner::gridnotify
