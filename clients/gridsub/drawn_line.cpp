#include "clients/gridsub/drawn_line.hpp"

#include <unistd.h>

#include <algorithm>

#include "lib/process/standard_streams.hpp"
#include "lib/terminal/text.hpp"

namespace gleaner::gridsub {

DrawnLine::DrawnLine(terminal::Form form) : is_shown_{form == terminal::Form::human && terminal::screen_of(STDERR_FILENO).is_terminal} {}

std::size_t DrawnLine::columns() { return terminal::screen_of(STDERR_FILENO).width; }

void DrawnLine::draw(std::string_view text) {
  if (!is_shown_) return;
  clear();
  process::write_to_stderr(text);
  is_drawn_ = true;
}

void DrawnLine::clear() {
  if (is_drawn_) process::write_to_stderr("\r\x1b[K");
  is_drawn_ = false;
}

std::string bar_line(double part, std::string_view figures, std::size_t columns) {
  constexpr std::size_t kBar = 40;
  constexpr std::size_t kLeastBar = 8;
  const auto room = columns > figures.size() + 2 ? columns - figures.size() - 2 : 0;
  const auto bar = room >= kLeastBar ? terminal::bar(part, std::min(room, kBar)) + " " : std::string{};
  return terminal::shorten(bar + std::string{figures}, columns > 1 ? columns - 1 : 1);
}

}  // namespace gleaner::gridsub
