#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/jdl/expression.hpp"
#include "lib/jdl/sections.hpp"
#include "lib/jdl/tree.hpp"

/// The names of a parameter's words, and the expressions that use them. For lib/jdl only.
namespace gleaner::jdl {

/// The name of the size of a task's input, in megabytes.
inline constexpr std::string_view kInput{"input_mb"};

/// The n of `p<n>`, from 1; 0: the name has another form.
[[nodiscard]] std::size_t word_number(std::string_view name);

/// Whether a word of the parameter, or a number that others give, may have this name.
[[nodiscard]] bool may_be_named(std::string_view name);

/// The names for the expressions of a campaign: p1, p2… (words of the parameter), its parameter_names, what others give to it, and input_mb
/// if it has input. The file must outlive them.
[[nodiscard]] Expression::Names expression_names(const CampaignFile& file, bool has_input);

/// The error of an expression that does not depend on the task; empty: the expression can be computed.
[[nodiscard]] std::optional<std::string> wrong_expression(const WrittenExpression& written, const CampaignFile& file, bool has_input);

}  // namespace gleaner::jdl
