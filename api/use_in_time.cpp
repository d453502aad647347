#include "api/use_in_time.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "api/limits.hpp"
#include "api/page.hpp"
#include "api/shared_answers.hpp"
#include "lib/store/clusters.hpp"
#include "lib/store/views_use.hpp"
#include "lib/text/utc.hpp"

namespace gleaner::api {
namespace {

namespace views = store::views;
using grid::Seconds;

constexpr Bounds kSteps{60, 24 * 3600};
constexpr std::int64_t kMostSlices = 1008;  // of ten minutes: a week
constexpr std::chrono::days kLongestSpan{8};
constexpr std::chrono::days kUsualSpan{1};
/// The most clusters of one page.
constexpr std::int64_t kMostClusters = 100;
/// Bytes of memory for one slice of one cluster.
constexpr std::uint64_t kMemoryOfSlice = 300;
/// A figure holds for so many times the longest time between two polls, and for a minute at least.
constexpr int kHeldPeriods = 3;
constexpr Seconds kLeastHeld{60};

struct UseReport {
  std::vector<store::Cluster> clusters;  ///< of the page
  std::vector<views::UseOfCluster> uses;
  std::int64_t total = 0;
};

/// The slices asked for; they begin at whole steps, so that those of the past stay the same.
Asked<views::Span> asked_slices(const Call& call) {
  const auto step = number(call, "step", 0, kSteps, ": seconds of a time slice");
  if (!step) return tl::unexpected{step.error()};
  const auto from = instant(call, "from");
  if (!from) return tl::unexpected{from.error()};
  const auto to = instant(call, "to");
  if (!to) return tl::unexpected{to.error()};
  const Seconds slice{*step};
  const grid::Instant end = to->value_or(std::chrono::ceil<Seconds>(call.now));
  const grid::Instant begin = from->value_or(end - kUsualSpan);
  if (begin >= end) return tl::unexpected{error(Code::bad_value, "from must be before to")};
  if (end - begin > kLongestSpan + slice)
    return tl::unexpected{error(Code::bad_value, fmt::format("from {} to {} is too long: with step, at most {} days are answered at once",
                                                             text::utc(begin), text::utc(end), kLongestSpan.count()))};
  const auto whole = std::chrono::floor<Seconds>(begin).time_since_epoch();
  const views::Span span{grid::Instant{whole - whole % slice}, end, slice};
  if ((span.to - span.from) > slice * kMostSlices)
    return tl::unexpected{error(
        Code::bad_value,
        fmt::format("step={}: from {} to {} has more than {} slices of it: a step of {} at least is needed", slice.count(),
                    text::utc(begin), text::utc(end), kMostSlices, std::chrono::ceil<Seconds>((end - begin) / (kMostSlices - 1)).count()))};
  return span;
}

std::int64_t slices_of(const views::Span& span) { return (span.to - span.from + span.slice - grid::Instant::duration{1}) / span.slice; }

Seconds held(const process::Config& config) {
  const auto period = std::chrono::ceil<Seconds>(std::max(config.cycle_period, config.idle_period));
  return std::max(kLeastHeld, kHeldPeriods * period);
}

UseReport read_use(const Call& call, const views::Span& span, views::Window part) {
  return call.connections.read([&](store::Transaction& transaction) {
    auto clusters = store::clusters(transaction);
    std::erase_if(clusters, [](const auto& cluster) { return cluster.retired_at.has_value(); });
    UseReport report;
    report.total = std::ssize(clusters);
    std::vector<grid::ClusterId> ids;
    for (const auto& cluster : page_of(clusters, part)) {
      report.clusters.push_back(cluster);
      ids.push_back(cluster.id);
    }
    report.uses = views::use(transaction, ids, span, held(call.config));
    return report;
  });
}

/// To a tenth.
void write_mean(text::JsonWriter& json, double mean) {
  constexpr double kTenth = 10;
  const auto tenths = std::llround(mean * kTenth);
  if (tenths % 10 == 0) json.value(std::int64_t{tenths / 10});
  else json.raw(fmt::format("{:.1f}", static_cast<double>(tenths) / kTenth));
}

/// One value for each slice; null where nothing is known.
template <class Write>
void write_series(text::JsonWriter& json, const views::UseOfCluster& use, std::int64_t slices, Write&& write) {
  json.begin_array();
  std::int64_t next = 0;
  for (const auto& slice : use.slices) {
    for (; next < slice.slice; ++next) json.null();
    write(slice);
    ++next;
  }
  for (; next < slices; ++next) json.null();
  json.end_array();
}

void write_figure(text::JsonWriter& json, const views::UseOfCluster& use, std::int64_t slices, views::Spread views::UseOfSlice::*figure) {
  json.object([&] {
    json.key("min");
    write_series(json, use, slices, [&](const auto& slice) { json.value((slice.*figure).least); });
    json.key("mean");
    write_series(json, use, slices, [&](const auto& slice) { write_mean(json, (slice.*figure).mean); });
    json.key("max");
    write_series(json, use, slices, [&](const auto& slice) { json.value((slice.*figure).most); });
  });
}

void write_use(text::JsonWriter& json, const store::Cluster& cluster, const views::UseOfCluster& use, std::int64_t slices) {
  constexpr std::array kFigures{
      std::pair{"max_resources", &views::UseOfSlice::max_resources}, std::pair{"used_resources", &views::UseOfSlice::used},
      std::pair{"used_besteffort", &views::UseOfSlice::used_besteffort}, std::pair{"used_by_grid", &views::UseOfSlice::ours},
      std::pair{"unavailable_resources", &views::UseOfSlice::unavailable}};
  json.field("cluster_id", cluster.id);
  json.field("cluster_name", cluster.name);
  json.key("known_seconds");
  write_series(json, use, slices, [&](const auto& slice) { json.value(std::int64_t{std::llround(slice.known_seconds)}); });
  for (const auto& [name, figure] : kFigures) {
    json.key(name);
    write_figure(json, use, slices, figure);
  }
  json.key("outages").array(use.outages, [&](const auto& outage) {
    json.object([&] {
      json.field("from", outage.from);
      json.field("to", outage.to);
    });
  });
}

Asked<std::string> written_use(const Call& call, const views::Span& span, views::Window part) {
  const auto slices = slices_of(span);
  auto memory = take_memory(call, static_cast<std::uint64_t>(part.limit * slices) * kMemoryOfSlice);
  if (!memory) return tl::unexpected{memory.error()};
  const auto report = read_use(call, span, part);
  text::JsonWriter json;
  json.object([&] {
    json.key("items").begin_array();
    for (std::size_t i = 0; i < report.clusters.size(); ++i)
      json.object([&] { write_use(json, report.clusters[i], report.uses[i], slices); });
    json.end_array();
    json.field("from", span.from);
    json.field("to", span.to);
    json.field("step", span.slice);
    json.field("slices", slices);
    write_page_end(json, call,
                   {.window = part,
                    .shown = std::ssize(report.clusters),
                    .total = report.total,
                    .parent = "/",
                    .fixed = {{"from", text::utc(span.from)}, {"to", text::utc(span.to)}}});
  });
  return json.text();
}

}  // namespace

http::Response show_use_in_time(const Call& call) {
  const auto span = asked_slices(call);
  if (!span) return span.error();
  auto part = window(call);
  if (!part) return part.error();
  part->limit = std::min(part->limit, kMostClusters);
  const auto make = [&] { return written_use(call, *span, *part); };
  // One that ends now is another one each second.
  if (!call.request.parameter("to")) {
    auto text = make();
    return text ? answer(200, std::move(*text)) : text.error();
  }
  const auto shared = call.uses_in_time.answer(href_with(call, {}), make);
  return shared ? answer(200, **shared) : shared.error();
}

}  // namespace gleaner::api
