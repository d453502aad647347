#pragma once
#include <set>
#include <span>
#include <string>
#include <tuple>

namespace gleaner::tests {

/// A kind (tasks, jobs …), the state before, the state after.
using Transitions = std::set<std::tuple<std::string, std::string, std::string>>;

/// Those that lib/grid/states.hpp draws.
[[nodiscard]] Transitions known_transitions();

/// Statements that make a database note each change of state of its campaigns, tasks, jobs and launches, except those that a test writes
/// by hand: those without parameters that begin with anything but WITH.
[[nodiscard]] std::string transitions_recorder();

/// The file where each test program adds what it saw, a line each: `tasks waiting launching`; null when nobody asks for it
/// (GLEANER_TEST_TRANSITIONS; tools/test does).
[[nodiscard]] const char* transitions_file();

/// Compares what databases with a recorder have noted with the tables of lib/grid/states.hpp, as expectations of the running test
/// program, and adds it to the file.
void expect_known_transitions(std::span<const std::string> conninfos);

}  // namespace gleaner::tests
