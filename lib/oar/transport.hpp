#pragma once
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/grid/time.hpp"
#include "lib/oar/access.hpp"
#include "lib/oar/failure.hpp"

/// HTTP to one cluster, over libcurl or what a simulation puts in its place; of OAR it uses only the identity header.
namespace gleaner::oar {

enum class Method { get, post, remove };

struct Request {
  Method method = Method::get;
  std::string path;                                        ///< after the cluster's URL, with its query
  std::string user;                                        ///< the user in the identity header; empty: no header
  std::string body;                                        ///< of a POST
  std::optional<std::chrono::milliseconds> patience = {};  ///< shorter limit than Limits have for the whole answer
  std::optional<std::size_t> enough = {};                  ///< bytes: a longer body is cut there, and its transfer is stopped
  std::string_view body_type = "application/json";
};

struct Answer {
  int status = 0;
  std::string content_type;
  std::string body;
  std::chrono::milliseconds latency{0};             ///< until the whole answer was received
  std::optional<std::chrono::seconds> clock_ahead;  ///< difference of the server's clock to ours; positive: it is ahead
};

/// The replacement of libcurl in a simulation (messenger.hpp).
class Messenger;

/// Whether the answer was longer than Limits::answer_bytes; a request for fewer items may succeed.
[[nodiscard]] bool is_too_long(const Failure& failure);

/// Sends requests in parallel, at most Limits::parallel at once, and keeps connections open. A request other than a GET never uses a
/// connection a second time: if that connection had been closed, libcurl would silently send the request again, although it may have been
/// carried out.
class Transport {
 public:
  Transport(const Access& access, const Limits& limits);
  ~Transport();
  Transport(Transport&&) = delete;
  Transport& operator=(Transport&&) = delete;

  /// Returns the answers in the order of the requests; failures are NotSent or NoAnswer.
  [[nodiscard]] std::vector<Result<Answer>> send(std::span<const Request> requests);

  /// One GET whose body is read piece by piece, so that memory is bounded whatever its size. It has a connection of its own.
  class Download {
   public:
    /// `silence`: the longest time without a byte, also before the first one.
    Download(Access access, Limits limits, Request request, std::chrono::milliseconds silence);
    ~Download();
    /// The next bytes; empty: the body has arrived whole. A failure is final.
    [[nodiscard]] Result<std::string> next();
    /// The status of HTTP, once next() has returned a value.
    [[nodiscard]] int status() const;
    [[nodiscard]] std::string content_type() const;

   private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
  };

  [[nodiscard]] std::chrono::milliseconds last_latency() const { return last_latency_; }
  [[nodiscard]] std::chrono::milliseconds slowest_latency() const { return slowest_latency_; }
  [[nodiscard]] std::size_t requests() const { return requests_; }

 private:
  struct Curl;
  class Transfer;
  void drive(std::span<const Request> requests, std::vector<Result<Answer>>& answers);
  void deliver(std::span<const Request> requests, std::vector<Result<Answer>>& answers);
  void note(const Request& request, const Result<Answer>& answer, std::chrono::milliseconds latency);

  const Access& access_;
  const Limits& limits_;
  Messenger* messenger_;
  std::unique_ptr<Curl> curl_;  ///< empty: a messenger takes its place
  std::chrono::milliseconds last_latency_{0};
  std::chrono::milliseconds slowest_latency_{0};
  std::size_t requests_ = 0;
};

}  // namespace gleaner::oar
