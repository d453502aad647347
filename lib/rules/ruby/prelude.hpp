#pragma once
#include <mruby.h>

#include <cstddef>
#include <string>
#include <vector>

namespace gleaner::rules::ruby {

/// Defines the functions of rules (`refuse`, `warn`, `raise "…"`), and removes those that access files, sockets, programs and the terminal.
void prepare(mrb_state* mrb);

/// Whether the exception is a refusal: by `refuse`, or by `raise` with a message and no class, as in CiGri 3's rules.
[[nodiscard]] bool is_refusal(mrb_state* mrb, mrb_value exception);

/// Lines of `warn` that are kept of one rule.
inline constexpr std::size_t kMostNotes = 20;
[[nodiscard]] std::vector<std::string> notes(mrb_state* mrb);

}  // namespace gleaner::rules::ruby
