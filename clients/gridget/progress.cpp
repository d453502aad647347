#include "clients/gridget/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "lib/process/standard_streams.hpp"
#include "lib/terminal/text.hpp"

namespace gleaner::clients::gridget {

std::string size_text(std::int64_t bytes) {
  constexpr std::array kUnits{"kB", "MB", "GB", "TB"};
  if (bytes < 1000) return fmt::format("{} B", bytes);
  auto size = static_cast<double>(bytes) / 1000;
  std::size_t unit = 0;
  for (; size >= 999.95 && unit + 1 < kUnits.size(); ++unit) size /= 1000;
  return fmt::format("{:.1f} {}", size, kUnits.at(unit));
}

Progress::~Progress() { clear(); }

void Progress::add_bytes(std::int64_t bytes) {
  const std::lock_guard lock{mutex_};
  bytes_ += bytes;
  draw(false);
}

void Progress::add_file() {
  const std::lock_guard lock{mutex_};
  ++files_;
  draw(false);
}

void Progress::set_tasks(std::int64_t tasks_done) {
  const std::lock_guard lock{mutex_};
  tasks_done_ = tasks_done;
  draw(show_ == Show::bar);
}

void Progress::report(const std::string& line) {
  const std::lock_guard lock{mutex_};
  clear();
  process::write_to_stderr(fmt::format("{}: {}\n", program_, line));
}

void Progress::draw(bool now) {
  const auto period = show_ == Show::bar ? std::chrono::milliseconds{200} : std::chrono::milliseconds{10'000};
  if (show_ == Show::nothing || (!now && Clock::now() - drawn_ < period)) return;
  drawn_ = Clock::now();
  const auto seconds = std::max(std::chrono::duration<double>(drawn_ - began_).count(), 0.001);
  const auto figures = fmt::format("{} of {}, {} files, {}, {}/s", tasks_done_, terminal::counted(tasks_, "task"), files_,
                                   size_text(bytes_), size_text(static_cast<std::int64_t>(static_cast<double>(bytes_) / seconds)));
  if (show_ == Show::lines) {
    process::write_to_stderr(fmt::format("{}: {}\n", program_, figures));
    return;
  }
  const auto room = columns_ > figures.size() + 2 ? columns_ - figures.size() - 2 : 0;
  const auto part = tasks_ > 0 ? static_cast<double>(tasks_done_) / static_cast<double>(tasks_) : 1.0;
  const auto bar = room >= 8 ? terminal::bar(part, std::min<std::size_t>(room, 40)) + " " : std::string{};
  process::write_to_stderr(fmt::format("\r\033[K{}", terminal::shorten(bar + figures, columns_ > 1 ? columns_ - 1 : 1)));
  is_drawn_ = true;
}

void Progress::clear() {
  if (!is_drawn_) return;
  process::write_to_stderr("\r\033[K");
  is_drawn_ = false;
}

}  // namespace gleaner::clients::gridget
