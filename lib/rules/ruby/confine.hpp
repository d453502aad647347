#pragma once
#include <mruby.h>

#include <chrono>
#include <cstddef>

/// What keeps a rule from running or growing without end. mruby as Debian builds it has no hook
/// between two instructions, so the process itself ends; its parent reads why.
namespace gleaner::rules::ruby {

/// This process can open no file, socket or pipe any more, leaves no core, and has an end of its own
/// in time and memory, should all else fail.
void close_doors(std::chrono::milliseconds time, std::size_t memory);

/// What mruby may take; the process ends with `{"stopped":"memory"}` on stdout when it asks for more.
class Memory {
 public:
  explicit Memory(std::size_t limit) : limit_{limit} {}
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  /// For mrb_open_allocf; the last argument is the Memory.
  static void* allocate(mrb_state* mrb, void* block, std::size_t size, void* self);

 private:
  std::size_t limit_;
  std::size_t used_ = 0;
};

/// While it lives, the interpreter has this much time of the processor; then the process ends with
/// `{"stopped":"time","line":N}` on stdout. One at a time.
class TimeLimit {
 public:
  TimeLimit(mrb_state* mrb, std::chrono::milliseconds time);
  ~TimeLimit();
  TimeLimit(const TimeLimit&) = delete;
  TimeLimit& operator=(const TimeLimit&) = delete;
};

/// The line that the rule runs, by its name as a file: 0 when that is unknown. Only reads; between two
/// calls it is the line of the last one.
[[nodiscard]] int running_line(mrb_state* mrb);

/// What the rules are called where mruby tells a place.
inline constexpr const char* kRuleFile = "rule";

}  // namespace gleaner::rules::ruby
