#include "lib/grid/out_of_use.hpp"

#include <fmt/format.h>

namespace gleaner::grid {

std::string text_of(const OutOfUse& out) {
  std::string text;
  const auto add = [&](int resources, std::string_view state) {
    if (resources > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", resources, state);
  };
  add(out.suspected_resources, "suspected");
  add(out.absent_resources, "absent");
  add(out.dead_resources, "dead");
  return text;
}

}  // namespace gleaner::grid
