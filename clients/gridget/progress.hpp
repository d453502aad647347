#pragma once
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>

#include "lib/terminal/output.hpp"

namespace gleaner::clients::gridget {

/// `12.3 MB`, for people.
[[nodiscard]] std::string size_text(std::int64_t bytes);

/// How far the fetch is: a bar on a terminal, redrawn in place, else a line now and then; on stderr. Thread-safe.
class Progress {
 public:
  enum class Show { bar, lines, nothing };
  /// @param program  begins each line
  Progress(Show show, std::int64_t tasks, std::size_t columns, std::string program = "gridget")
      : show_{show}, tasks_{tasks}, columns_{columns}, program_{std::move(program)} {}
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void add_bytes(std::int64_t bytes);
  void add_file();
  void set_tasks(std::int64_t tasks_done);
  /// A line of its own, beside the bar.
  void report(const std::string& line);

 private:
  using Clock = std::chrono::steady_clock;
  void draw(bool now);
  void clear();

  Show show_;
  std::int64_t tasks_;
  std::size_t columns_;
  std::string program_;
  std::mutex mutex_;
  Clock::time_point began_ = Clock::now();
  Clock::time_point drawn_ = Clock::now();
  bool is_drawn_ = false;
  std::int64_t tasks_done_ = 0;
  std::int64_t files_ = 0;
  std::int64_t bytes_ = 0;
};

}  // namespace gleaner::clients::gridget
