#pragma once
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "clients/json.hpp"
#include "clients/reply.hpp"
#include "lib/process/config.hpp"
#include "lib/process/run.hpp"

namespace gleaner::clients {

/// The configuration keys of a program that uses the API.
[[nodiscard]] std::vector<process::Use> api_keys();

/// The same, and the key `style` of a program whose tables have CiGri's form too.
[[nodiscard]] std::vector<process::Use> styled_keys();

/// A request body that is produced while it is sent, in constant memory.
class BodySource {
 public:
  virtual ~BodySource() = default;
  /// Returns to the first byte; called before each attempt.
  virtual void rewind() = 0;
  /// Writes the next bytes into the buffer, and returns their number; 0 at the end.
  [[nodiscard]] virtual std::size_t read(std::span<char> buffer) = 0;
};

/// A client of the REST API, over its unix socket, HTTP or HTTPS, with one connection kept open. A `get` whose answer breaks off is
/// repeated. Failed requests throw process::Error with the exit code and a remedy: `unavailable` if the API or its database cannot be
/// reached, `not_found`, `refused`; `failure` also if the API does not know the path, as it is of another version.
class ApiClient {
 public:
  explicit ApiClient(const process::Config& config);
  ~ApiClient();
  ApiClient(const ApiClient&) = delete;
  ApiClient& operator=(const ApiClient&) = delete;

  [[nodiscard]] Reply get(const std::string& path);
  /// Since when the grid stands still, by the last answer of `get` that has it; null: it does not.
  [[nodiscard]] const Json& standstill() const { return standstill_; }
  /// A GET whose body is passed on as it arrives, so that memory is bounded; an exception of `take` ends it, and is rethrown. False: the
  /// answer broke off, and what was passed on is its beginning. Failed requests throw as those of `get`, and nothing was passed on.
  using TakeBytes = std::function<void(std::string_view)>;
  [[nodiscard]] bool download(const std::string& path, const TakeBytes& take);
  /// Sets a handle of libcurl (CURL*) up for a GET: the address, who we are, whom we trust. The caller handles the result.
  void prepare(void* easy, const std::string& path) const;
  Reply post(const std::string& path);
  Reply remove(const std::string& path);

  /// POST as NDJSON, with a unique idempotency key, and again with the same key if the answer is lost, so that the campaign is created, or
  /// the tasks are appended, once. The reply may have status 400, with problems.
  /// @param in_doubt  what to say when the result stays unknown: "whether the campaign was created is unknown"
  struct Posting {
    std::string path;
    std::string_view in_doubt;
    std::string_view remedy;
  };
  [[nodiscard]] Reply post_once(const Posting& posting, BodySource& body);
  /// POST /v1/campaigns, so.
  [[nodiscard]] Reply submit(BodySource& body);

  /// PUT of JSON, and again if the answer is lost. The reply may have status 400, with problems.
  [[nodiscard]] Reply put(const std::string& path, const std::string& json);
  /// PUT of bytes, and again if the answer is lost.
  Reply put_bytes(const std::string& path, BodySource& body);
  /// POST of JSON that asks a question, and again if the answer is lost.
  [[nodiscard]] Reply ask(const std::string& path, const std::string& json);

 private:
  struct Curl;
  std::unique_ptr<Curl> curl_;
  Json standstill_;
};

/// The text, percent-encoded for a URL.
[[nodiscard]] std::string url_encoded(std::string_view text);

/// A random key, different for each submission.
[[nodiscard]] std::string new_idempotency_key();

}  // namespace gleaner::clients
