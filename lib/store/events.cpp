#include "lib/store/events.hpp"

#include "lib/store/detail.hpp"

namespace gleaner::store {
namespace {

using detail::exec;
using detail::micros;

template <class Id>
std::optional<std::int64_t> value(const std::optional<Id>& id) {
  return id ? std::optional{id->value()} : std::nullopt;
}

}  // namespace

void open_event(Transaction& transaction, const Event& event, grid::Instant now) {
  exec(transaction, sql::events_open, std::string{event.code}, value(event.target.campaign), value(event.target.cluster), value(event.job),
       event.message, micros(now), event.occurrences);
}

bool close_event(Transaction& transaction, std::string_view code, const Target& target, grid::Instant now) {
  return !exec(transaction, sql::events_close, std::string{code}, value(target.campaign), value(target.cluster), micros(now)).empty();
}

std::optional<grid::Instant> set_brake(Transaction& transaction, const Target& target, std::string_view reason, BrakeLength length,
                                       grid::Instant now) {
  const auto rows = exec(transaction, sql::brakes_set, value(target.campaign), value(target.cluster), std::string{reason}, micros(now),
                         static_cast<double>(length.first.count()), static_cast<double>(length.most.count()));
  if (rows.empty()) return std::nullopt;
  return detail::get_instant(rows[0][0]);
}

void clear_brake(Transaction& transaction, const Target& target) {
  exec(transaction, sql::brakes_clear, value(target.campaign), value(target.cluster));
}

}  // namespace gleaner::store
