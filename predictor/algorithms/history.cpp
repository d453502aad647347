#include "predictor/algorithms/history.hpp"

#include <algorithm>

namespace gleaner::prediction {

bool is_kept(const std::optional<Kept>& last, grid::Instant submitted, grid::Instant now, grid::Instant end) {
  if (!last) return true;
  constexpr int kPart = 20;
  constexpr grid::Instant::duration kLeastAge = std::chrono::minutes{1};
  constexpr grid::Instant::duration kLeastMove{1};  // for times past the last forecast's end, when nothing remains
  const auto age = std::max(kLeastAge, (now - submitted) / kPart);
  const auto move = std::max(kLeastMove, (last->end - now) / kPart);
  return now - last->made >= age && std::chrono::abs(end - last->end) >= move;
}

}  // namespace gleaner::prediction
