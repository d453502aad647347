#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/submission.hpp"
#include "lib/text/json_writer.hpp"

namespace gleaner::api {

/// How many tasks the campaign will have, where that is known before its parameters have come.
[[nodiscard]] std::optional<std::int64_t> known_tasks(const jdl::CampaignFile& file);

/// Asks the admission rules, once; the file and the warnings become what they say. The answer when one
/// refuses: 403; when one is broken: 500, and `broken_rule` is for tell_administrators.
[[nodiscard]] Asked<void> admit(const Call& call, Submission& submission, std::int64_t tasks);

/// Opens the event ADMISSION_RULE.
void tell_administrators(const Call& call, const std::string& broken_rule);

/// `"rules"`: those that changed the campaign or said something.
void write_rules(text::JsonWriter& json, const std::vector<rules::Step>& steps);

}  // namespace gleaner::api
