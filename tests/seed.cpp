#include "tests/seed.hpp"

#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <ctime>
#include <string_view>
#include <system_error>

namespace gleaner::tests {
namespace {

constexpr std::uint64_t kUsual = 2009;

/// rapidcheck reads RC_PARAMS before its first property. The caller's settings in it stay as they are.
const bool kRapidcheckIsSeeded = ::setenv("RC_PARAMS", ("seed=" + std::to_string(seed_of_run())).c_str(), 0) == 0;

/// A run of tools/test on a slow machine leaves out what could begin too late only (--begin-within): an entry that begins after
/// GLEANER_TEST_BEGIN_UNTIL, in seconds since 1970, carries out no test, and says so.
[[maybe_unused]] const bool kIsInTime = [] {
  const char* const until = std::getenv("GLEANER_TEST_BEGIN_UNTIL");
  if (until == nullptr || std::time(nullptr) <= std::atoll(until)) return true;
  std::cout << "[ TOO LATE ] no test was carried out: this began after the time for tests to begin" << std::endl;
  ::_exit(EXIT_SUCCESS);
}();

}  // namespace

std::uint64_t seed_of_run() {
  const char* const given = std::getenv("GLEANER_TEST_SEED");
  if (given == nullptr) return kUsual;
  const std::string_view text{given};
  std::uint64_t seed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (error != std::errc{} || end != text.data() + text.size()) {
    std::cerr << "GLEANER_TEST_SEED: '" << text << "' is no seed: a whole number from 0 to 18446744073709551615\n";
    std::exit(EXIT_FAILURE);
  }
  return seed;
}

}  // namespace gleaner::tests
