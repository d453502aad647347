#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "clients/api_client.hpp"
#include "lib/jdl/problem.hpp"
#include "lib/process/exit_code.hpp"
#include "lib/terminal/output.hpp"

/// What is wrong in a user's input, found here or by the grid.
namespace gleaner::gridsub {

/// The error of a wrong input, a line for each problem. `nothing`: "nothing was submitted".
[[nodiscard]] process::Error wrong_input(const std::vector<jdl::Problem>& problems, const std::string& source, std::string_view nothing);

/// The problems of an answer of the API.
[[nodiscard]] std::vector<jdl::Problem> problems_of(const clients::Json& answer);

/// Shows the warnings of an answer as notes.
void show_warnings(const clients::Reply& reply, terminal::Output& output);

}  // namespace gleaner::gridsub
