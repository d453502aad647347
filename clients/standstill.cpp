#include "clients/standstill.hpp"

#include <fmt/format.h>

#include "lib/terminal/times.hpp"

namespace gleaner::clients {

void report_standstill(const Json& since, terminal::Output& output, grid::Instant now) {
  const auto end = since.time();
  if (!end) return;
  output.report(
      fmt::format("WARNING: the grid stands still: no cycle has ended since {} ({}). Nothing is submitted, and what is shown is from then. "
                  "Its administrators see why with 'gridctl check'",
                  terminal::near_time(*end, now), terminal::ago(std::chrono::seconds{grid::to_unix(now) - *end})));
}

}  // namespace gleaner::clients
