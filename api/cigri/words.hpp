#pragma once
#include <string>
#include <string_view>

#include "lib/grid/cigri_words.hpp"

/// The words of CiGri's API for ours. Pure functions.
namespace gleaner::api::cigri {

using grid::cigri::authentication;
using grid::cigri::batch;
using grid::cigri::date;
using grid::cigri::event_code;
using grid::cigri::host_of;
using grid::cigri::job_state;
using grid::cigri::return_code;
using grid::cigri::task_state;

/// `cluster`, `job`, `campaign`, or `log` for what concerns the grid as a whole.
[[nodiscard]] std::string_view event_class(std::string_view ours);

/// The href of a path for a caller who sent this prefix; `cigri-api` and `/cigri-api/` are the same one.
[[nodiscard]] std::string href(std::string_view prefix, std::string_view path);
/// Whether links may begin with the prefix: parts of letters, digits and `-._~`, with single slashes between them. Anything else could make
/// links that lead to another server.
[[nodiscard]] bool is_prefix(std::string_view text);

/// Whether the text can be a user's name: at most 64 letters, digits and `-._@`, and none of the words that identd and CiGri use for
/// nobody.
[[nodiscard]] bool is_user(std::string_view text);

}  // namespace gleaner::api::cigri
