#include "tests/model/search.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <limits>
#include <unordered_map>

#include <fmt/format.h>

namespace gleaner::model {
namespace {

using Index = std::uint32_t;
constexpr Index kRoot = std::numeric_limits<Index>::max();

class Search {
 public:
  Search(const Rules& rules, const Bounds& bounds, std::size_t most) : rules_{rules}, bounds_{bounds}, most_{most} {}

  Found run() {
    add(beginning(bounds_), kRoot, "the beginning");
    for (Index i = 0; i < states_.size() && found_.broken.empty(); ++i) {
      if (states_.size() > most_) {
        found_.complete = false;
        break;
      }
      expand(i);
    }
    found_.states = states_.size();
    if (found_.broken.empty() && found_.complete) find_dead_ends();
    return std::move(found_);
  }

 private:
  void expand(Index from) {
    const State state = states_[from];
    const Emit emit = [&](const State& reached, std::string_view what) {
      ++found_.steps;
      if (!found_.broken.empty()) return;
      auto next = reached;
      next.forget();
      edges_.emplace_back(add(next, from, what), from);
    };
    grid_steps(state, rules_, bounds_, emit);
    world_steps(state, bounds_, emit);
  }

  Index add(const State& state, Index from, std::string_view what) {
    const auto [place, is_new] = index_.try_emplace(state.bytes(), static_cast<Index>(states_.size()));
    if (!is_new) return place->second;
    states_.push_back(state);
    come_from_.push_back({from, what});
    const auto law = broken_law(state);
    if (!law.empty() && found_.broken.empty()) record_path(place->second, law);
    return place->second;
  }

  void record_path(Index to, std::string_view law) {
    found_.broken = law;
    for (Index i = to; i != kRoot; i = come_from_[i].from)
      found_.path.push_back(fmt::format("{} => {}", come_from_[i].what, states_[i].describe()));
    std::ranges::reverse(found_.path);
  }

  /// Backwards from all ends: what is not reached can never end.
  void find_dead_ends() {
    std::ranges::sort(edges_);
    std::vector<bool> ends(states_.size());
    std::deque<Index> open;
    for (Index i = 0; i < states_.size(); ++i) {
      if (!is_over(states_[i], bounds_)) continue;
      ends[i] = true;
      open.push_back(i);
    }
    while (!open.empty()) {
      const auto to = open.front();
      open.pop_front();
      for (auto edge = std::ranges::lower_bound(edges_, std::pair{to, Index{0}}); edge != edges_.end() && edge->first == to; ++edge) {
        if (ends[edge->second]) continue;
        ends[edge->second] = true;
        open.push_back(edge->second);
      }
    }
    const auto stuck = std::ranges::find(ends, false);
    if (stuck != ends.end()) record_path(static_cast<Index>(stuck - ends.begin()), "a task can never be over");
  }

  struct Origin {
    Index from;
    std::string_view what;
  };
  const Rules& rules_;
  const Bounds& bounds_;
  std::size_t most_;
  std::vector<State> states_;
  std::vector<Origin> come_from_;
  std::unordered_map<std::string, Index> index_;
  std::vector<std::pair<Index, Index>> edges_;  ///< to, from
  Found found_;
};

}  // namespace

Found search(const Rules& rules, const Bounds& bounds, std::size_t most_states) { return Search{rules, bounds, most_states}.run(); }

}  // namespace gleaner::model
