#include "lib/oar/pages.hpp"

#include <algorithm>

namespace gleaner::oar {

bool Paging::ask_for_less() {
  const bool possible = page_ > 2;
  page_ = std::max<std::size_t>(page_ / 2, 2);
  return possible;
}

Paging::Next Paging::take(std::span<const std::int64_t> ids, std::optional<std::size_t> total) {
  constexpr int kMostPages = 20'000;
  if (++pages_ > kMostPages) {
    return Next::lost;
  }
  if (ids.empty()) {
    return offset_ == 0 ? Next::finished : step_back();
  }
  const auto [first, last] = std::ranges::minmax(ids);
  if (offset_ > 0 && first > last_known_) {
    return step_back();
  }
  if (last <= last_known_ && (ids.size() == 1 || is_repeated(first, last))) {
    return Next::finished;
  }
  const std::size_t seen = offset_ + ids.size();
  if (ids.size() != page_ && seen >= total.value_or(0)) {
    return Next::finished;
  }
  last_known_ = std::max(last_known_, last);
  offset_ = seen - 1;
  return Next::more;
}

/// A server that does not know `offset` gives the same page for ever. One whose list grows at its beginning may give it a few times.
bool Paging::is_repeated(std::int64_t first, std::int64_t last) {
  constexpr int kPatience = 30;
  repeated_ = std::pair{first, last} == before_ ? repeated_ + 1 : 0;
  before_ = {first, last};
  return repeated_ > kPatience;
}

Paging::Next Paging::step_back() {
  constexpr int kPatience = 30;
  offset_ /= 2;
  return ++steps_back_ > kPatience ? Next::lost : Next::more;
}

}  // namespace gleaner::oar
