#include "api/metrics_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

namespace gleaner::api {
namespace {

using Type = MetricsPage::Type;

std::string_view name_of(Type type) {
  switch (type) {
    case Type::counter: return "counter";
    case Type::histogram: return "histogram";
    default: return "gauge";
  }
}

std::string escaped(std::string_view text) {
  std::string result;
  for (const char letter : text) {
    if (letter == '\n') result += "\\n";
    else if (letter == '\\' || letter == '"') (result += '\\') += letter;
    else result += letter;
  }
  return result;
}

/// Whole numbers without an exponent, so that people can read them.
std::string written(double value) {
  constexpr double kMostExact = 9007199254740992.0;
  if (std::isfinite(value) && std::trunc(value) == value && std::abs(value) < kMostExact) return fmt::format("{:.0f}", value);
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  return fmt::format("{}", value);
}

std::string bound(double value) { return std::trunc(value) == value ? fmt::format("{:.1f}", value) : fmt::format("{}", value); }

std::string_view unit_of(std::string_view name) {
  for (const std::string_view unit : {"seconds", "bytes"}) {
    if (name.size() > unit.size() && name.ends_with(unit) && name[name.size() - unit.size() - 1] == '_') return unit;
  }
  return {};
}

}  // namespace

MetricsPage::Format MetricsPage::preferred(std::optional<std::string_view> accept) {
  return accept && accept->find("application/openmetrics-text") != std::string_view::npos ? Format::open_metrics : Format::prometheus;
}

std::string_view MetricsPage::content_type(Format format) {
  return format == Format::open_metrics ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
                                        : "text/plain; version=0.0.4; charset=utf-8";
}

void MetricsPage::family(std::string_view name, Type type, std::string_view help) {
  family_ = name;
  type_ = type;
  const bool has_suffix = type == Type::counter && format_ == Format::prometheus;
  const auto named = has_suffix ? family_ + "_total" : family_;
  const auto unit = unit_of(name);
  fmt::format_to(std::back_inserter(text_), "# HELP {} {}\n# TYPE {} {}\n", named, escaped(help), named, name_of(type));
  if (!unit.empty() && format_ == Format::open_metrics) fmt::format_to(std::back_inserter(text_), "# UNIT {} {}\n", named, unit);
}

void MetricsPage::line(std::string_view suffix, const Labels& labels, std::string_view value) {
  (text_ += family_) += suffix;
  char separator = '{';
  for (const auto& [name, label] : labels) {
    fmt::format_to(std::back_inserter(text_), "{}{}=\"{}\"", separator, name, escaped(label));
    separator = ',';
  }
  if (!labels.empty()) text_ += '}';
  ((text_ += ' ') += value) += '\n';
}

void MetricsPage::sample(const Labels& labels, double value) { line(type_ == Type::counter ? "_total" : "", labels, written(value)); }

void MetricsPage::histogram(const Labels& labels, std::span<const double> bounds, std::span<const std::int64_t> buckets, double sum) {
  std::int64_t count = 0;
  auto bucket_labels = labels;
  bucket_labels.emplace_back("le", "");
  for (std::size_t place = 0; place <= bounds.size(); ++place) {
    count += place < buckets.size() ? buckets[place] : 0;
    const auto le = place < bounds.size() ? bound(bounds[place]) : std::string{"+Inf"};
    bucket_labels.back().second = le;
    line("_bucket", bucket_labels, fmt::format("{}", count));
  }
  line("_count", labels, fmt::format("{}", count));
  line("_sum", labels, written(sum));
}

std::string MetricsPage::text() const { return format_ == Format::open_metrics ? text_ + "# EOF\n" : text_; }

}  // namespace gleaner::api
