#pragma once
#include <fmt/format.h>

#include <array>
#include <initializer_list>
#include <string>
#include <string_view>

/// The log: one line for each event, `time level=... program=... event="..." key=value ...`, on stderr or in `log_file`. Until `run` has
/// set it up, lines go to stderr.
namespace gleaner::process::log {

enum class Level { debug, info, warning, error };
/// In the order of Level.
inline constexpr std::array<std::string_view, 4> kLevels{"debug", "info", "warning", "error"};

/// One key=value of a line. A value has a type that fmt prints, or is an id of lib/grid.
class Field {
 public:
  template <class T>
  Field(std::string_view key, const T& value) : key_{key} {
    if constexpr (requires { value.value(); }) {
      value_ = fmt::format("{}", value.value());
    } else {
      value_ = fmt::format("{}", value);
    }
  }
  [[nodiscard]] std::string_view key() const { return key_; }
  [[nodiscard]] const std::string& value() const { return value_; }

 private:
  std::string_view key_;
  std::string value_;
};
using Fields = std::initializer_list<Field>;

/// Writes one event. Values with blanks, quotes or control characters are quoted, so that each event is one line. Never pass a secret.
void write(Level level, std::string_view event, Fields fields = {});

inline void debug(std::string_view event, Fields fields = {}) { write(Level::debug, event, fields); }
inline void info(std::string_view event, Fields fields = {}) { write(Level::info, event, fields); }
inline void warning(std::string_view event, Fields fields = {}) { write(Level::warning, event, fields); }
inline void error(std::string_view event, Fields fields = {}) { write(Level::error, event, fields); }

/// The text of one line without its time: `level=info program=p event="x" key=value`.
[[nodiscard]] std::string format_line(Level level, std::string_view program, std::string_view event, Fields fields);

/// Sends the log of `program` to `file` (stderr when empty), from `level` (debug, info, warning,
/// error) up. Throws Error{usage} when the file cannot be opened.
void set_up(std::string_view program, std::string_view level, const std::string& file);

}  // namespace gleaner::process::log
