#include "sim/world/faults.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gleaner::world {
namespace {

/// How probable a fault is at each place where it may happen.
double probability_of(Fault fault) {
  switch (fault) {
    case Fault::lost:
    case Fault::unsent:
    case Fault::error:
    case Fault::truncated: return 0.01;
    case Fault::doubled: return 0.005;
    case Fault::late: return 0.02;
    case Fault::death: return 0.0007;
    case Fault::commit_lost: return 0.0007;

    default: return 0;
  }
}

/// The mean time from the end of an outage to the next one, and the longest one, in seconds.
struct Rhythm {
  double between;
  std::int64_t longest;
};
Rhythm rhythm_of(Fault fault) {
  constexpr double kHour = 3600;
  switch (fault) {
    case Fault::refused: return {1.5 * kHour, 900};
    case Fault::away: return {3 * kHour, 120};
    case Fault::server_death: return {4 * kHour, 600};
    case Fault::login_ends:
    case Fault::unreadable:
    case Fault::sink:
    case Fault::too_large:
    case Fault::wrong_total: return {1.5 * kHour, 900};
    default: return {kHour, 1200};  // local jobs
  }
}

std::chrono::microseconds microseconds_of(double seconds) { return std::chrono::microseconds{static_cast<std::int64_t>(seconds * 1e6)}; }

}  // namespace

Faults::Faults(const Settings& settings, const VirtualClock& clock)
    : settings_{settings}, clock_{clock}, end_{VirtualClock::begin() + microseconds_of(settings.hours * 3600)} {
  for (const auto name : kFaultNames) random_.emplace_back(settings.seed, name);
}

bool Faults::happens(Fault fault) {
  if (!settings_.faults.contains(fault) || are_over()) return false;
  if (!random(fault).chance(probability_of(fault))) return false;
  count(fault);
  return true;
}

std::vector<Outage> Faults::draw(Fault fault, const std::string& subject) const {
  std::vector<Outage> drawn;
  if (!settings_.faults.contains(fault)) return drawn;
  Random random{settings_.seed, fmt::format("{} {}", name_of(fault), subject)};
  const auto rhythm = rhythm_of(fault);
  auto begin = VirtualClock::begin();
  while (true) {
    begin += microseconds_of(random.exponential(rhythm.between));
    const auto end = begin + std::chrono::seconds{random.between(5, rhythm.longest)};
    if (begin >= end_) return drawn;
    drawn.push_back({begin, std::min(end, end_)});
    begin = end;
  }
}

const std::vector<Outage>& Faults::outages(Fault fault, const std::string& subject) {
  const auto known = outages_.find({fault, subject});
  if (known != outages_.end()) return known->second;
  auto drawn = draw(fault, subject);
  for (std::size_t place = 0; place < drawn.size(); ++place) count(fault);
  return outages_.emplace(std::pair{fault, subject}, std::move(drawn)).first->second;
}

bool Faults::is_away(Fault fault, const std::string& subject) {
  return std::ranges::any_of(outages(fault, subject),
                             [&](const Outage& outage) { return outage.begin <= clock_.now() && clock_.now() < outage.end; });
}

bool Faults::has_begun(Fault fault, const std::string& subject, std::chrono::seconds ago) {
  const auto& all = outages(fault, subject);
  return !all.empty() && all.front().begin + ago <= clock_.now();
}

std::string Faults::counts() const {
  std::string text;
  for (std::size_t place = 0; place < counts_.size(); ++place) {
    if (counts_.at(place) > 0) text += fmt::format("{}{}={}", text.empty() ? "" : " ", kFaultNames.at(place), counts_.at(place));
  }
  return text.empty() ? "none" : text;
}

}  // namespace gleaner::world
