#pragma once
#include <string>
#include <string_view>

namespace gleaner::text {

/// The text as a field of CSV (RFC 4180): in quotes if it has a comma, a quote or a line end. A field that a spreadsheet would run has an
/// apostrophe before it, as OWASP advises; numbers and options of commands (`--verbose`) stay as they are.
[[nodiscard]] std::string csv_field(std::string_view text);

}  // namespace gleaner::text
