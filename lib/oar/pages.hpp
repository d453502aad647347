#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

namespace gleaner::oar {

/// The next request of the reader of a list that is sorted by id and may change between two pages. Each page begins with the last known
/// item. If a page begins after it, earlier items have left the list, and later ones may have moved up and been missed: the reader steps
/// back. The list ends with a page that has nothing new, or fewer items than requested and as many as the server counts. The server's count
/// alone ends nothing, and keeps nothing open: it may be that of another list. The reading ends whatever the server answers.
class Paging {
 public:
  explicit Paging(std::size_t page) : page_{page < 2 ? 2 : page} {}

  [[nodiscard]] std::size_t offset() const { return offset_; }
  [[nodiscard]] std::size_t limit() const { return page_; }

  /// Requests half as many items from now on; false when the page is already one item and its neighbour.
  [[nodiscard]] bool ask_for_less();

  enum class Next {
    more,      ///< request the page at offset()
    finished,  ///< every item that was in the list all the time, and that the server gives, was read
    lost       ///< the list changes all the time, or has no end
  };
  /// Takes the ids of the page at offset(), and the list's length as the server reports it.
  [[nodiscard]] Next take(std::span<const std::int64_t> ids, std::optional<std::size_t> total);

 private:
  [[nodiscard]] bool is_repeated(std::int64_t first, std::int64_t last);
  [[nodiscard]] Next step_back();

  std::size_t page_;
  std::size_t offset_ = 0;
  std::int64_t last_known_ = 0;
  std::pair<std::int64_t, std::int64_t> before_ = {};  ///< the first and the last id of the page before
  int repeated_ = 0;
  int pages_ = 0;
  int steps_back_ = 0;
};

}  // namespace gleaner::oar
