#include <fmt/format.h>

#include <cstring>
#include <thread>

#include "lib/process/run.hpp"
#include "lib/process/standard_streams.hpp"
#include "lib/process/values.hpp"
#include "lib/text/numbers.hpp"
#include "sim/gridlocal/local_grid.hpp"

namespace {

using namespace gleaner;
using gridlocal::Place;
using process::Error;
using process::ExitCode;

int number(const process::Arguments& arguments, std::string_view option, int fallback, int most) {
  const auto given = arguments.value(option);
  if (!given) return fallback;
  const auto read = text::whole_number(*given, 1, most);
  if (!read) throw Error{ExitCode::usage, fmt::format("--{}={}: must be a number from 1 to {}", option, *given, most)};
  return *read;
}

gridlocal::Options read_options(const process::Arguments& arguments) {
  const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  gridlocal::Options options{{number(arguments, "clusters", 2, gridlocal::kMostClusters), number(arguments, "cores", cores, 1024)}};
  if (const auto file = arguments.value("oar")) options.clusters_file = std::filesystem::absolute(*file);
  return options;
}

void print(const std::string& text) {
  const int error = process::write_to_stdout(text);
  if (error != 0) throw Error{ExitCode::not_written, fmt::format("stdout cannot be written: {}", std::strerror(error))};
}
void report(const std::string& text) { process::write_to_stderr(fmt::format("gridlocal: {}\n", text)); }

process::Outcome act(const process::Context& context) {
  const auto& arguments = context.arguments;
  if (arguments.positional.size() != 1) throw Error{ExitCode::usage, "one of up, down, status, env is needed (see --help)"};
  const auto& what = arguments.positional.front();
  const auto state = arguments.value("state");
  const Place place{state ? std::filesystem::absolute(process::expand_home(*state)).lexically_normal() : gridlocal::default_place()};
  if (what == "up") {
    report(gridlocal::up(place, read_options(arguments)));
  } else if (what == "down") {
    report(gridlocal::down(place, arguments.has("keep") ? gridlocal::Leftovers::keep : gridlocal::Leftovers::remove));
  } else if (what == "status") {
    const auto status = gridlocal::status(place);
    print(status.text);
    return status.all_running ? ExitCode::ok : ExitCode::not_found;
  } else if (what == "env") {
    print(gridlocal::environment(place));
  } else {
    throw Error{ExitCode::usage, fmt::format("'{}' is not one of up, down, status, env", what)};
  }
  return ExitCode::ok;
}

}  // namespace

int main(int argc, char** argv) {
  const process::Program program{
      .name = "gridlocal",
      .purpose = "A whole grid on this machine: a private PostgreSQL, clusters, the API, almighty.",
      .keys = {},
      .options = {{"state", "DIRECTORY", "where it lives (default: below ~/.local/state; for root, below /var/lib)"},
                  {"clusters", "N", "up: how many minioar clusters (2)"},
                  {"cores", "C", "up: cores of each (those of this machine)"},
                  {"oar", "FILE", "up: the clusters of this JSON file (tests/oar-testbed/up writes one) instead of minioar"},
                  {"keep", "", "down: keep the files; the next up goes on with them"}},
      .positional = "up|down|status|env",
      .notes = "`eval \"$(gridlocal env)\"` makes the grid's programs and configuration the shell's.",
      .configuration = process::Program::Configuration::ignored};
  return process::run(program, argc, argv, act);
}
