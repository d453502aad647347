#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/http/message.hpp"
#include "lib/text/json_writer.hpp"

namespace gleaner::minioar {

/// A request to the API, after the web server's processing.
struct Call {
  const http::Request& http;
  std::string prefix;     ///< "/oarapi-grid"
  std::string path_info;  ///< the rest after the prefix, decoded: "/jobs/3.json"
  std::string path;       ///< path_info without the extension
  std::string user;       ///< empty: no login
  std::int64_t now;

  [[nodiscard]] std::string link(std::string_view to) const { return prefix + "/" + std::string{to}; }
  [[nodiscard]] std::optional<std::string> parameter(std::string_view name) const;
  [[nodiscard]] std::optional<std::int64_t> number(std::string_view name) const;
};

/// {"href","rel"[,"title"]}
void write_link(text::JsonWriter& json, const std::string& href, std::string_view rel, std::string_view title = {});

/// The number of items of a page if the request has no limit.
inline constexpr std::int64_t kPageLimit = 500;

/// One page of a list.
struct Page {
  std::int64_t total = 0;
  std::int64_t limit = 0;  ///< 0: all
  std::int64_t offset = 0;
  std::string items;  ///< JSON: an array, or an object for structure=oar
};
/// The page's links repeat the query of the call, if there is one.
[[nodiscard]] std::string page_json(const Call& call, const Page& page);

}  // namespace gleaner::minioar
