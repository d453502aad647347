#pragma once
#include <coroutine>
#include <exception>
#include <utility>

namespace gleaner::wrapper {

/// A piece of a shell's work that may wait in virtual time: a coroutine, which begins when it is awaited or resumed. Its destruction ends
/// it, and what it awaits, at the place where it waits.
class [[nodiscard]] Course {
 public:
  struct promise_type;
  using Handle = std::coroutine_handle<promise_type>;
  struct promise_type {
    std::coroutine_handle<> after = std::noop_coroutine();
    std::exception_ptr error;

    Course get_return_object() { return Course{Handle::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    auto final_suspend() noexcept {
      struct Continue {
        bool await_ready() noexcept { return false; }
        std::coroutine_handle<> await_suspend(Handle handle) noexcept { return handle.promise().after; }
        void await_resume() noexcept {}
      };
      return Continue{};
    }
    void return_void() {}
    void unhandled_exception() { error = std::current_exception(); }
  };

  Course() = default;
  Course(Course&& other) noexcept : handle_{std::exchange(other.handle_, {})} {}
  Course& operator=(Course&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Course() {
    if (handle_) handle_.destroy();
  }

  [[nodiscard]] bool await_ready() const noexcept { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> after) {
    handle_.promise().after = after;
    return handle_;
  }
  /// Throws the error with which it ended.
  void await_resume() const {
    if (handle_.promise().error) std::rethrow_exception(handle_.promise().error);
  }

  [[nodiscard]] std::coroutine_handle<> handle() const { return handle_; }
  [[nodiscard]] bool is_over() const { return handle_.done(); }

 private:
  explicit Course(Handle handle) : handle_{handle} {}
  Handle handle_;
};

}  // namespace gleaner::wrapper
