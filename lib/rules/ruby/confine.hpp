#pragma once
#include <mruby.h>

#include <chrono>
#include <cstddef>

/// Limits that stop a rule from running or growing without end. mruby as Debian builds it has no hook between two instructions, so the
/// process itself ends, and its parent reads the reason.
namespace gleaner::rules::ruby {

/// Forbids this process to open files, sockets and pipes and to dump core, and limits its time and memory as a last resort.
void close_doors(std::chrono::milliseconds time, std::size_t memory);

/// The memory of mruby; when mruby requests more, the process ends with `{"stopped":"memory"}` on stdout.
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

/// While it lives, the interpreter has this much processor time; then the process ends with `{"stopped":"time","line":N}` on stdout. One at
/// a time.
class TimeLimit {
 public:
  TimeLimit(mrb_state* mrb, std::chrono::milliseconds time);
  ~TimeLimit();
  TimeLimit(const TimeLimit&) = delete;
  TimeLimit& operator=(const TimeLimit&) = delete;
};

/// The present line of the rule, by its file name; 0: unknown. Only reads; between two calls it is the line of the last one.
[[nodiscard]] int running_line(mrb_state* mrb);

/// The name of rules in mruby's positions.
inline constexpr const char* kRuleFile = "rule";

}  // namespace gleaner::rules::ruby
