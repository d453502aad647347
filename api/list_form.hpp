#pragma once
#include "api/answers.hpp"
#include "api/call.hpp"

namespace gleaner::api {

/// The forms of a list that may be long: pages of JSON, or all of it, streamed.
enum class ListForm { json, csv, ndjson };

/// The form that the request asks for: `format`, else the type in Accept that is liked best (RFC 9110, 12.5.1), else JSON. Types that are
/// not ours are no error: such a list is JSON, as browsers ask for many types. Error: a wrong `format`.
[[nodiscard]] Asked<ListForm> asked_form(const Call& call);

}  // namespace gleaner::api
