#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "lib/terminal/output.hpp"

namespace gleaner::gridsub {

/// A line on the terminal of stderr that is drawn anew in place, for people alone; elsewhere nothing is drawn.
class DrawnLine {
 public:
  explicit DrawnLine(terminal::Form form);
  ~DrawnLine() { clear(); }
  DrawnLine(const DrawnLine&) = delete;
  DrawnLine& operator=(const DrawnLine&) = delete;

  [[nodiscard]] bool is_shown() const { return is_shown_; }
  /// Columns of the terminal now.
  [[nodiscard]] static std::size_t columns();
  void draw(std::string_view text);
  void clear();

 private:
  const bool is_shown_;
  bool is_drawn_ = false;
};

/// `[#####     ] figures`, in fewer columns than these; without the bar where there is no room for one.
[[nodiscard]] std::string bar_line(double part, std::string_view figures, std::size_t columns);

}  // namespace gleaner::gridsub
