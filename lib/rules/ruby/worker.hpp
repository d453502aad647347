#pragma once
#include <functional>
#include <string>
#include <string_view>

namespace gleaner::rules::ruby {

/// Answers one request about rules with lines, each a JSON object. The request: `{"action": "run" | "check", "rules": [TEXT…], "time_ms":
/// N, "memory": BYTES}`, and for a run also `"jdl", "user", "tasks", "clusters"`.
///
/// One line for each rule in order, up to the first that refuses or fails: `{"outcome": "unchanged" | "changed" | "refused" | "failed",
/// "jdl", "message", "line", "notes"}`. For a rule that exceeds the limits the line is `{"stopped": "time" | "memory", "line"}`, and the
/// process ends. Throws std::invalid_argument when the request is invalid.
void answer(std::string question, const std::function<void(std::string_view)>& write_line);

}  // namespace gleaner::rules::ruby
