#pragma once
#include <map>
#include <string>
#include <string_view>

#include <rapidjson/document.h>

#include "lib/http/file_descriptor.hpp"

namespace gleaner::tests {

struct ApiAnswer {
  int status = 0;
  std::map<std::string, std::string> headers;  ///< names in lower case
  std::string body;
  rapidjson::Document json;  ///< null when the body is not JSON

  [[nodiscard]] std::string message() const;
  /// The code of an error; empty: it is none.
  [[nodiscard]] std::string code() const;
  /// The href of the link of that name, empty without one.
  [[nodiscard]] std::string link(std::string_view rel) const;
};

/// A request to the API. One connection a request.
struct ApiRequest {
  std::string method = "GET";
  std::string target = "/";
  std::string body{};
  std::map<std::string, std::string> headers{};
};

/// A connection to an API. `address`: a port, or the path of a unix socket. `from`: an address of this machine; empty: any.
[[nodiscard]] http::FileDescriptor connect_to(const std::string& address, const std::string& from = {});
/// The bytes of a request.
[[nodiscard]] std::string text_of(const ApiRequest& request);

/// Sends bytes and reads the answer until the server closes. `address`: a port, or the path of a
/// unix socket.
[[nodiscard]] ApiAnswer ask(const std::string& address, const ApiRequest& request);
/// The same with bytes that need not be a request.
[[nodiscard]] ApiAnswer ask_raw(const std::string& address, std::string_view bytes);

}  // namespace gleaner::tests
