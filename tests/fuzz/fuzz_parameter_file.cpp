#include <cstdint>
#include <sstream>
#include <string>

#include "lib/jdl/parameter.hpp"
#include "lib/jdl/parameter_reader.hpp"
#include "tests/fuzz/require.hpp"

using namespace gleaner;

/// Every line of any file is a parameter, a problem or skipped, once and in order.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::istringstream input{std::string{reinterpret_cast<const char*>(data), size}};
  jdl::ParameterReader reader{input};
  std::size_t last = 0;
  while (true) {
    const auto next = reader.next();
    if (next && !*next) return 0;
    REQUIRE(reader.line() > last);
    last = reader.line();
    if (next) {
      REQUIRE((*next)->find('\n') == std::string_view::npos);
      std::string line;
      jdl::append_ndjson_line(line, **next);
      line.pop_back();
      REQUIRE(jdl::parse_ndjson(line) == jdl::Parameter{std::string{**next}});
    } else {
      REQUIRE(next.error().place.line == last && !next.error().message.empty());
    }
  }
}
