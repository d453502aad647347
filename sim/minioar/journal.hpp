#pragma once
#include <functional>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

namespace gleaner::minioar {

/// An append-only file of lines. Each append is one write(2), so a kill at any moment leaves complete lines, or at worst an incomplete last
/// one.
class Journal {
 public:
  /// Reads the lines, and opens the file for appending. An incomplete last line is cut off, and so is a line that `on_line` refuses
  /// (false), with all that follow it.
  [[nodiscard]] static tl::expected<Journal, std::string> open(const std::string& path,
                                                               const std::function<bool(std::string_view)>& on_line);

  /// Opens a file to which other processes append too: nothing is read or cut off.
  [[nodiscard]] static tl::expected<Journal, std::string> append_to(const std::string& path);

  Journal(Journal&& other) noexcept;
  Journal& operator=(Journal&&) = delete;
  ~Journal();

  /// Appends a line, or several that belong together. Throws if the write fails.
  void add(std::string lines);

 private:
  explicit Journal(int fd) : fd_{fd} {}
  int fd_;
};

}  // namespace gleaner::minioar
