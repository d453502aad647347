#pragma once
#include <string>
#include <vector>

#include "api/call.hpp"
#include "lib/text/ranges.hpp"

/// Actions of users on some tasks of a campaign: `tasks=7,9-12`. A list of any length is worked through in pieces, for a few seconds; the
/// link `next` of the answer names the rest.
namespace gleaner::api {

/// DELETE /v1/campaigns/:id/tasks
[[nodiscard]] http::Response cancel_chosen_tasks(const Call& call);
/// DELETE /v1/campaigns/:id/tasks/:task
[[nodiscard]] http::Response cancel_one_task(const Call& call);
/// POST /v1/campaigns/:id/retries?tasks=…
[[nodiscard]] http::Response retry_chosen_tasks(const Call& call);
/// POST /v1/campaigns/:id/hold?tasks=…
[[nodiscard]] http::Response hold_chosen_tasks(const Call& call);
/// POST /v1/campaigns/:id/resume?tasks=…
[[nodiscard]] http::Response release_chosen_tasks(const Call& call);

/// The tasks that a text names among those of a campaign; `*` is the last one. Error: the answer, 400 or 404.
[[nodiscard]] Asked<std::vector<text::Range>> read_tasks(std::string_view text, grid::CampaignId campaign, std::int64_t total);

}  // namespace gleaner::api
