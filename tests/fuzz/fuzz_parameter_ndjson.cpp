#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "lib/jdl/parameter_stream.hpp"
#include "tests/fuzz/require.hpp"

using namespace gleaner;

namespace {

struct Reading {
  std::vector<jdl::Parameter> parameters;
  bool failed = false;
};

Reading read_in_pieces(std::string_view text, std::size_t piece) {
  Reading reading;
  jdl::ParameterStream stream{[&](jdl::Parameter&& parameter) { reading.parameters.push_back(std::move(parameter)); }};
  for (; !text.empty() && !reading.failed; text.remove_prefix(std::min(piece, text.size())))
    reading.failed = !stream.feed(text.substr(0, piece));
  if (!reading.failed) reading.failed = !stream.finish();
  return reading;
}

}  // namespace

/// A body means the same however the network cuts it, and what it means can be written again.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  const auto whole = read_in_pieces(text, std::max<std::size_t>(size, 1));
  const auto pieces = read_in_pieces(text, 3);
  REQUIRE(whole.failed == pieces.failed && whole.parameters == pieces.parameters);
  for (const auto& parameter : whole.parameters) {
    REQUIRE(jdl::check(parameter) && jdl::arguments_of(parameter));
    std::string line;
    jdl::append_ndjson(line, parameter);
    line.pop_back();
    REQUIRE(jdl::parse_ndjson(line) == parameter);
  }
  return 0;
}
