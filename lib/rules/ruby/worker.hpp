#pragma once
#include <functional>
#include <string>
#include <string_view>

namespace gleaner::rules::ruby {

/// Answers one question about rules, line by line, each a JSON object. The question:
/// `{"wish": "run" | "check", "rules": [TEXT…], "time_ms": N, "memory": BYTES}`, and to run also
/// `"jdl", "user", "tasks", "clusters"`.
///
/// A line for each rule in order, up to the first that refuses or fails: `{"outcome": "unchanged" |
/// "changed" | "refused" | "failed", "jdl", "message", "line", "notes"}`. A rule that goes beyond the
/// limits has the line `{"stopped": "time" | "memory", "line"}` and ends the process.
/// Throws std::invalid_argument when the question is none.
void answer(std::string question, const std::function<void(std::string_view)>& write_line);

}  // namespace gleaner::rules::ruby
