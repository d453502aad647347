#pragma once
#include <optional>
#include <string>
#include <vector>

#include "lib/jdl/sections.hpp"
#include "lib/jdl/tree.hpp"

/// The names of a parameter's words, and the expressions that use them. For lib/jdl only.
namespace gleaner::jdl {

/// Reads an array of different names for use in expressions.
[[nodiscard]] std::vector<std::string> read_parameter_names(const Node& node, const std::string& path, Findings& findings);

/// The error of an expression that does not depend on the task; empty: the expression can be computed.
[[nodiscard]] std::optional<std::string> wrong_expression(const WrittenExpression& written, const std::vector<std::string>& parameter_names,
                                                          bool has_input);

}  // namespace gleaner::jdl
