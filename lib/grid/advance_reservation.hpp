#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/grid/time.hpp"

namespace gleaner::grid {

/// Resources that OAR keeps for a job of a local user from a time on (`oarsub -r`). They are free until then.
struct AdvanceReservation {
  Instant from{};
  Instant until{};
  int resources = 0;
  bool operator==(const AdvanceReservation&) const = default;
};

/// Those that are not over at `now`, the soonest first. Those of the same times are one, none has more than `most` resources, and after the
/// first 100 none counts.
[[nodiscard]] std::vector<AdvanceReservation> upcoming(const std::vector<AdvanceReservation>& reservations, Instant now, int most);

/// "1800000000-1800003600x12 …", in seconds since 1970; empty: there are none.
[[nodiscard]] std::string text_of(const std::vector<AdvanceReservation>& reservations);
/// Reads the format of text_of(); empty when the text does not have it.
[[nodiscard]] std::optional<std::vector<AdvanceReservation>> advance_reservations(std::string_view text);

/// Work that does not end within `after` seconds runs into reservations of so many resources at once.
struct Booking {
  double after = 0.0;
  int resources = 0;
  Instant from{};   ///< when the first of these reservations begins
  Instant until{};  ///< when the last one ends
};
/// The bookings by the reservations of a cluster, by `after`; their resources grow. The last one with a smaller `after` is that of a
/// walltime. Which resources a reservation will have is not known: those of reservations that do not overlap count as the same.
[[nodiscard]] std::vector<Booking> bookings_of(const std::vector<AdvanceReservation>& reservations, Instant now, int most);

}  // namespace gleaner::grid
