#include "tests/chaos/testbed.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "lib/process/child.hpp"

namespace gleaner::tests {
namespace {

std::string variable(const char* name, const std::string& otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : value;
}

}  // namespace

void testbed_fault(const std::string& cluster, const std::string& what) {
  constexpr process::Duration kPatience{240'000};
  const auto script = variable("GLEANER_SOURCE_DIR", ".") + "/tests/oar-testbed/fault";
  process::Command command{.arguments = {script, cluster, what}};
  command.environment = {{"OAR_TESTBED_STATE", std::filesystem::path{variable("GLEANER_TEST_OAR", "")}.parent_path().string()}};
  const auto ran = process::capture(command, kPatience);
  if (!ran || !ran->end.succeeded())
    throw std::runtime_error{fmt::format("{} {} {}: {}", script, cluster, what, ran ? ran->output : ran.error())};
}

}  // namespace gleaner::tests
