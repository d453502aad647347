#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "lib/jdl/parameter.hpp"
#include "lib/store/views_tasks.hpp"
#include "lib/text/json_writer.hpp"

namespace gleaner::api {

/// Writes the fields of a task of this campaign into an open object.
void write_task(text::JsonWriter& json, const store::views::Task& task, grid::CampaignId campaign);
/// The first line of CSV of tasks, and a task's line, without its campaign, which is that of all. The columns have the names of the members
/// that write_task() writes. An empty field: there is no such value.
inline constexpr std::string_view kTaskCsvHead{
    "id,state,cluster_name,job_id,remote_id,attempt,exit_code,ending,parameters,name,submission_time,start_time,stop_time\n"};
void add_csv_row(std::string& text, const store::views::Task& task, grid::CampaignId campaign);

/// Writes the fields of a job into an open object.
/// @param hosts  its nodes; empty: not known
void write_job(text::JsonWriter& json, const store::views::Job& job, const std::vector<std::string>& hosts = {});

/// The exit code of a wait status as a shell reports it: the exit status, or 128 + the signal.
[[nodiscard]] int exit_code(int wait_status);

}  // namespace gleaner::api
