#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gleaner::api {

/// A page of metrics, in OpenMetrics' text or in Prometheus' text format.
class MetricsPage {
 public:
  enum class Format { open_metrics, prometheus };
  enum class Type { gauge, counter, histogram };
  using Labels = std::vector<std::pair<std::string_view, std::string_view>>;

  /// The format that the header Accept prefers: OpenMetrics where it names it, which no browser does.
  [[nodiscard]] static Format preferred(std::optional<std::string_view> accept);
  [[nodiscard]] static std::string_view content_type(Format format);

  explicit MetricsPage(Format format) : format_{format} {}

  /// Begins a family; its samples follow. `name`: without `_total`. Its unit is its last word, if that is one of Prometheus' base units.
  void family(std::string_view name, Type type, std::string_view help);
  void sample(const Labels& labels, double value);
  void sample(double value) { sample({}, value); }
  /// @param buckets  how many of the values are in each bucket alone: one more than `bounds`, the upper bounds. Others have no buckets.
  void histogram(const Labels& labels, std::span<const double> bounds, std::span<const std::int64_t> buckets, double sum);

  /// The whole page.
  [[nodiscard]] std::string text() const;

 private:
  void line(std::string_view suffix, const Labels& labels, std::string_view value);

  Format format_;
  std::string family_;
  Type type_ = Type::gauge;
  std::string text_;
};

}  // namespace gleaner::api
