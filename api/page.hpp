#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "api/answers.hpp"
#include "api/call.hpp"

/// The pages of lists: all have the same members, and take the same keys, `limit` and `offset`.
namespace gleaner::api {

struct PageEnd {
  store::views::Window window;
  std::int64_t shown = 0;  ///< items of this page
  std::int64_t total = 0;  ///< items of all pages
  std::string parent;      ///< href
  http::Query fixed{};     ///< parameters of the other pages, where those of the request would not lead to pages of the same list
};

/// Writes what a list has besides its items: total, offset, limit, and links; among these `prev` and `next`, where there are such pages.
/// `prev` leads to the `limit` items before this page; near the beginning to the first page, and from beyond the end to the last items.
void write_page_end(text::JsonWriter& json, const Call& call, const PageEnd& page);
/// The same for a list whose pages are not found by their offset alone.
/// @param next  the href of the next page; empty: there is none
void write_page_end(text::JsonWriter& json, const Call& call, const PageEnd& page, const std::optional<std::string>& next);

/// The page of a list that is in memory.
template <class T>
[[nodiscard]] std::span<const T> page_of(const std::vector<T>& all, store::views::Window window) {
  const auto first = static_cast<std::size_t>(std::min(window.offset, std::ssize(all)));
  return std::span{all}.subspan(first, std::min(static_cast<std::size_t>(window.limit), all.size() - first));
}

}  // namespace gleaner::api
