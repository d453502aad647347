#pragma once
#include <optional>
#include <string>
#include <vector>

#include "lib/jdl/sections.hpp"
#include "lib/jdl/tree.hpp"

/// The names of a parameter's words, and the expressions that use them. Not for use outside lib/jdl.
namespace gleaner::jdl {

/// An array of different names that expressions may use.
[[nodiscard]] std::vector<std::string> read_parameter_names(const Node& node, const std::string& path, Findings& findings);

/// What is wrong with an expression, whatever its task; nothing when it can be computed.
[[nodiscard]] std::optional<std::string> wrong_expression(const WrittenExpression& written, const std::vector<std::string>& parameter_names,
                                                          bool has_input);

}  // namespace gleaner::jdl
