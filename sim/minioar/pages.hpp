#pragma once
#include <string>
#include <string_view>

#include "lib/http/message.hpp"
#include "sim/minioar/posted_options.hpp"

namespace gleaner::minioar {

/// An answer in JSON with OAR's headers. `allow` may be empty.
[[nodiscard]] http::Response json_answer(unsigned status, std::string_view json, std::string_view allow = {});
/// {"code","title","message"}; code 500 without a title is the web server's own page.
[[nodiscard]] http::Response error_answer(const ApiError& error);
/// 401 for a request without a login; `doing`: "looking at jobs".
[[nodiscard]] http::Response no_identity(std::string_view doing);
/// An HTML page of the web server in front of OAR.
[[nodiscard]] http::Response html_page(unsigned status, std::string_view title, std::string_view text);
/// 401 by which the web server requests a password.
[[nodiscard]] http::Response password_page(std::string_view realm);

}  // namespace gleaner::minioar
