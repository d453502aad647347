#pragma once
#include "api/call.hpp"

namespace gleaner::api {

/// Whether a request for events is for a stream of changes, not for a list: it has `after` or Last-Event-ID, or accepts text/event-stream.
[[nodiscard]] bool asks_for_stream(const Call& call);

/// Begins a stream of changes. 410: changes after its place are no longer kept; 503: no stream is free.
[[nodiscard]] http::Response open_stream(const Call& call);

}  // namespace gleaner::api
