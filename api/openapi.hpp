#pragma once
#include <string_view>

namespace gleaner::api {

/// The text of api/openapi.json.
[[nodiscard]] std::string_view openapi_document();

}  // namespace gleaner::api
