#include "lib/grid/advance_reservation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

#include "lib/text/numbers.hpp"

namespace gleaner::grid {
namespace {

constexpr std::size_t kMostReservations = 100;
constexpr std::int64_t kLastSecond = 9'200'000'000'000;  // an Instant has no later one

std::optional<AdvanceReservation> reservation_of(std::string_view text) {
  const auto dash = text.find('-');
  const auto times = text.find('x');
  if (dash == text.npos || times == text.npos || times < dash) return std::nullopt;
  const auto from = text::whole_number<std::int64_t>(text.substr(0, dash), 0, kLastSecond);
  const auto until = text::whole_number<std::int64_t>(text.substr(dash + 1, times - dash - 1), 0, kLastSecond);
  const auto resources = text::whole_number<int>(text.substr(times + 1), 1);
  if (!from || !until || !resources) return std::nullopt;
  return AdvanceReservation{.from = from_unix(*from), .until = from_unix(*until), .resources = *resources};
}

}  // namespace

std::vector<AdvanceReservation> upcoming(const std::vector<AdvanceReservation>& reservations, Instant now, int most) {
  std::map<std::pair<Instant, Instant>, std::int64_t> by_time;
  for (const auto& one : reservations) {
    if (one.resources <= 0 || one.until <= now || one.until <= one.from) continue;
    auto& resources = by_time[{one.from, one.until}];
    resources = std::min<std::int64_t>(resources + one.resources, most);
  }
  std::vector<AdvanceReservation> found;
  for (const auto& [times, resources] : by_time) {
    if (resources <= 0 || found.size() == kMostReservations) break;
    found.push_back({.from = times.first, .until = times.second, .resources = static_cast<int>(resources)});
  }
  return found;
}

std::string text_of(const std::vector<AdvanceReservation>& reservations) {
  std::string text;
  for (const auto& one : reservations)
    text += fmt::format("{}{}-{}x{}", text.empty() ? "" : " ", to_unix(one.from), to_unix(one.until), one.resources);
  return text;
}

std::optional<std::vector<AdvanceReservation>> advance_reservations(std::string_view text) {
  std::vector<AdvanceReservation> found;
  while (!text.empty()) {
    const auto part = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    const auto one = reservation_of(part);
    if (!one) return std::nullopt;
    found.push_back(*one);
  }
  return found;
}

std::vector<Booking> bookings_of(const std::vector<AdvanceReservation>& reservations, Instant now, int most) {
  const auto coming = upcoming(reservations, now, most);
  std::vector<Booking> bookings;
  for (const auto& begun : coming) {
    std::int64_t at_once = 0;
    for (const auto& one : coming) at_once += one.from <= begun.from && begun.from < one.until ? one.resources : 0;
    const auto last = bookings.empty() ? Booking{.from = begun.from, .until = begun.until} : bookings.back();
    bookings.push_back({.after = std::max(0.0, std::chrono::duration<double>{begun.from - now}.count()),
                        .resources = std::max(last.resources, static_cast<int>(std::min<std::int64_t>(at_once, most))),
                        .from = last.from,
                        .until = std::max(last.until, begun.until)});
  }
  return bookings;
}

}  // namespace gleaner::grid
