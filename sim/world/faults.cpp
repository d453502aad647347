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
    case Fault::away: return {1.5 * kHour, 120};
    case Fault::standstill:
    case Fault::stopped:
    case Fault::partitioned: return {kHour, 1200};
    case Fault::server_death: return {2 * kHour, 1800};  // longer than remote_waiting_timeout
    case Fault::unreadable: return {1.5 * kHour, 2 * 3600};
    case Fault::clocks: return {kHour, 3600};
    case Fault::login_ends:
    case Fault::sink: return {kHour, 900};
    case Fault::too_large:
    case Fault::wrong_total: return {0.75 * kHour, 900};  // they stay
    default: return {kHour, 1200};                        // local jobs
  }
}

std::chrono::microseconds microseconds_of(double seconds) { return std::chrono::microseconds{static_cast<std::int64_t>(seconds * 1e6)}; }

}  // namespace

Faults::Faults(const Settings& settings, const VirtualClock& clock)
    : settings_{settings}, clock_{clock}, end_{VirtualClock::begin() + microseconds_of(settings.hours * 3600)} {
  for (const auto name : kFaultNames) random_.emplace_back(settings.seed, name);
}

double Faults::rate_of(Fault fault) const {
  constexpr double kOften = 10;
  // The clusters' own users are none.
  return (fault == Fault::local_jobs ? 1 : settings_.rate) * (settings_.often.contains(fault) ? kOften : 1);
}

bool Faults::happens(Fault fault) {
  if (!settings_.faults.contains(fault) || are_over()) return false;
  if (!random(fault).chance(probability_of(fault) * rate_of(fault))) return false;
  count(fault);
  return true;
}

bool Faults::kills(const std::string& program) {
  constexpr double kBefore = 0.5;  // of the disturbed time
  constexpr std::int64_t kMostPassages = 12;
  if (!settings_.faults.contains(Fault::death) || are_over()) return false;
  auto known = appointments_.find(program);
  if (known == appointments_.end()) {
    Random random{settings_.seed, "death of " + program};
    const double share = random.fraction() * kBefore / std::max(1.0, rate_of(Fault::death));
    const auto from = VirtualClock::begin() + microseconds_of(share * settings_.hours * 3600);
    const auto passages = random.between(0, kMostPassages);
    known = appointments_.emplace(program, Appointment{from, rate_of(Fault::death) < 1 ? -1 : passages}).first;
  }
  auto& appointment = known->second;
  const bool is_due = appointment.passages >= 0 && clock_.now() >= appointment.from && appointment.passages-- == 0;
  const bool dies = happens(Fault::death);
  if (is_due && !dies) count(Fault::death);
  if (is_due || dies) ++happened_["death of " + program];
  return is_due || dies;
}

void Faults::count(Fault fault) {
  ++happened_[std::string{name_of(fault)}];
  unhealed_[fault] = clock_.now();
}

void Faults::heal() {
  for (const auto& [fault, at] : unhealed_) {
    if (clock_.now() - at > worst_.time) worst_ = {clock_.now() - at, std::string{name_of(fault)}};
  }
  unhealed_.clear();
}

void Faults::count_clock(std::string_view whose) {
  count(Fault::clocks);
  ++happened_[fmt::format("clock of {}", whose)];
}

std::vector<Outage> Faults::draw(Fault fault, const std::string& subject) const {
  std::vector<Outage> drawn;
  if (!settings_.faults.contains(fault)) return drawn;
  Random random{settings_.seed, fmt::format("{} {}", name_of(fault), subject)};
  const auto rhythm = rhythm_of(fault);
  auto begin = VirtualClock::begin();
  while (true) {
    begin += microseconds_of(random.exponential(rhythm.between / rate_of(fault)));
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
  return outages_.emplace(std::pair{fault, subject}, std::move(drawn)).first->second;
}

std::optional<grid::Instant> Faults::end_of_outage(Fault fault, const std::string& subject) {
  for (const auto& outage : outages(fault, subject)) {
    if (outage.begin <= clock_.now() && clock_.now() < outage.end) return outage.end;
  }
  return std::nullopt;
}

bool Faults::is_away(Fault fault, const std::string& subject) { return end_of_outage(fault, subject).has_value(); }

bool Faults::has_begun(Fault fault, const std::string& subject, std::chrono::seconds ago) {
  const auto& all = outages(fault, subject);
  return !all.empty() && all.front().begin + ago <= clock_.now();
}

}  // namespace gleaner::world
