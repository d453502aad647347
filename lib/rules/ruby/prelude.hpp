#pragma once
#include <mruby.h>

#include <cstddef>
#include <string>
#include <vector>

namespace gleaner::rules::ruby {

/// Gives the interpreter what the rules see besides their values (`refuse`, `warn`, `raise "…"`), and
/// takes from it what reaches out of it: files, sockets, programs, the terminal.
void prepare(mrb_state* mrb);

/// Whether the exception is a refusal: of `refuse`, or of `raise` with a message and no class, which is
/// how CiGri 3's rules refuse.
[[nodiscard]] bool is_refusal(mrb_state* mrb, mrb_value exception);

/// What the rule said by `warn`, at most so many lines of it.
inline constexpr std::size_t kMostNotes = 20;
[[nodiscard]] std::vector<std::string> notes(mrb_state* mrb);

}  // namespace gleaner::rules::ruby
