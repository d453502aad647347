#pragma once
#include <functional>
#include <string_view>

#include <tl/expected.hpp>

#include "lib/jdl/parameter.hpp"
#include "lib/jdl/problem.hpp"

namespace gleaner::jdl {

/// Reads parameters from a JSON array, CiGri's form: each element is a string, a number, or an array of these (arguments). Takes constant
/// memory.
/// @param next  the next bytes of the text, cut anywhere; empty at its end. The view must be valid until the next call.
/// @param sink  takes each parameter, which has passed `check`; false stops the reading, which is no error
/// @return the first error, with its place
[[nodiscard]] tl::expected<void, Problem> read_parameter_array(const std::function<std::string_view()>& next,
                                                               const std::function<bool(Parameter&&)>& sink);

}  // namespace gleaner::jdl
