#include "lib/rules/ruby/confine.hpp"

#include <malloc.h>
#include <mruby/debug.h>
#include <mruby/irep.h>
#include <mruby/proc.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace gleaner::rules::ruby {
namespace {

constexpr rlim_t kDescriptors = 3;  // stdin, stdout, stderr: all numbers that there are, are taken
#ifdef __SANITIZE_ADDRESS__         // which reserves terabytes of addresses, and opens pipes
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif
constexpr std::size_t kOtherMemory = 256 << 20;  // the program's own, and JSON

mrb_state* interpreter_in_hand = nullptr;  // for the signal's handler

void set_limit(__rlimit_resource what, rlim_t value) {
  const rlimit limit{value, value};
  ::setrlimit(what, &limit);
}

/// Safe in a signal's handler.
[[noreturn]] void stop(std::string_view why, int line) {
  std::array<char, 100> text{};
  char* end = text.data();
  const auto add = [&](std::string_view piece) { end = std::copy(piece.begin(), piece.end(), end); };
  add(R"({"stopped":")");
  add(why);
  add(R"(","line":)");
  end = std::to_chars(end, text.data() + text.size() - 2, line).ptr;
  add("}\n");
  [[maybe_unused]] const auto written = ::write(STDOUT_FILENO, text.data(), static_cast<std::size_t>(end - text.data()));
  ::_exit(0);
}

void on_time(int) { stop("time", running_line(interpreter_in_hand)); }

void arm(std::chrono::milliseconds time) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  const std::chrono::microseconds rest = time - seconds;
  const itimerval timer{{0, 0}, {seconds.count(), rest.count()}};
  ::setitimer(ITIMER_PROF, &timer, nullptr);
}

}  // namespace

void close_doors(std::chrono::milliseconds time, std::size_t memory) {
  set_limit(RLIMIT_CORE, 0);
  set_limit(RLIMIT_CPU, static_cast<rlim_t>(std::chrono::ceil<std::chrono::seconds>(time).count()));
  if (kSanitized) return;
  set_limit(RLIMIT_NOFILE, kDescriptors);
  set_limit(RLIMIT_AS, memory + kOtherMemory);
}

void* Memory::allocate(mrb_state* mrb, void* block, std::size_t size, void* self) {
  auto& memory = *static_cast<Memory*>(self);
  if (block != nullptr) memory.used_ -= ::malloc_usable_size(block);
  if (size == 0) {
    std::free(block);
    return nullptr;
  }
  if (size > memory.limit_ || memory.used_ + size > memory.limit_) stop("memory", interpreter_in_hand == mrb ? running_line(mrb) : 0);
  auto* moved = std::realloc(block, size);
  if (moved == nullptr) stop("memory", 0);
  memory.used_ += ::malloc_usable_size(moved);
  return moved;
}

TimeLimit::TimeLimit(mrb_state* mrb, std::chrono::milliseconds time) {
  interpreter_in_hand = mrb;
  struct sigaction action {};
  action.sa_handler = on_time;
  ::sigaction(SIGPROF, &action, nullptr);
  arm(time);
}

TimeLimit::~TimeLimit() {
  arm(std::chrono::milliseconds{0});
  interpreter_in_hand = nullptr;
}

int running_line(mrb_state* mrb) {
  if (mrb == nullptr || mrb->c == nullptr) return 0;
  for (const auto* call = mrb->c->ci; call != nullptr && call >= mrb->c->cibase; --call) {
    if (call->proc == nullptr || MRB_PROC_CFUNC_P(call->proc) || call->pc == nullptr) continue;
    const auto* code = call->proc->body.irep;
    if (code == nullptr || call->pc < code->iseq || call->pc >= code->iseq + code->ilen) continue;
    const auto at = static_cast<std::uint32_t>(call->pc - code->iseq);
    const char* file = mrb_debug_get_filename(mrb, code, at);
    if (file == nullptr || std::strcmp(file, kRuleFile) != 0) continue;
    const auto line = mrb_debug_get_line(mrb, code, at);
    if (line > 0) return line;
  }
  return 0;
}

}  // namespace gleaner::rules::ruby
