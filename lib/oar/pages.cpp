#include "lib/oar/pages.hpp"

#include <algorithm>

namespace gleaner::oar {

bool Paging::ask_for_less() {
  const bool possible = page_ > 2;
  page_ = std::max<std::size_t>(page_ / 2, 2);
  return possible;
}

Paging::Next Paging::take(std::span<const std::int64_t> ids, std::optional<std::size_t> total) {
  if (ids.empty()) {
    return take_empty(total);
  }
  const auto [first, last] = std::ranges::minmax(ids);
  if (offset_ == 0) {
    first_known_ = first;
  } else if (first > last_known_) {
    return step_back();
  } else if (first <= first_known_) {
    return without_progress();  // the first page again: the server does not know `offset`
  }
  const std::size_t seen = offset_ + ids.size();
  if (total ? seen >= *total : ids.size() < page_) {
    return Next::finished;
  }
  const bool progress = last > last_known_;
  last_known_ = std::max(last_known_, last);
  offset_ = seen - 1;
  return progress ? Next::more : without_progress();
}

Paging::Next Paging::take_empty(std::optional<std::size_t> total) {
  if (offset_ > 0) {
    return step_back();
  }
  return total.value_or(0) == 0 ? Next::finished : without_progress();
}

Paging::Next Paging::step_back() {
  offset_ /= 2;
  return without_progress();
}

Paging::Next Paging::without_progress() {
  constexpr int kPatience = 30;
  return ++wasted_ > kPatience ? Next::lost : Next::more;
}

}  // namespace gleaner::oar
