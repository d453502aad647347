#include <cstdint>
#include <string>
#include <string_view>

#include "lib/grid/resource_request.hpp"
#include "lib/grid/walltime.hpp"
#include "lib/text/suggest.hpp"
#include "lib/text/words.hpp"
#include "tests/fuzz/require.hpp"

using namespace gleaner;

namespace {

void check_words(std::string_view text) {
  const auto words = text::split_words(text);
  if (!words) {
    REQUIRE(words.error().position < text.size());
    return;
  }
  std::string line;
  for (const auto& word : *words) line += text::quote(word) + " ";
  REQUIRE(text::split_words(line) == *words);
}

void check_walltime(std::string_view text) {
  const auto walltime = grid::parse_walltime(text);
  if (walltime) REQUIRE(walltime->count() > 0 && grid::parse_walltime(grid::format_walltime(*walltime)) == walltime);
}

void check_request(std::string_view text) {
  const auto request = grid::ResourceRequest::parse(text);
  if (!request) {
    REQUIRE(!request.error().empty());
    return;
  }
  REQUIRE(!request->levels().empty());
  REQUIRE(!request->resources() || *request->resources() > 0);
  const auto again = grid::ResourceRequest::parse(request->text());
  REQUIRE(again && again->text() == request->text() && again->resources() == request->resources());
}

}  // namespace

/// The small languages of the domain: words, walltimes, resource requests.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  check_words(text);
  check_walltime(text);
  check_request(text);
  constexpr std::string_view kKnown[] = {"walltime", "resources", "a", ""};
  (void)text::did_you_mean(text.substr(0, 64), kKnown);
  return 0;
}
