#pragma once
#include <optional>

#include "api/call.hpp"

namespace gleaner::api {

/// DELETE /v1/campaigns/:id?dry_run=1: what the cancellation would do, in numbers. It changes nothing. Empty: the campaign is over.
[[nodiscard]] std::optional<http::Response> show_cancellation(const Call& call, grid::CampaignId id);

}  // namespace gleaner::api
