#pragma once
#include <cstdint>
#include <optional>
#include <string>

/// The end of a job, for people.
namespace gleaner::clients {

/// `exit status 3`, `exit status 139 (signal 11)`, `walltime`; `no job` where there is no ending.
[[nodiscard]] std::string cause_of(const std::string& ending, std::optional<std::int64_t> exit_code);

}  // namespace gleaner::clients
