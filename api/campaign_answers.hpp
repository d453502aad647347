#pragma once
#include "api/call.hpp"

/// The answers whose ETags a client may send in If-Match when it edits the campaign.
namespace gleaner::api {

/// GET /v1/campaigns/:id
[[nodiscard]] http::Response show_campaign(const Call& call);
/// GET /v1/campaigns/:id/jdl
[[nodiscard]] http::Response show_jdl(const Call& call);

}  // namespace gleaner::api
