#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "sim/gridsim/engine/what_if.hpp"

/// How gridapi and the program `what-if`, which plays a scenario for it, understand each other: the scenario comes on stdin, the answer
/// goes to stdout, and the arguments are the most runs and the most milliseconds.
namespace gleaner::what_if {

/// Milliseconds of the processor, or three times as many of the clock, after which a simulation stops: behind all others of a busy machine,
/// the program may get little of a processor. After two thirds of that, no further run begins.
inline constexpr int kMostMilliseconds = 3000;
inline constexpr double kClockPerProcessor = 3;
/// Bytes of addresses that the program may have.
inline constexpr std::size_t kMemory = std::size_t{512} << 20U;

struct Answer {
  gridsim::Prospects prospects;        ///< the campaigns have neither id, name nor user: they are in the order of the scenario
  std::optional<std::string> wrong{};  ///< why the scenario cannot be played; its prospects are empty then
};

[[nodiscard]] std::string text_of(const Answer& answer);
/// Error: the text is no whole answer.
[[nodiscard]] tl::expected<Answer, std::string> read_answer(std::string_view text);

}  // namespace gleaner::what_if
