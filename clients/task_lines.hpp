#pragma once
#include <functional>
#include <string>
#include <string_view>

#include "clients/api_client.hpp"

/// Lists of tasks that the API sends as lines of JSON.
namespace gleaner::clients {

/// Calls `take` with each item of a list of the API, while it arrives; memory does not grow with the list. Throws process::Error
/// (unavailable) when the list breaks off.
void read_tasks(ApiClient& api, const std::string& path, const std::function<void(const Json& task)>& take);

/// The parameter of a task as a line of a parameter file, without its end. A program of the new task gets the same arguments. Throws
/// process::Error (refused) for a parameter that no line can have, as it has a line end itself.
[[nodiscard]] std::string parameter_line(const Json& task);

}  // namespace gleaner::clients
