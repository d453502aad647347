#pragma once
#include <map>
#include <string>
#include <string_view>

#include <rapidjson/document.h>

namespace gleaner::tests {

struct ApiAnswer {
  int status = 0;
  std::map<std::string, std::string> headers;  ///< names in lower case
  std::string body;
  rapidjson::Document json;  ///< null when the body is not JSON

  [[nodiscard]] std::string message() const;
  /// The href of the link of that name, empty without one.
  [[nodiscard]] std::string link(std::string_view rel) const;
};

/// What to ask. One connection a request.
struct ApiRequest {
  std::string method = "GET";
  std::string target = "/";
  std::string body{};
  std::map<std::string, std::string> headers{};
};

/// Sends bytes and reads the answer until the server closes. `address`: a port, or the path of a
/// unix socket.
[[nodiscard]] ApiAnswer ask(const std::string& address, const ApiRequest& request);

}  // namespace gleaner::tests
