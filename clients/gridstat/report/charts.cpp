#include "clients/gridstat/report/charts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lib/terminal/text.hpp"

namespace gleaner::gridstat::report {
namespace {

// The measures of a drawing, in its own units; the page scales it.
constexpr double kWidth = 640;
constexpr double kHeight = 220;
constexpr double kLeft = 92;
constexpr double kRight = 14;
constexpr double kTop = 12;
constexpr double kBottom = 30;
constexpr double kInnerWidth = kWidth - kLeft - kRight;
constexpr double kInnerHeight = kHeight - kTop - kBottom;
constexpr double kBase = kTop + kInnerHeight;

double x_of(double at) { return kLeft + std::clamp(at, 0.0, 1.0) * kInnerWidth; }
double y_of(double at) { return kBase - std::clamp(at, 0.0, 1.0) * kInnerHeight; }

std::string opened(const std::string& title, double height) {
  return fmt::format("<svg viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\" aria-label=\"{}\">\n", kWidth, height, escaped(title));
}

/// Text at the ends of the lower axis stays within the drawing.
std::string_view anchor_of(double at) {
  if (at < 0.1) return "start";
  return at > 0.9 ? "end" : "middle";
}

std::string axes(std::span<const Mark> below, std::span<const Mark> left) {
  auto svg = fmt::format("<path class=\"axis\" d=\"M{0:.1f} {1:.1f}V{2:.1f}H{3:.1f}\"/>\n", kLeft, kTop, kBase, kWidth - kRight);
  for (const auto& mark : left) {
    svg += fmt::format(
        "<path class=\"grid\" d=\"M{0:.1f} {1:.1f}H{2:.1f}\"/><text x=\"{3:.1f}\" y=\"{4:.1f}\" text-anchor=\"end\">{5}</text>\n", kLeft,
        y_of(mark.at), kWidth - kRight, kLeft - 6, y_of(mark.at) + 4, escaped(mark.text));
  }
  for (const auto& mark : below) {
    svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x_of(mark.at), kBase + 18, anchor_of(mark.at),
                       escaped(mark.text));
  }
  return svg;
}

std::string_view class_of(Form form) {
  switch (form) {
    case Form::area: return "area";
    case Form::dashed: return "line dashed";
    default: return "line";
  }
}

std::string path_of(const Curve& curve) {
  std::string path;
  for (const auto& point : curve.points) path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", x_of(point.x), y_of(point.y));
  return fmt::format("<path class=\"{} {}\" d=\"{}{}\"/>\n", class_of(curve.form), curve.colour, path, curve.form == Form::area ? "Z" : "");
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string html;
  for (const char c : terminal::printable(text)) {
    switch (c) {
      case '&': html += "&amp;"; break;
      case '<': html += "&lt;"; break;
      case '>': html += "&gt;"; break;
      case '"': html += "&quot;"; break;
      case '\'': html += "&#39;"; break;
      default: html += c;
    }
  }
  return html;
}

std::string drawn(const Chart& chart) {
  auto svg = opened(chart.title, kHeight) + axes(chart.below, chart.left);
  for (const auto& curve : chart.curves) svg += path_of(curve);
  return svg + "</svg>\n";
}

std::string bars(const std::string& title, std::span<const Bar> columns, std::string_view colour) {
  std::int64_t most = 1;
  for (const auto& column : columns) most = std::max(most, column.value);
  const Mark top{1, fmt::format("{}", most)};
  auto svg = opened(title, kHeight) + axes({}, {&top, 1});
  const auto count = static_cast<double>(std::max<std::size_t>(columns.size(), 1));
  const auto step = kInnerWidth / count;
  // As many labels as there is room for, the last one among them.
  constexpr double kLabelWidth = 52;
  const auto every = static_cast<std::size_t>(std::max(1.0, kLabelWidth / step + 0.999));
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const auto& [label, value] = columns[i];
    const auto left = kLeft + static_cast<double>(i) * step;
    const auto top_of_bar = y_of(static_cast<double>(value) / static_cast<double>(most));
    svg += fmt::format("<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"><title>{}: {}</title></rect>\n",
                       colour, left + step * 0.08, top_of_bar, step * 0.84, kBase - top_of_bar, escaped(label), value);
    if ((columns.size() - 1 - i) % every == 0)
      svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n", left + step / 2, kBase + 18, escaped(label));
  }
  return svg + "</svg>\n";
}

std::string divided_line(const std::string& title, std::span<const Part> parts) {
  constexpr double kLineHeight = 22;
  constexpr double kLeast = 3;  // of a part that is not 0
  std::int64_t all = 0;
  double seen = 0;
  for (const auto& part : parts) {
    all += part.value;
    seen += part.value > 0 ? kLeast : 0;
  }
  auto svg = opened(title, kLineHeight);
  double left = 0;
  for (const auto& part : parts) {
    if (part.value == 0) continue;
    const auto width = kLeast + (kWidth - seen) * static_cast<double>(part.value) / static_cast<double>(all);
    svg += fmt::format("<rect class=\"{0}\" x=\"{1:.1f}\" y=\"0\" width=\"{2:.1f}\" height=\"{3}\"><title>{0}: {4}</title></rect>\n",
                       part.name, left, width, kLineHeight, part.value);
    left += width;
  }
  return svg + "</svg>\n";
}

}  // namespace gleaner::gridstat::report
