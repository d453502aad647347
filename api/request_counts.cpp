#include "api/request_counts.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gleaner::api {

void RequestCounts::note(Route route, unsigned status, std::chrono::duration<double> took) {
  const auto bucket = static_cast<std::size_t>(std::ranges::lower_bound(kBounds, took.count()) - kBounds.begin());
  const std::lock_guard lock{mutex_};
  ++requests_[{route, status}];
  auto& times = times_[route];
  times.seconds += took.count();
  ++times.buckets.at(bucket);
}

void RequestCounts::write(MetricsPage& page) const {
  const std::lock_guard lock{mutex_};
  page.family("gleaner_api_requests", MetricsPage::Type::counter,
              "Requests that gridapi answered since it started, by the pattern of their route.");
  for (const auto& [key, requests] : requests_) {
    const auto status = fmt::format("{}", key.second);
    page.sample({{"method", key.first.method}, {"route", key.first.pattern}, {"status", status}}, static_cast<double>(requests));
  }
  page.family("gleaner_api_request_duration_seconds", MetricsPage::Type::histogram,
              "Time until gridapi had the answer to a request, without the time to send it.");
  for (const auto& [route, times] : times_)
    page.histogram({{"method", route.method}, {"route", route.pattern}}, kBounds, times.buckets, times.seconds);
}

}  // namespace gleaner::api
