#pragma once
#include <string>
#include <vector>

#include "clients/api_client.hpp"

namespace gleaner::clients {

/// All items of a list, which the API sends in pages.
/// @param path  with its query, if it has one
[[nodiscard]] std::vector<Json> all_items(ApiClient& api, const std::string& path);

}  // namespace gleaner::clients
