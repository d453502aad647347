#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

#include "lib/process/exit_code.hpp"
#include "lib/process/standard_streams.hpp"
#include "sim/world/shrink.hpp"

namespace {

using namespace gleaner;

/// Throws when stdout cannot be written.
void print(const std::string& text) {
  if (const int error = process::write_to_stdout(text); error != 0)
    throw process::Error{process::ExitCode::not_written, fmt::format("stdout cannot be written: {}", std::strerror(error))};
}

int make_worlds(const world::Asked& asked) {
  bool all_held = true;
  for (std::uint64_t more = 0; more < asked.seeds; ++more) {
    auto settings = asked.settings;
    settings.seed += more;
    auto verdict = world::run(settings);
    print(fmt::format("seed {}: {}: {}", settings.seed, verdict.is_green() ? "green" : "RED", world::summary(verdict)));
    if (verdict.is_green()) continue;
    all_held = false;
    if (asked.shrink) {
      const auto shrunk = world::shrink(settings, verdict, world::run);
      settings = shrunk.settings;
      print(fmt::format("smaller, after {} runs: {}", shrunk.runs, world::summary(shrunk.verdict)));
    }
    print(fmt::format("again: {}\n", world::command_of(settings)));
  }
  return static_cast<int>(all_held ? process::ExitCode::ok : process::ExitCode::failure);
}

}  // namespace

int main(int argc, char** argv) {
  process::occupy_standard_streams();
  try {
    const auto asked = world::read_arguments({argv + std::min(argc, 1), argv + argc});
    if (!asked.help) return make_worlds(asked);
    print(world::help_text());
    return 0;
  } catch (const process::Error& error) {
    process::write_to_stderr(fmt::format("world: {}\n", error.what()));
    return static_cast<int>(error.code());
  } catch (const std::exception& error) {
    process::write_to_stderr(fmt::format("world: unexpected error: {}\n", error.what()));
    return static_cast<int>(process::ExitCode::failure);
  }
}
