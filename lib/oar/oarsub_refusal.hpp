#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

/// Messages that oarsub, and the shell that starts it, print on a cluster's front end; OAR 2.5 and 2.6.
namespace gleaner::oar {

/// The numbers above 0 of the lines that begin with the mark: `OAR_JOB_ID=`. When oarsub refuses, it prints a number below 1, or none.
[[nodiscard]] std::vector<std::int64_t> marked_numbers(std::string_view text, std::string_view mark);

/// Whether the message of a failed POST of jobs proves that no job was made, whatever the status of its answer: oarsub's own checks refused
/// it, or the cluster's admission rules, or the shell did not come to oarsub. oarsub prints `OAR_JOB_ID=n` for each job that it made; such
/// a line, or one on a server that cannot be reached (which comes after it), proves the contrary.
///
/// Only beginnings of lines count, and nothing behind the API's own `Cmd:`: a user's words may stand elsewhere.
[[nodiscard]] bool proves_no_job(std::string_view message);

}  // namespace gleaner::oar
