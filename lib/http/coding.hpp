#pragma once
#include <string>
#include <string_view>

/// The coding of an answer's body (RFC 9110, 8.4 and 12.5.3): gzip, or none.
namespace gleaner::http {

/// Whether a list of Accept-Encoding takes gzip, and likes no coding at all less or equally well. Words for gzip go before `*`. A weight
/// that is none is 0.
[[nodiscard]] bool prefers_gzip(std::string_view accept_encoding);

/// The text with gzip's coding. The same text gives the same bytes. Throws std::bad_alloc.
/// Cost: 5 ms of a processor and less for each MB, and 256 kB of memory besides the result.
[[nodiscard]] std::string gzipped(std::string_view text);

}  // namespace gleaner::http
