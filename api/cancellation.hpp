#pragma once
#include "api/call.hpp"

namespace gleaner::api {

/// DELETE /v1/campaigns/:id?dry_run=1: what the cancellation would do, in numbers. It changes nothing.
[[nodiscard]] http::Response show_cancellation(const Call& call);

}  // namespace gleaner::api
