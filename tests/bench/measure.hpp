#pragma once
#include <functional>
#include <string>
#include <vector>

#include "tests/system/grid_under_test.hpp"

namespace gleaner::tests {

/// A grid with the configuration that users have when they say nothing, but for names of files.
[[nodiscard]] GridUnderTest::Wish default_configuration(GridUnderTest::Backend backend);

/// Wall time of the work, in seconds.
[[nodiscard]] double seconds_of(const std::function<void()>& work);
/// The median of so many runs.
[[nodiscard]] double median_seconds(int runs, const std::function<void()>& work);

/// The quickest of so many runs: what the machine does besides is left out.
[[nodiscard]] double least_seconds(int runs, const std::function<void()>& work);

/// The same, and up to twice so many runs more while the quickest one is above the limit.
[[nodiscard]] double least_seconds_within(double limit, int runs, const std::function<void()>& work);

/// psql on the grid's own database; its failure is the test's.
void psql(const GridUnderTest& grid, const std::string& command);

/// The most memory that a process had at once until now, in MB.
[[nodiscard]] double peak_megabytes(pid_t pid);
/// Processor time of a process and of the children that it has waited for, in seconds.
[[nodiscard]] double processor_seconds(pid_t pid);
/// The same of every process whose parent is that one, PostgreSQL's backends for instance.
[[nodiscard]] double processor_seconds_of_children(pid_t pid);

[[nodiscard]] pid_t parent_of(pid_t pid);

/// A line of the report, on stdout, which docs/measured.md quotes.
void report(const std::string& what, const std::string& figures);

}  // namespace gleaner::tests
