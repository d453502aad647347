#include "sim/world/shrink.hpp"

#include <algorithm>

namespace gleaner::world {
namespace {

class Shrinking {
 public:
  Shrinking(const Settings& settings, const Verdict& verdict, const std::function<Verdict(const Settings&)>& run)
      : shrunk_{settings, verdict}, run_{run} {}

  Shrunk shrink() {
    constexpr double kHour = 3600;
    // Events after the fault had no part in it.
    auto earlier = shrunk_.settings;
    earlier.hours = std::min(earlier.hours, shrunk_.verdict.simulated_s / kHour);
    fails(earlier);
    for (bool is_smaller = true; is_smaller;) {
      is_smaller = without_each(&Settings::faults);
      is_smaller = without_each(&Settings::features) || is_smaller;
      is_smaller = fewer(&Settings::campaigns) || is_smaller;
      is_smaller = fewer(&Settings::clusters) || is_smaller;
    }
    return shrunk_;
  }

 private:
  /// Takes these settings if they fail too.
  bool fails(const Settings& settings) {
    ++shrunk_.runs;
    auto verdict = run_(settings);
    if (verdict.is_green()) return false;
    shrunk_.settings = settings;
    shrunk_.verdict = std::move(verdict);
    return true;
  }

  template <class Kind>
  bool without_each(std::set<Kind> Settings::*kinds) {
    bool is_smaller = false;
    const auto all = shrunk_.settings.*kinds;
    for (const auto kind : all) {
      auto smaller = shrunk_.settings;
      (smaller.*kinds).erase(kind);
      is_smaller = fails(smaller) || is_smaller;
    }
    return is_smaller;
  }

  bool fewer(int Settings::*number) {
    bool is_smaller = false;
    for (int step = shrunk_.settings.*number / 2; step > 0;) {
      auto smaller = shrunk_.settings;
      smaller.*number -= step;
      if (smaller.*number >= 1 && fails(smaller)) is_smaller = true;
      else step /= 2;
    }
    return is_smaller;
  }

  Shrunk shrunk_;
  const std::function<Verdict(const Settings&)>& run_;
};

}  // namespace

Shrunk shrink(const Settings& settings, const Verdict& verdict, const std::function<Verdict(const Settings&)>& run) {
  return Shrinking{settings, verdict, run}.shrink();
}

}  // namespace gleaner::world
