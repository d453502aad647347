#include "lib/grid/headroom.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lib/grid/dust.hpp"
#include "lib/text/numbers.hpp"

namespace gleaner::grid {
namespace {

constexpr std::string_view kAuto{"auto"};
constexpr int kMostHeadroom = 1'000'000;
constexpr double kMostPercent = 90;

int part_of(int max_resources, double part) { return static_cast<int>(std::floor(std::max(0, max_resources) * part + kDust)); }

}  // namespace

std::string Headroom::text() const {
  switch (kind) {
    case Kind::automatic: return std::string{kAuto};
    case Kind::percent: return fmt::format("{}%", amount);
    case Kind::resources: break;
  }
  return fmt::format("{}", amount);
}

std::optional<Headroom> headroom(std::string_view text) {
  if (text == kAuto) return Headroom{.kind = Headroom::Kind::automatic};
  if (text.ends_with('%')) {
    const auto percent = text::real_number(text.substr(0, text.size() - 1));
    if (!percent || *percent < 0 || *percent > kMostPercent) return std::nullopt;
    return Headroom{.kind = Headroom::Kind::percent, .amount = *percent};
  }
  const auto resources = text::whole_number<int>(text, 0, kMostHeadroom);
  if (!resources) return std::nullopt;
  return Headroom{.amount = static_cast<double>(*resources)};
}

int most_of_auto(int max_resources) { return part_of(max_resources, kMostOfAuto); }

int kept_resources(const Headroom& headroom, int learnt, int max_resources) {
  switch (headroom.kind) {
    case Headroom::Kind::automatic: return std::clamp(learnt, 0, most_of_auto(max_resources));
    case Headroom::Kind::percent: return part_of(max_resources, headroom.amount / 100);
    case Headroom::Kind::resources: break;
  }
  return std::clamp(static_cast<int>(headroom.amount), 0, std::max(0, max_resources - 1));
}

}  // namespace gleaner::grid
