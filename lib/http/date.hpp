#pragma once
#include <chrono>
#include <string>

namespace gleaner::http {

/// `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, 5.6.7).
[[nodiscard]] std::string http_date(std::chrono::sys_seconds time);

/// The present, for the header Date. It is formatted once a second in each thread.
[[nodiscard]] const std::string& current_date();

}  // namespace gleaner::http
