// Plays a scenario for gridapi, in a process that may neither take long nor grow: gridapi starts it, writes the scenario to its stdin, and
// reads the answer from its stdout. Its arguments are the most runs and the most milliseconds. It has no configuration.
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <exception>
#include <iostream>
#include <iterator>
#include <new>
#include <string>

#include "api/what_if/played.hpp"
#include "lib/grid/clock.hpp"
#include "lib/text/numbers.hpp"
#include "sim/gridsim/engine/scenario_file.hpp"

namespace {

using namespace gleaner;

#ifdef __SANITIZE_ADDRESS__  // which reserves terabytes of addresses, and opens files for its reports
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif
constexpr int kLeastPriority = 19;
constexpr rlim_t kSecondsMore = 5;  // of the processor: the simulation stops by itself before
constexpr rlim_t kDescriptors = 3;  // stdin, stdout, stderr
constexpr int kRuns = 20;
constexpr int kLeastRuns = 9;

void set_limit(__rlimit_resource what, rlim_t value) {
  const rlimit limit{value, value};
  ::setrlimit(what, &limit);
}

/// The other programs of the machine go first, and none waits for this one.
void confine(int milliseconds) {
  ::setpriority(PRIO_PROCESS, 0, kLeastPriority);
  set_limit(RLIMIT_CORE, 0);
  set_limit(RLIMIT_CPU, static_cast<rlim_t>(milliseconds) / 1000 + kSecondsMore);
  if (kSanitized) return;
  set_limit(RLIMIT_NOFILE, kDescriptors);
  set_limit(RLIMIT_AS, what_if::kMemory);
}

/// The seconds that count: those of the processor, or, where it gets little of one, a third of the clock's.
double spent_seconds() {
  static const auto begin = grid::SteadyClock::now();
  const std::chrono::duration<double> passed = grid::SteadyClock::now() - begin;
  return std::max(static_cast<double>(std::clock()) / CLOCKS_PER_SEC, passed.count() / what_if::kClockPerProcessor);
}

what_if::Answer play(const std::string& text, int runs, int milliseconds) {
  what_if::Answer answer;
  if (const auto scenario = gridsim::read_scenario(text, "."); !scenario) {
    answer.wrong = scenario.error().front().message;
    return answer;
  }
  gridsim::Effort effort{
      .most_runs = runs, .least_runs = std::min(kLeastRuns, runs), .seconds = milliseconds * 2e-3 / 3, .most_seconds = milliseconds * 1e-3};
  effort.clock = spent_seconds;
  auto prospects = gridsim::what_if(text, effort);
  if (prospects) answer.prospects = std::move(*prospects);
  else answer.wrong = prospects.error();
  return answer;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    static_cast<void>(spent_seconds());  // the clock begins
    const auto runs = argc > 1 ? text::whole_number<int>(argv[1], 1).value_or(kRuns) : kRuns;
    const auto milliseconds =
        argc > 2 ? text::whole_number<int>(argv[2], 1).value_or(what_if::kMostMilliseconds) : what_if::kMostMilliseconds;
    confine(milliseconds);
    const std::string scenario{std::istreambuf_iterator<char>{std::cin}, {}};
    std::cout << what_if::text_of(play(scenario, std::min(runs, kRuns), milliseconds)) << std::flush;
    return std::cout ? 0 : 2;
  } catch (const std::bad_alloc&) {
    std::fputs("what-if: no memory is left\n", stderr);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "what-if: %s\n", error.what());
  }
  return 2;
}
