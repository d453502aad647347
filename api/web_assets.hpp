#pragma once
#include <optional>
#include <span>
#include <string_view>

#include "lib/http/message.hpp"

namespace gleaner::api {

/// A file of the page in a browser.
struct WebAsset {
  std::string_view name;  ///< `index.html`; other names have a digest of the content in them
  std::string_view type;  ///< the media type
  std::string_view gzip;  ///< the content, compressed
  std::string_view content;
};

/// All files of the page, from `web/`; none if it was built without the page (-DGLEANER_WEB=OFF).
[[nodiscard]] std::span<const WebAsset> web_assets();

/// The refusal where there is no page among these files. Empty: there is one.
[[nodiscard]] std::optional<http::Response> refuse_without_page(std::span<const WebAsset> assets);

/// The answer that leads a browser from the API's address to the page. Empty: the request is another one, or there is no page.
[[nodiscard]] std::optional<http::Response> lead_to_page(const http::Request& request);

}  // namespace gleaner::api
