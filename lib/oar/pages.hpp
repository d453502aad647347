#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace gleaner::oar {

/// Where the reader of a list asks next, when the list is sorted by id and may change between two
/// pages. Each page begins with the last item that is known. One that begins after it means that
/// items before it left the list, and that others, moved up, could be missed: step back. Whatever
/// the server answers, the reading ends.
class Paging {
 public:
  explicit Paging(std::size_t page) : page_{page < 2 ? 2 : page} {}

  [[nodiscard]] std::size_t offset() const { return offset_; }
  [[nodiscard]] std::size_t limit() const { return page_; }

  /// Asks for half as much from now on; false when it is one item and its neighbour already.
  [[nodiscard]] bool ask_for_less();

  enum class Next {
    more,      ///< ask for the page at offset()
    finished,  ///< every item that was in the list all the time is known
    lost       ///< the server's pages make no sense together
  };
  /// Takes the ids of the page at offset(), and how long the server says that the list is.
  [[nodiscard]] Next take(std::span<const std::int64_t> ids, std::optional<std::size_t> total);

 private:
  [[nodiscard]] Next take_empty(std::optional<std::size_t> total);
  [[nodiscard]] Next step_back();
  [[nodiscard]] Next without_progress();

  std::size_t page_;
  std::size_t offset_ = 0;
  std::int64_t first_known_ = 0;
  std::int64_t last_known_ = 0;
  int wasted_ = 0;
};

}  // namespace gleaner::oar
