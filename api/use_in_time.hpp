#pragma once
#include "api/call.hpp"

namespace gleaner::api {

/// The answer to `GET /v1/gridusage` with `step`: each cluster's least, mean and greatest figures in time slices, and how much of each
/// slice is known. Requests are bounded: in slices, and in the span, whose figures are all read. An answer is kept for a minute, so that
/// the viewers of one picture cost one.
[[nodiscard]] http::Response show_use_in_time(const Call& call);

}  // namespace gleaner::api
