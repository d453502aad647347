#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Charts as SVG within a page of HTML. Their colours are classes of the page's style.
namespace gleaner::gridstat::report {

/// The text as HTML shows it: no character of it is markup, and none controls a terminal or the direction of writing.
[[nodiscard]] std::string escaped(std::string_view text);

/// A place between the axes of a chart: from 0 at the left and the bottom to 1 at the right and the top.
struct Point {
  double x = 0;
  double y = 0;
};

enum class Form { line, area, dashed };
struct Curve {
  std::string colour;  ///< a class
  Form form = Form::line;
  std::vector<Point> points{};
};

/// A label of an axis, at a place from 0 to 1.
struct Mark {
  double at = 0;
  std::string text;
};

struct Chart {
  std::string title;  ///< what it shows, in a sentence, for who does not see it
  std::vector<Mark> below{};
  std::vector<Mark> left{};
  std::vector<Curve> curves{};
};
[[nodiscard]] std::string drawn(const Chart& chart);

/// A column of a bar chart.
struct Bar {
  std::string label;
  std::int64_t value = 0;
};
[[nodiscard]] std::string bars(const std::string& title, std::span<const Bar> columns, std::string_view colour);

/// One line, divided in proportion to its parts. One that is not 0 is seen.
struct Part {
  std::string name;  ///< also its class
  std::int64_t value = 0;
};
[[nodiscard]] std::string divided_line(const std::string& title, std::span<const Part> parts);

}  // namespace gleaner::gridstat::report
