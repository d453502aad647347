#include "lib/http/date.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

namespace gleaner::http {

std::string http_date(std::chrono::sys_seconds time) { return fmt::format("{:%a, %d %b %Y %H:%M:%S} GMT", time); }

const std::string& current_date() {
  thread_local std::chrono::sys_seconds second;
  thread_local std::string text;
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  if (text.empty() || now != second) {
    text = http_date(now);
    second = now;
  }
  return text;
}

}  // namespace gleaner::http
