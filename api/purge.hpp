#pragma once
#include "api/call.hpp"

namespace gleaner::api {

/// DELETE /v1/campaigns/ID?purge=1: deletes an ended campaign of the caller, with its tasks, jobs and events. It works for some seconds;
/// the link `next` of the answer continues with the rest. If files of it are left on a cluster, it is gone for its users at once, and
/// nikita deletes it when they are removed.
[[nodiscard]] http::Response purge_campaign(const Call& call);

}  // namespace gleaner::api
