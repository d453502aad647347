#include "clients/api_client.hpp"

#include <curl/curl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <exception>
#include <optional>
#include <random>
#include <thread>
#include <variant>

#include "lib/process/exit_code.hpp"
#include "lib/process/secret.hpp"
#include "lib/text/percent.hpp"

namespace gleaner::clients {
namespace {

using process::Error;
using process::ExitCode;

enum class Method { get, post, put, remove };

struct Request {
  Method method = Method::get;
  std::string path;
  BodySource* body = nullptr;
  std::string idempotency_key{};
  const ApiClient::TakeBytes* take = nullptr;  ///< of the body of a success
  std::string_view content_type = "application/x-ndjson";
};

/// A body that is there as a whole.
class TextBody final : public BodySource {
 public:
  explicit TextBody(std::string_view text) : text_{text} {}
  void rewind() override { given_ = 0; }
  std::size_t read(std::span<char> buffer) override {
    const auto size = text_.copy(buffer.data(), buffer.size(), given_);
    given_ += size;
    return size;
  }

 private:
  std::string_view text_;
  std::size_t given_ = 0;
};

/// The connection or the answer was lost: whether the request was executed is unknown.
struct Lost {
  CURLcode code;
  std::string what;
};

constexpr int kSubmissionAttempts = 6;
constexpr int kReadAttempts = 4;
constexpr long kSilenceSeconds =
    300;  // the server sends nothing while it writes a submission's tasks, or while a cluster reads a large file
constexpr std::size_t kMostBytes = std::size_t{256} << 20;

/// The buffers of one transfer.
struct Exchange {
  BodySource* body = nullptr;
  const ApiClient::TakeBytes* take = nullptr;
  CURL* handle = nullptr;
  Reply reply{};
  std::exception_ptr failure{};
};

std::size_t take_body(char* data, std::size_t size, std::size_t count, void* self) {
  auto& exchange = *static_cast<Exchange*>(self);
  auto& reply = exchange.reply;
  long status = 0;
  if (exchange.take != nullptr) curl_easy_getinfo(exchange.handle, CURLINFO_RESPONSE_CODE, &status);
  if (status == 200) {
    try {
      (*exchange.take)({data, size * count});
    } catch (...) {
      exchange.failure = std::current_exception();
      return 0;
    }
    return size * count;
  }
  if (reply.body.size() + size * count > kMostBytes) return 0;
  reply.body.append(data, size * count);
  return size * count;
}

std::size_t take_header(char* data, std::size_t size, std::size_t count, void* self) {
  std::string line{data, size * count};
  std::ranges::transform(line, line.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (line.starts_with("idempotent-replayed:") && line.find("true") != std::string::npos)
    static_cast<Exchange*>(self)->reply.replayed = true;
  return size * count;
}

std::size_t give_body(char* data, std::size_t size, std::size_t count, void* self) {
  auto& exchange = *static_cast<Exchange*>(self);
  try {
    return exchange.body->read({data, size * count});
  } catch (...) {
    exchange.failure = std::current_exception();
    return CURL_READFUNC_ABORT;
  }
}

bool is_loopback(std::string_view url) {
  auto host = url.substr(url.find("://") + 3);
  host = host.substr(0, host.find('/'));
  return host.starts_with("127.") || host.starts_with("localhost") || host.starts_with("[::1]");
}

}  // namespace

std::vector<process::Use> api_keys() { return {"api", "token_file", "api_ca_file", "connect_timeout", "api_timeout"}; }

std::vector<process::Use> styled_keys() {
  auto keys = api_keys();
  keys.emplace_back("style", std::vector<std::string_view>{"gleaner", "cigri"});
  return keys;
}

struct ApiClient::Curl {
  explicit Curl(const process::Config& configuration) : config{configuration}, handle{curl_easy_init()} {
    if (handle == nullptr) throw std::runtime_error{"libcurl cannot be initialised"};
    constexpr std::string_view kUnix{"unix:"};
    if (config.api.starts_with(kUnix)) {
      socket = config.api.substr(kUnix.size());
      base = "http://localhost";
    } else {
      base = config.api;
      while (base.ends_with('/')) base.pop_back();
    }
    read_token();
  }
  ~Curl() { curl_easy_cleanup(handle); }
  Curl(const Curl&) = delete;
  Curl& operator=(const Curl&) = delete;

  void read_token() {
    if (config.token_file.empty()) return;
    auto secret = process::read_secret_file(config.token_file);
    if (!secret) throw Error{ExitCode::usage, fmt::format("the token: {}", secret.error())};
    if (base.starts_with("http://") && socket.empty() && !is_loopback(base))
      throw Error{ExitCode::usage, fmt::format("api = {}: a token would be read on its way; use https", config.api)};
    token = std::move(*secret);
  }

  /// The reply. Error: how it was lost. Throws if nothing was sent, or the body cannot be read.
  std::variant<Reply, Lost> send(const Request& request);
  Reply send_once(const Request& request);
  Reply read(const Request& request);
  void prepare(const Request& request, Exchange& exchange);
  void reach(CURL* easy, const std::string& path) const;
  curl_slist* headers_of(const Request& request) const;
  [[nodiscard]] Error unreachable(const std::string& what) const;
  /// For the message of a caller whom the API does not know; empty on a unix socket, where the kernel says who we are.
  [[nodiscard]] std::string identity() const;
  [[nodiscard]] std::string why(CURLcode code, const char* text) const;

  const process::Config config;
  CURL* handle;
  std::string base;
  std::string socket;
  std::string token;
};

curl_slist* ApiClient::Curl::headers_of(const Request& request) const {
  // The API may answer while the body is being sent; there is no wait for `100 Continue`.
  curl_slist* headers = curl_slist_append(nullptr, "Expect:");
  headers = curl_slist_append(headers, "Accept: application/json");
  if (request.body != nullptr) {
    headers = curl_slist_append(headers, fmt::format("Content-Type: {}", request.content_type).c_str());
    headers = curl_slist_append(headers, "Transfer-Encoding: chunked");
  }
  if (!request.idempotency_key.empty()) headers = curl_slist_append(headers, ("Idempotency-Key: " + request.idempotency_key).c_str());
  return headers;
}

void ApiClient::Curl::reach(CURL* easy, const std::string& path) const {
  curl_easy_setopt(easy, CURLOPT_URL, (base + path).c_str());
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_USERAGENT, "gleaner/" GLEANER_VERSION);
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(config.connect_timeout.count()));
  if (!socket.empty()) curl_easy_setopt(easy, CURLOPT_UNIX_SOCKET_PATH, socket.c_str());
  if (!token.empty()) {
    curl_easy_setopt(easy, CURLOPT_HTTPAUTH, CURLAUTH_BEARER);
    curl_easy_setopt(easy, CURLOPT_XOAUTH2_BEARER, token.c_str());
  }
  if (!config.api_ca_file.empty()) curl_easy_setopt(easy, CURLOPT_CAINFO, config.api_ca_file.c_str());
}

void ApiClient::Curl::prepare(const Request& request, Exchange& exchange) {
  curl_easy_reset(handle);
  reach(handle, request.path);
  curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, take_body);
  curl_easy_setopt(handle, CURLOPT_WRITEDATA, &exchange);
  curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, take_header);
  curl_easy_setopt(handle, CURLOPT_HEADERDATA, &exchange);
  if (request.method == Method::remove) curl_easy_setopt(handle, CURLOPT_CUSTOMREQUEST, "DELETE");
  if (request.method == Method::put) curl_easy_setopt(handle, CURLOPT_CUSTOMREQUEST, "PUT");
  if (request.method == Method::post || request.method == Method::put) {
    curl_easy_setopt(handle, CURLOPT_POST, 1L);
    if (request.body == nullptr) curl_easy_setopt(handle, CURLOPT_POSTFIELDS, "");
  }
  if (request.take != nullptr) {
    curl_easy_setopt(handle, CURLOPT_LOW_SPEED_LIMIT, 1L);
    curl_easy_setopt(handle, CURLOPT_LOW_SPEED_TIME, kSilenceSeconds);
    return;
  }
  if (request.body == nullptr) {
    curl_easy_setopt(handle, CURLOPT_TIMEOUT_MS, static_cast<long>(config.api_timeout.count()));
    return;
  }
  curl_easy_setopt(handle, CURLOPT_READFUNCTION, give_body);
  curl_easy_setopt(handle, CURLOPT_READDATA, &exchange);
  curl_easy_setopt(handle, CURLOPT_UPLOAD_BUFFERSIZE, 256L * 1024);
  curl_easy_setopt(handle, CURLOPT_LOW_SPEED_LIMIT, 1L);
  curl_easy_setopt(handle, CURLOPT_LOW_SPEED_TIME, kSilenceSeconds);
}

Error ApiClient::Curl::unreachable(const std::string& what) const {
  return Error{ExitCode::unavailable,
               fmt::format("the API cannot be reached at {}: {}. Is gridapi running? Start it with 'systemctl start gleaner-api' "
                           "('gridlocal up' for a grid of this machine), or say where it is (--api, GLEANER_API)",
                           config.api, what)};
}

std::string ApiClient::Curl::identity() const {
  if (!socket.empty()) return {};
  if (token.empty()) return " (a token is read from `token_file`, which is not set)";
  return fmt::format(" (the token is from {})", config.token_file.string());
}

/// libcurl's messages name a host and a port even for a unix socket.
std::string ApiClient::Curl::why(CURLcode code, const char* text) const {
  long system_error = 0;
  curl_easy_getinfo(handle, CURLINFO_OS_ERRNO, &system_error);
  if (!socket.empty() && code == CURLE_COULDNT_CONNECT && system_error != 0) return std::strerror(static_cast<int>(system_error));
  return *text != '\0' ? text : curl_easy_strerror(code);
}

std::variant<Reply, Lost> ApiClient::Curl::send(const Request& request) {
  Exchange exchange{request.body, request.take, handle};
  if (request.body != nullptr) request.body->rewind();
  prepare(request, exchange);
  auto* headers = headers_of(request);
  curl_easy_setopt(handle, CURLOPT_HTTPHEADER, headers);
  char text[CURL_ERROR_SIZE] = "";
  curl_easy_setopt(handle, CURLOPT_ERRORBUFFER, text);
  const auto code = curl_easy_perform(handle);
  curl_easy_setopt(handle, CURLOPT_ERRORBUFFER, nullptr);
  curl_slist_free_all(headers);
  if (exchange.failure) std::rethrow_exception(exchange.failure);
  if (code != CURLE_OK) {
    const auto what = why(code, text);
    const bool nothing_sent = code == CURLE_COULDNT_CONNECT || code == CURLE_COULDNT_RESOLVE_HOST || code == CURLE_SSL_CONNECT_ERROR ||
                              code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CACERT_BADFILE || code == CURLE_URL_MALFORMAT;
    if (nothing_sent) throw unreachable(what);
    return Lost{code, what};
  }
  long status = 0;
  curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
  exchange.reply.status = static_cast<int>(status);
  if (auto json = Json::parse(exchange.reply.body)) exchange.reply.json = std::move(*json);
  return std::move(exchange.reply);
}

Reply ApiClient::Curl::send_once(const Request& request) {
  auto result = send(request);
  if (const auto* lost = std::get_if<Lost>(&result)) throw unreachable(lost->what);
  auto& reply = std::get<Reply>(result);
  refuse_errors(reply, identity());
  return std::move(reply);
}

/// Repeats a request whose answer broke off: gridapi restarts within a moment after a crash.
Reply ApiClient::Curl::read(const Request& request) {
  std::string what;
  for (int attempt = 1; attempt <= kReadAttempts; ++attempt) {
    if (attempt > 1) std::this_thread::sleep_for(std::chrono::milliseconds{250} * (1 << (attempt - 2)));
    try {
      auto result = send(request);
      if (auto* reply = std::get_if<Reply>(&result)) {
        if (!has_problems(*reply)) refuse_errors(*reply, identity());
        return std::move(*reply);
      }
      what = std::get<Lost>(result).what;
      if (std::get<Lost>(result).code == CURLE_OPERATION_TIMEDOUT) break;
    } catch (const Error& error) {
      if (error.code() != ExitCode::unavailable || what.empty() || attempt == kReadAttempts) throw;
    }
  }
  throw unreachable(what);
}

ApiClient::ApiClient(const process::Config& config) : curl_{std::make_unique<Curl>(config)} {}
ApiClient::~ApiClient() = default;
void ApiClient::prepare(void* easy, const std::string& path) const { curl_->reach(easy, path); }

Reply ApiClient::get(const std::string& path) {
  auto reply = curl_->read({Method::get, path});
  const auto& members = reply.json.members();
  const auto since = std::ranges::find(members, "standstill", &Json::Member::first);
  if (since != members.end()) standstill_ = since->second;
  return reply;
}
bool ApiClient::download(const std::string& path, const TakeBytes& take) {
  const auto result = curl_->send({.path = path, .take = &take});
  if (std::holds_alternative<Lost>(result)) return false;
  refuse_errors(std::get<Reply>(result), curl_->identity());
  return true;
}
Reply ApiClient::post(const std::string& path) { return curl_->send_once({Method::post, path}); }
Reply ApiClient::remove(const std::string& path) { return curl_->send_once({Method::remove, path}); }

Reply ApiClient::put(const std::string& path, const std::string& json) {
  TextBody body{json};
  return curl_->read({.method = Method::put, .path = path, .body = &body, .content_type = "application/json"});
}

Reply ApiClient::put_bytes(const std::string& path, BodySource& body) {
  return curl_->read({.method = Method::put, .path = path, .body = &body, .content_type = "application/octet-stream"});
}

Reply ApiClient::ask(const std::string& path, const std::string& json) {
  TextBody body{json};
  return curl_->read({.method = Method::post, .path = path, .body = &body, .content_type = "application/json"});
}

Reply ApiClient::submit(BodySource& body) {
  return post_once({"/v1/campaigns", "whether the campaign was created is unknown",
                    "'gridstat -u' shows your campaigns; submit it again only if it is not there"},
                   body);
}

Reply ApiClient::post_once(const Posting& posting, BodySource& body) {
  const Request request{Method::post, posting.path, &body, new_idempotency_key()};
  bool sent_before = false;
  std::string what;
  for (int attempt = 1; attempt <= kSubmissionAttempts; ++attempt) {
    if (attempt > 1) std::this_thread::sleep_for(std::chrono::milliseconds{250} * (1 << (attempt - 2)));
    try {
      auto result = curl_->send(request);
      auto* reply = std::get_if<Reply>(&result);
      if (reply != nullptr && !may_be_repeated(*reply)) {
        if (!has_problems(*reply)) refuse_errors(*reply, curl_->identity());
        return std::move(*reply);
      }
      sent_before = true;
      what = reply != nullptr ? message_of(*reply) : std::get<Lost>(result).what;
    } catch (const Error& error) {
      // If nothing was ever sent, the result is not in doubt.
      if (error.code() != ExitCode::unavailable || !sent_before) throw;
      what = error.what();
    }
  }
  throw Error{ExitCode::unavailable, fmt::format("{}: {}. {}", posting.in_doubt, what, posting.remedy)};
}

std::string url_encoded(std::string_view text) { return text::percent_encoded(text, "-_.~,"); }

std::string new_idempotency_key() {
  std::random_device random;
  std::string key{"gridsub-"};
  for (int i = 0; i < 4; ++i) key += fmt::format("{:08x}", random());
  return key;
}

}  // namespace gleaner::clients
