#include "lib/oar/transport.hpp"

#include <curl/curl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <new>
#include <utility>

#include "lib/oar/messenger.hpp"
#include "lib/oar/transfer_failure.hpp"

namespace gleaner::oar {
namespace {

struct GlobalCurl {
  GlobalCurl() { curl_global_init(CURL_GLOBAL_DEFAULT); }
};

void start_libcurl_once() { static const GlobalCurl kStarted; }

struct FreeEasy {
  void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
};
struct FreeMulti {
  void operator()(CURLM* multi) const { curl_multi_cleanup(multi); }
};
struct FreeList {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using Easy = std::unique_ptr<CURL, FreeEasy>;
using Multi = std::unique_ptr<CURLM, FreeMulti>;
using List = std::unique_ptr<curl_slist, FreeList>;

template <class Handle>
Handle* given(Handle* handle) {
  if (handle == nullptr) {
    throw std::bad_alloc{};
  }
  return handle;
}

std::string without_slash(std::string url) {
  while (url.ends_with('/')) {
    url.pop_back();
  }
  return url;
}

void append(List& list, const std::string& line) {
  curl_slist* const longer = given(curl_slist_append(list.get(), line.c_str()));
  list.release();
  list.reset(longer);
}

std::string_view name_of(Method method) {
  switch (method) {
    case Method::post: return "POST";
    case Method::remove: return "DELETE";
    default: return "GET";
  }
}

std::string_view outcome_of(const Result<Answer>& answer) {
  constexpr std::array<std::string_view, 6> kClasses{"other", "1xx", "2xx", "3xx", "4xx", "5xx"};
  if (!answer) return std::holds_alternative<NotSent>(answer.error()) ? "not_sent" : "no_answer";
  const auto of_status = static_cast<std::size_t>(std::max(answer->status, 0) / 100);
  return kClasses[of_status < kClasses.size() ? of_status : 0];
}

}  // namespace

struct Transport::Curl {
  Multi multi{given(curl_multi_init())};
  std::vector<Easy> idle;
};

/// One request in progress.
class Transport::Transfer {
 public:
  Transfer(Easy easy, const Request& request, std::size_t place, const Access& access, const Limits& limits)
      : easy_{std::move(easy)}, place_{place}, limit_{limits.answer_bytes}, enough_{request.enough} {
    curl_easy_reset(easy_.get());
    set_target(request, access, limits);
    set_method(request);
    set_credentials(access);
    set_headers(request, access);
    set_sinks();
  }

  [[nodiscard]] CURL* easy() const { return easy_.get(); }
  [[nodiscard]] std::size_t place() const { return place_; }
  [[nodiscard]] Easy release() { return std::move(easy_); }

  [[nodiscard]] std::chrono::milliseconds latency() const {
    curl_off_t microseconds = 0;
    curl_easy_getinfo(easy_.get(), CURLINFO_TOTAL_TIME_T, &microseconds);
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::microseconds{microseconds});
  }

  /// The bytes that arrived since the last call.
  [[nodiscard]] std::string take_arrived() { return std::exchange(answer_.body, {}); }
  [[nodiscard]] int status() const {
    long status = 0;
    curl_easy_getinfo(easy_.get(), CURLINFO_RESPONSE_CODE, &status);
    return static_cast<int>(status);
  }

  [[nodiscard]] Result<Answer> outcome(CURLcode code) {
    if (too_big_) {
      return tl::unexpected(too_long(limit_));
    }
    if (code != CURLE_OK && !is_cut_) {
      return tl::unexpected(transfer_failure(code, easy_.get(), error_.data()));
    }
    long status = 0;
    curl_easy_getinfo(easy_.get(), CURLINFO_RESPONSE_CODE, &status);
    answer_.status = static_cast<int>(status);
    answer_.latency = latency();
    char* type = nullptr;
    curl_easy_getinfo(easy_.get(), CURLINFO_CONTENT_TYPE, &type);
    answer_.content_type = type == nullptr ? "" : type;
    if (auto wrong = unusable_answer(answer_.content_type, coding_)) return tl::unexpected(std::move(*wrong));
    if (const auto target = redirection(easy_.get())) answer_.body = fmt::format("it redirects to '{}', which is not followed", *target);
    return std::move(answer_);
  }

 private:
  template <class Value>
  void set(CURLoption option, Value value) {
    curl_easy_setopt(easy_.get(), option, value);
  }

  void set_target(const Request& request, const Access& access, const Limits& limits) {
    set(CURLOPT_URL, (without_slash(access.url) + request.path).c_str());
    set(CURLOPT_PROTOCOLS_STR, "http,https");
    set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_PATH_AS_IS, 1L);
    set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(limits.connect.count()));
    const auto whole = request.method == Method::get ? limits.read : limits.submit;
    set(CURLOPT_TIMEOUT_MS, static_cast<long>(std::min(whole, request.patience.value_or(whole)).count()));
  }

  void set_method(const Request& request) {
    if (request.method != Method::get) {
      set(CURLOPT_FRESH_CONNECT, 1L);
    }
    if (request.method == Method::remove) {
      set(CURLOPT_CUSTOMREQUEST, "DELETE");
    }
    if (request.method == Method::post) {
      set(CURLOPT_POST, 1L);
      set(CURLOPT_POSTFIELDS, request.body.c_str());
      set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
    }
  }

  void set_credentials(const Access& access) {
    if (access.authentication == Authentication::basic) {
      set(CURLOPT_HTTPAUTH, static_cast<long>(CURLAUTH_BASIC));
      set(CURLOPT_USERNAME, access.login.c_str());
      set(CURLOPT_PASSWORD, access.secret.c_str());
    }
    if (access.authentication == Authentication::certificate) {
      set(CURLOPT_SSLCERT, access.certificate_file.c_str());
      set(CURLOPT_SSLKEY, access.key_file.c_str());
    }
    if (!access.ca_file.empty()) {
      set(CURLOPT_CAINFO, access.ca_file.c_str());
    }
    set(CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
    const bool verified = access.verification == Verification::full;
    set(CURLOPT_SSL_VERIFYPEER, verified ? 1L : 0L);
    set(CURLOPT_SSL_VERIFYHOST, verified ? 2L : 0L);
  }

  /// The API reads the format only from an Accept header that is exactly this one.
  void set_headers(const Request& request, const Access& access) {
    append(headers_, "Accept: application/json");
    append(headers_, "Expect:");
    if (request.method == Method::post) {
      append(headers_, fmt::format("Content-Type: {}", request.body_type));
    }
    if (access.authentication == Authentication::token || access.authentication == Authentication::signed_token) {
      // A user without a token asks as nobody: OAR 3 answers lists to everybody.
      if (const auto token = bearer_of(access, request.user)) append(headers_, "Authorization: Bearer " + *token);
    } else if (!request.user.empty() && access.api != Api::g5k) {
      append(headers_, access.identity_header + ": " + request.user);
    }
    set(CURLOPT_HTTPHEADER, headers_.get());
  }

  void set_sinks() {
    set(CURLOPT_WRITEFUNCTION, &Transfer::take_body);
    set(CURLOPT_WRITEDATA, this);
    set(CURLOPT_HEADERFUNCTION, &Transfer::take_header);
    set(CURLOPT_HEADERDATA, this);
    set(CURLOPT_ERRORBUFFER, error_.data());
    set(CURLOPT_PRIVATE, this);
  }

  static std::size_t take_body(char* data, std::size_t /*one*/, std::size_t size, void* self) {
    auto& transfer = *static_cast<Transfer*>(self);
    auto& body = transfer.answer_.body;
    if (transfer.enough_ && body.size() + size > *transfer.enough_) {
      body.append(data, *transfer.enough_ - body.size());
      transfer.is_cut_ = true;
      return 0;
    }
    if (body.size() + size > transfer.limit_) {
      transfer.too_big_ = true;
      return 0;
    }
    body.append(data, size);
    return size;
  }

  static std::size_t take_header(char* data, std::size_t /*one*/, std::size_t size, void* self) {
    const std::string_view line{data, std::min<std::size_t>(size, 200)};
    auto& transfer = *static_cast<Transfer*>(self);
    if (line.starts_with("HTTP/")) transfer.coding_.clear();  // an answer 100 may come before
    if (const auto coding = field_of(line, "content-encoding")) transfer.coding_ = *coding;
    if (const auto text = field_of(line, "date")) {
      if (const auto date = curl_getdate(std::string{*text}.c_str(), nullptr); date != -1)
        transfer.answer_.clock_ahead =
            std::chrono::seconds{date} - std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now()).time_since_epoch();
    }
    return size;
  }

  Easy easy_;
  std::size_t place_;
  std::size_t limit_;
  std::optional<std::size_t> enough_;
  List headers_;
  Answer answer_;
  bool too_big_ = false;
  bool is_cut_ = false;
  std::string coding_;  ///< the Content-Encoding of the answer; empty: none
  std::array<char, CURL_ERROR_SIZE> error_{};
};

struct Transport::Download::Parts {
  Parts(Access reached, Limits bounds, Request wanted, std::chrono::milliseconds most_silence)
      : access{std::move(reached)}, limits{bounds}, request{std::move(wanted)}, silence{most_silence} {}
  ~Parts() {
    if (transfer && messenger == nullptr) curl_multi_remove_handle(multi.get(), transfer->easy());
  }
  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;

  Access access;
  Limits limits;
  Request request;
  std::chrono::milliseconds silence;
  Messenger* messenger = current_messenger();
  Multi multi{given(curl_multi_init())};
  std::unique_ptr<Transfer> transfer;
  std::optional<Result<Answer>> end;
};

Transport::Download::Download(Access access, Limits limits, Request request, std::chrono::milliseconds silence) {
  start_libcurl_once();
  constexpr std::chrono::hours kWhole{24};  // silence is what ends a transfer
  limits.read = kWhole;
  parts_ = std::make_unique<Parts>(std::move(access), limits, std::move(request), silence);
  parts_->transfer = std::make_unique<Transfer>(Easy{given(curl_easy_init())}, parts_->request, 0, parts_->access, parts_->limits);
  if (parts_->messenger == nullptr) curl_multi_add_handle(parts_->multi.get(), parts_->transfer->easy());
}

Transport::Download::~Download() = default;

Result<std::string> Transport::Download::next() {
  const auto deadline = std::chrono::steady_clock::now() + parts_->silence;
  while (true) {
    if (parts_->end) {
      return *parts_->end ? Result<std::string>{std::string{}} : Result<std::string>{tl::unexpected((*parts_->end).error())};
    }
    if (auto arrived = parts_->transfer->take_arrived(); !arrived.empty()) {
      return arrived;
    }
    if (parts_->messenger != nullptr) {
      parts_->end = delivered(*parts_->messenger, parts_->access, parts_->limits, parts_->request);
      if (*parts_->end && !(*parts_->end)->body.empty()) return (*parts_->end)->body;
      continue;
    }
    int running = 0;
    curl_multi_perform(parts_->multi.get(), &running);
    int left = 0;
    if (const CURLMsg* message = curl_multi_info_read(parts_->multi.get(), &left); message != nullptr) {
      auto arrived = parts_->transfer->take_arrived();
      parts_->end = parts_->transfer->outcome(message->data.result);
      if (!arrived.empty()) {
        return arrived;
      }
      continue;
    }
    const auto rest = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    if (rest.count() <= 0) {
      parts_->end = tl::unexpected(Failure{NoAnswer{fmt::format("nothing arrived for {} s", parts_->silence.count() / 1000)}});
      continue;
    }
    curl_multi_poll(parts_->multi.get(), nullptr, 0, static_cast<int>(std::min<std::int64_t>(rest.count(), 1000)), nullptr);
  }
}

int Transport::Download::status() const {
  if (parts_->messenger != nullptr) return parts_->end && *parts_->end ? (*parts_->end)->status : 0;
  return parts_->transfer->status();
}

std::string Transport::Download::content_type() const {
  if (parts_->messenger != nullptr) return parts_->end && *parts_->end ? (*parts_->end)->content_type : std::string{};
  char* type = nullptr;
  curl_easy_getinfo(parts_->transfer->easy(), CURLINFO_CONTENT_TYPE, &type);
  return type == nullptr ? "" : type;
}

Transport::Transport(const Access& access, const Limits& limits) : access_{access}, limits_{limits}, messenger_{current_messenger()} {
  if (messenger_ != nullptr) return;
  start_libcurl_once();
  curl_ = std::make_unique<Curl>();
}

Transport::~Transport() = default;

void Transport::note(const Request& request, const Result<Answer>& answer, std::chrono::milliseconds latency) {
  last_latency_ = latency;
  slowest_latency_ = std::max(slowest_latency_, latency);
  ++requests_;
  if (access_.traffic != nullptr) access_.traffic->note({name_of(request.method), outcome_of(answer)}, latency);
}

std::vector<Result<Answer>> Transport::send(std::span<const Request> requests) {
  std::vector<Result<Answer>> answers(requests.size(), tl::unexpected(Failure{NotSent{"not tried"}}));
  if (messenger_ != nullptr) deliver(requests, answers);
  else drive(requests, answers);
  return answers;
}

void Transport::deliver(std::span<const Request> requests, std::vector<Result<Answer>>& answers) {
  for (std::size_t place = 0; place < requests.size(); ++place) {
    answers[place] = delivered(*messenger_, access_, limits_, requests[place]);
    note(requests[place], answers[place], answers[place] ? answers[place]->latency : std::chrono::milliseconds{0});
  }
}

void Transport::drive(std::span<const Request> requests, std::vector<Result<Answer>>& answers) {
  constexpr int kPollMilliseconds = 1000;
  std::vector<std::unique_ptr<Transfer>> flying;
  CURLM* const multi = curl_->multi.get();
  const auto most = static_cast<std::size_t>(std::max(limits_.parallel, 1));
  std::size_t next = 0;
  while (next < requests.size() || !flying.empty()) {
    while (next < requests.size() && flying.size() < most) {
      Easy easy = curl_->idle.empty() ? Easy{given(curl_easy_init())} : std::move(curl_->idle.back());
      if (!curl_->idle.empty()) {
        curl_->idle.pop_back();
      }
      flying.push_back(std::make_unique<Transfer>(std::move(easy), requests[next], next, access_, limits_));
      ++next;
      curl_multi_add_handle(multi, flying.back()->easy());
    }
    int running = 0;
    curl_multi_perform(multi, &running);
    int left = 0;
    while (const CURLMsg* message = curl_multi_info_read(multi, &left)) {
      const auto done = std::ranges::find(flying, message->easy_handle, [](const auto& transfer) { return transfer->easy(); });
      const CURLcode code = message->data.result;
      curl_multi_remove_handle(multi, message->easy_handle);
      const auto place = (*done)->place();
      answers[place] = (*done)->outcome(code);
      note(requests[place], answers[place], (*done)->latency());
      curl_->idle.push_back((*done)->release());
      flying.erase(done);
    }
    if (!flying.empty() && running > 0) {
      curl_multi_poll(multi, nullptr, 0, kPollMilliseconds, nullptr);
    }
  }
}

}  // namespace gleaner::oar
