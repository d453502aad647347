#include "lib/process/log.hpp"

#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "lib/process/exit_code.hpp"

namespace gleaner::process::log {
namespace {

constexpr std::array kSpdlogLevels{spdlog::level::debug, spdlog::level::info, spdlog::level::warn, spdlog::level::err};

struct Log {
  std::string program = "gleaner";
  std::shared_ptr<spdlog::logger> logger = make(std::make_shared<spdlog::sinks::stderr_sink_mt>());

  static std::shared_ptr<spdlog::logger> make(spdlog::sink_ptr sink) {
    auto made = std::make_shared<spdlog::logger>("gleaner", std::move(sink));
    made->set_pattern("%Y-%m-%dT%H:%M:%S.%eZ %v", spdlog::pattern_time_type::utc);
    // A kill -9 would lose lines that are only in a buffer.
    made->flush_on(spdlog::level::trace);
    return made;
  }
};

Log& the_log() {
  static Log log;
  return log;
}

bool is_plain(std::string_view value) {
  return !value.empty() &&
         std::ranges::none_of(value, [](unsigned char c) { return c <= ' ' || c == '"' || c == '\\' || c == '=' || c == 0x7f; });
}

std::string field_text(std::string_view value) {
  if (is_plain(value)) return std::string{value};
  std::string result{"\""};
  for (const char c : value) {
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (c == '\n') {
      result += "\\n";
    } else if (static_cast<unsigned char>(c) < ' ' || c == 0x7f) {
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      result += c;
    }
  }
  return result + '"';
}

}  // namespace

std::string format_line(Level level, std::string_view program, std::string_view event, Fields fields) {
  auto line = fmt::format("level={} program={} event={}", kLevels.at(static_cast<std::size_t>(level)), program, field_text(event));
  for (const auto& field : fields) line += fmt::format(" {}={}", field.key(), field_text(field.value()));
  return line;
}

void write(Level level, std::string_view event, Fields fields) {
  auto& log = the_log();
  const auto spdlog_level = kSpdlogLevels.at(static_cast<std::size_t>(level));
  if (!log.logger->should_log(spdlog_level)) return;
  log.logger->log(spdlog_level, "{}", format_line(level, log.program, event, fields));
}

void set_up(std::string_view program, std::string_view level, const std::string& file) {
  auto& log = the_log();
  log.program = std::string{program};
  if (!file.empty()) {
    try {
      log.logger = Log::make(std::make_shared<spdlog::sinks::basic_file_sink_mt>(file));
    } catch (const spdlog::spdlog_ex& error) {
      throw Error{ExitCode::usage, fmt::format("log_file {} cannot be written: {}", file, error.what())};
    }
  }
  const auto known = std::ranges::find(kLevels, level);
  const auto at = known == kLevels.end() ? std::ptrdiff_t{1} : known - kLevels.begin();
  log.logger->set_level(kSpdlogLevels.at(static_cast<std::size_t>(at)));
}

}  // namespace gleaner::process::log
