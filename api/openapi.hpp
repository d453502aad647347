#pragma once
#include <string_view>

namespace gleaner::api {

/// api/openapi.json.
[[nodiscard]] std::string_view openapi_document();

}  // namespace gleaner::api
