#include "lib/process/failpoint.hpp"

#ifdef GLEANER_FAILPOINTS
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <optional>
#include <string>

#include <unistd.h>

#include "lib/process/values.hpp"
#include "lib/text/numbers.hpp"

namespace gleaner::process {
namespace {

struct Armed {
  std::string name;
  int passage = 1;
};

std::optional<Armed> read_armed() {
  const char* text = std::getenv("GLEANER_FAILPOINT");
  if (text == nullptr || *text == '\0') return std::nullopt;
  const std::string_view whole{text};
  const auto colon = whole.find(':');
  if (colon == std::string_view::npos) return Armed{std::string{whole}, 1};
  return Armed{std::string{whole.substr(0, colon)}, text::whole_number<int>(whole.substr(colon + 1)).value_or(1)};
}

}  // namespace

void failpoint(FailpointName name) {
  static const std::optional<Armed> armed = read_armed();
  static std::atomic<int> passages{0};
  if (!armed || armed->name != name.text()) return;
  if (++passages == armed->passage) ::kill(::getpid(), SIGKILL);
}

}  // namespace gleaner::process
#endif
