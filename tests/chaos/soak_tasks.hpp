#pragma once
#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace gleaner::tests::soak {

/// The required end of a task, whatever happens to its jobs, its clusters and the grid.
enum class Expected {
  done,     ///< done, carried out once
  failed,   ///< failed, carried out once
  expired,  ///< failed: its walltime is the only thing that ends it
  any       ///< over, and no attempt carried out twice: a signal that its program sends itself looks like one of somebody else's
};

/// One way for a program to behave badly. Its script notes each execution by `note`, as its last act before it ends.
struct Behaviour {
  std::string_view name;
  std::string_view script;  ///< of bash; $n: the task's number, $k: how many tasks of this kind came before it
  Expected expected;
};

/// The kinds of a campaign, of which the tasks have one after the other.
constexpr std::size_t kKinds = 16;
extern const std::array<Behaviour, kKinds> kBehaviours;

/// The behaviour of a task, by its number: the script tests the result of `$k`.
[[nodiscard]] const Behaviour& behaviour_of(std::int64_t task);
[[nodiscard]] Expected expected_of(std::int64_t task);

/// Writes the program of all the tasks, which appends "task attempt" to `results`/CAMPAIGN; its command.
[[nodiscard]] std::string write_program(const std::filesystem::path& results);

/// The same for users who spoil their own home: their tasks may run twice, or fail; nobody else's.
[[nodiscard]] std::string removes_our_files(const std::filesystem::path& results);
[[nodiscard]] std::string fills_its_home(const std::filesystem::path& results);

}  // namespace gleaner::tests::soak
