#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "lib/grid/states.hpp"
#include "tests/db/transitions.hpp"

/// The transitions that the databases of all tests of the tiers db, system and chaos recorded, together; tools/test runs it last.
namespace gleaner::tests {
namespace {

TEST(Transitions, EachOneThatIsDrawnWasSeen) {
  if (transitions_file() == nullptr)
    GTEST_SKIP() << "GLEANER_TEST_TRANSITIONS names no file: the tiers db, system and chaos do not run together";
  const auto drawn = known_transitions();
  Transitions seen;
  std::ifstream file{transitions_file()};
  for (std::string kind, before, after; file >> kind >> before >> after;) seen.emplace(kind, before, after);
  for (const auto& one : drawn)
    EXPECT_TRUE(seen.contains(one)) << std::get<0>(one) << ": " << std::get<1>(one) << " to " << std::get<2>(one);
}

}  // namespace
}  // namespace gleaner::tests
