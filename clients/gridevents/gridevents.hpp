#pragma once
#include "lib/process/run.hpp"

namespace gleaner::gridevents {

/// Lists events, closes them, or opens one by hand, as the command line requests.
process::Outcome gridevents(const process::Context& context);

}  // namespace gleaner::gridevents
