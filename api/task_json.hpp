#pragma once
#include "lib/store/views_tasks.hpp"
#include "lib/text/json_writer.hpp"

namespace gleaner::api {

/// The fields of a task of this campaign, into an object that is open.
void write_task(text::JsonWriter& json, const store::views::Task& task, grid::CampaignId campaign);
/// The same for a job.
void write_job(text::JsonWriter& json, const store::views::Job& job);

/// What a shell would say of a wait status: the exit status, or 128 + the signal.
[[nodiscard]] int exit_code(int wait_status);

}  // namespace gleaner::api
