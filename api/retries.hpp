#pragma once
#include "api/call.hpp"

namespace gleaner::api {

/// POST /v1/campaigns/:id/retries: all failed tasks, those of a list (`tasks`), or those that a sink swallowed (`sink`: an event's id, or a
/// cluster's name).
[[nodiscard]] http::Response retry(const Call& call);

}  // namespace gleaner::api
