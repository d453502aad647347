#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/submission.hpp"
#include "lib/text/json_writer.hpp"

namespace gleaner::api {

/// The number of tasks of the campaign. Empty: not known before its parameters are received.
[[nodiscard]] std::optional<std::int64_t> known_tasks(const jdl::CampaignFile& file);

/// Runs the admission rules once; the file and the warnings become what the rules return. Errors: 403 if a rule refuses; 500 if a rule is
/// broken, with `broken_rule` set for report_broken_rule().
[[nodiscard]] Asked<void> admit(const Call& call, Submission& submission, std::int64_t tasks);

/// Opens the event ADMISSION_RULE for the administrators.
void report_broken_rule(const Call& call, const std::string& broken_rule);

/// An array of `{"path", "before", "after"}`; a side that is null: there was no such key.
void write_changes(text::JsonWriter& json, const std::vector<rules::Change>& changes);

/// Writes `"rules"`: the rules that changed the campaign or wrote a message.
void write_rules(text::JsonWriter& json, const std::vector<rules::Step>& steps);

}  // namespace gleaner::api
