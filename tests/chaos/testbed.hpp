#pragma once
#include <string>

namespace gleaner::tests {

/// The testbed that GLEANER_TEST_OAR names: breaks or repairs a part of one of its clusters, as tests/oar-testbed/fault has it
/// (server-kill, server-start, api-kill, api-start, mend). Throws when that fails.
void testbed_fault(const std::string& cluster, const std::string& what);

}  // namespace gleaner::tests
