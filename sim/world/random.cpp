#include "sim/world/random.hpp"

#include <cmath>

#include "lib/text/digest.hpp"

namespace gleaner::world {

Random::Random(std::uint64_t seed, std::string_view subject) : state_{text::Digest{}.add(seed).add(subject).value()} {}

std::uint64_t Random::next() {
  state_ += 0x9E3779B97F4A7C15U;
  auto mixed = state_;
  mixed = (mixed ^ (mixed >> 30U)) * 0xBF58476D1CE4E5B9U;
  mixed = (mixed ^ (mixed >> 27U)) * 0x94D049BB133111EBU;
  return mixed ^ (mixed >> 31U);
}

std::int64_t Random::between(std::int64_t least, std::int64_t most) {
  return least + static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(most - least + 1));
}

double Random::exponential(double mean) { return -mean * std::log1p(-fraction()); }

}  // namespace gleaner::world
