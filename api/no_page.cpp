#include "api/web_assets.hpp"

namespace gleaner::api {

std::span<const WebAsset> web_assets() { return {}; }

}  // namespace gleaner::api
