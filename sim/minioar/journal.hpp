#pragma once
#include <functional>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

namespace gleaner::minioar {

/// A file of lines to which lines are only ever added, each with one write(2), so that a kill at any
/// moment leaves whole lines, or at worst a last line without its end.
class Journal {
 public:
  /// Reads the lines there are, then opens the file to add to it. A last line without its end, or one
  /// that `on_line` refuses (false) with all that follows, is cut off.
  [[nodiscard]] static tl::expected<Journal, std::string> open(const std::string& path,
                                                               const std::function<bool(std::string_view)>& on_line);

  /// Opens a file that others add to as well; nothing is read, nothing cut off.
  [[nodiscard]] static tl::expected<Journal, std::string> append_to(const std::string& path);

  Journal(Journal&& other) noexcept;
  Journal& operator=(Journal&&) = delete;
  ~Journal();

  /// Adds a line, or several that belong together. Throws when the disk refuses.
  void add(std::string lines);

 private:
  explicit Journal(int fd) : fd_{fd} {}
  int fd_;
};

}  // namespace gleaner::minioar
