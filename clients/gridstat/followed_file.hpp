#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace gleaner::gridstat {

/// The last lines of a text.
[[nodiscard]] std::string_view last_lines(std::string_view text, std::size_t lines);

/// Finds out what is new in a file of which only the last lines can be read. If all of these lines repeat themselves, new ones cannot be
/// distinguished from old ones, and are left out.
class FollowedFile {
 public:
  struct News {
    std::string text;
    bool lacks_lines = false;  ///< more was written since the last reading than can be read
  };
  /// @param window    the last lines
  /// @param is_whole  the file has no others
  [[nodiscard]] News read(std::string_view window, bool is_whole);

 private:
  std::string before_;
  bool is_first_ = true;
};

}  // namespace gleaner::gridstat
