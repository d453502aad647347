#pragma once
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "clients/json.hpp"
#include "lib/process/config.hpp"
#include "lib/process/run.hpp"

namespace gleaner::clients {

/// The configuration keys of a program that talks to the API.
[[nodiscard]] std::vector<process::Use> api_keys();

/// An answer of the API, of any status.
struct Reply {
  int status = 0;
  std::string body;
  Json json;              ///< null when the body is no JSON
  bool replayed = false;  ///< the submission had been taken before
};

/// A body that is sent as it is made, in constant memory.
class BodySource {
 public:
  virtual ~BodySource() = default;
  /// Begins again at the first byte; called before each attempt.
  virtual void rewind() = 0;
  /// Writes the next bytes into the buffer; 0 at the end.
  [[nodiscard]] virtual std::size_t read(std::span<char> buffer) = 0;
};

/// The REST API: over its unix socket, HTTP or HTTPS, with one connection kept open. A `get` whose answer breaks off is sent again.
/// Requests that fail throw process::Error with the exit code and what to do: `unavailable` when the API or its database cannot be reached,
/// `not_found`, `refused`.
class ApiClient {
 public:
  explicit ApiClient(const process::Config& config);
  ~ApiClient();
  ApiClient(const ApiClient&) = delete;
  ApiClient& operator=(const ApiClient&) = delete;

  [[nodiscard]] Reply get(const std::string& path);
  Reply post(const std::string& path);
  Reply remove(const std::string& path);

  /// POST /campaigns as NDJSON, under a key of its own, and again with the same key when the
  /// answer is lost: the campaign is created once. The reply may be of status 400, with problems.
  [[nodiscard]] Reply submit(BodySource& body);

 private:
  struct Curl;
  std::unique_ptr<Curl> curl_;
};

/// The text as a part of a URL.
[[nodiscard]] std::string url_encoded(std::string_view text);

/// A key that no other submission has.
[[nodiscard]] std::string new_idempotency_key();

}  // namespace gleaner::clients
