#include "herald/delivery.hpp"

#include <curl/curl.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/hmac.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <list>
#include <mutex>
#include <new>
#include <span>
#include <string_view>
#include <thread>

#include "herald/content.hpp"
#include "herald/private_address.hpp"
#include "herald/wording.hpp"
#include "lib/grid/clock.hpp"
#include "lib/process/child.hpp"
#include "lib/process/descriptor.hpp"
#include "lib/process/exit_code.hpp"
#include "lib/process/secret.hpp"
#include "lib/text/destination.hpp"

namespace gleaner::herald {
namespace delivery {

using Outcome = Delivered::Outcome;

constexpr std::int64_t kMailsAtOnce = 4;
constexpr std::int64_t kWebhooksAtOnce = 32;
constexpr std::int64_t kProgramsAtOnce = 2;
constexpr std::size_t kMostAnswer = 65'536;

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

template <class Handle>
Handle* given(Handle* handle) {
  if (handle == nullptr) throw std::bad_alloc{};
  return handle;
}

/// One message to a mail server or a web server.
class Transfer {
 public:
  Transfer(const process::Config& config, const MailAccess& mail_server, const store::OutgoingMessage& message, const Content& content)
      : config_{config}, message_{message} {
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_PROXY, "");
    set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(config.herald_time_limit.count()));
    set(CURLOPT_TIMEOUT_MS, static_cast<long>(config.herald_time_limit.count()));
    set(CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
    set(CURLOPT_FRESH_CONNECT, 1L);
    set(CURLOPT_FORBID_REUSE, 1L);
    set(CURLOPT_WRITEFUNCTION, &Transfer::take);
    set(CURLOPT_WRITEDATA, this);
    set(CURLOPT_ERRORBUFFER, error_.data());
    set(CURLOPT_PRIVATE, this);
    // A name whose servers are silent is looked up in a thread: without this, an attempt that ends in the meantime waits for it, and with
    // it everything that this process sends.
    set(CURLOPT_QUICK_EXIT, 1L);
    if (is_mail()) set_mail(mail_server, content);
    else set_webhook(content);
  }
  ~Transfer() = default;
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  [[nodiscard]] CURL* easy() const { return easy_.get(); }
  [[nodiscard]] const store::OutgoingMessage& message() const { return message_; }

  [[nodiscard]] Delivered delivered(CURLcode code) const {
    long status = 0;
    curl_easy_getinfo(easy_.get(), CURLINFO_RESPONSE_CODE, &status);
    Delivered result;
    result.message = message_.id;
    if (is_barred_) {
      result.outcome = Outcome::refused;
      result.error = "its host has a loopback or private address, to which webhooks do not go (webhook_private)";
      return result;
    }
    result.outcome = is_mail() ? of_mail(code, status) : of_webhook(code, status);
    if (result.outcome == Outcome::taken) return result;
    result.is_unreachable = status == 0;
    const std::string what = error_[0] != '\0' ? error_.data() : curl_easy_strerror(code);
    const auto answered =
        status > 0 ? fmt::format("{} answered {}", is_mail() ? "the mail server" : "the receiver", status) : std::string{};
    if (code == CURLE_OK || code == CURLE_WRITE_ERROR) result.error = answered;
    else result.error = answered.empty() ? what : fmt::format("{}: {}", answered, what);
    return result;
  }

 private:
  [[nodiscard]] bool is_mail() const { return message_.channel == "mail"; }

  template <class Value>
  void set(CURLoption option, Value value) {
    curl_easy_setopt(easy_.get(), option, value);
  }
  void add(std::unique_ptr<curl_slist, FreeList>& list, const std::string& line) {
    curl_slist* const longer = given(curl_slist_append(list.get(), line.c_str()));
    static_cast<void>(list.release());
    list.reset(longer);
  }

  void set_mail(const MailAccess& server, const Content& content) {
    body_ = mail(content, server.from, message_.address, message_.fixed_at);
    set(CURLOPT_PROTOCOLS_STR, "smtp,smtps");
    set(CURLOPT_URL, server.url.c_str());
    const bool is_required = config_.mail_tls == "required" || !server.login.empty();
    if (config_.mail_tls != "never") set(CURLOPT_USE_SSL, static_cast<long>(is_required ? CURLUSESSL_ALL : CURLUSESSL_TRY));
    if (!config_.mail_ca_file.empty()) set(CURLOPT_CAINFO, config_.mail_ca_file.c_str());
    if (!server.login.empty()) {
      set(CURLOPT_USERNAME, server.login.c_str());
      set(CURLOPT_PASSWORD, server.password.c_str());
    }
    set(CURLOPT_MAIL_FROM, fmt::format("<{}>", server.from).c_str());
    add(list_, fmt::format("<{}>", message_.address));
    set(CURLOPT_MAIL_RCPT, list_.get());
    set(CURLOPT_UPLOAD, 1L);
    set(CURLOPT_READFUNCTION, &Transfer::give);
    set(CURLOPT_READDATA, this);
    set(CURLOPT_HEADERFUNCTION, &Transfer::take_line);
    set(CURLOPT_HEADERDATA, this);
    set(CURLOPT_OPENSOCKETFUNCTION, &Transfer::open_mail_socket);
    set(CURLOPT_OPENSOCKETDATA, this);
  }

  void set_webhook(const Content& content) {
    body_ = message_.form == "text" ? chat_body(content) : message_.content;
    const auto seconds = std::chrono::floor<std::chrono::seconds>(grid::now()).time_since_epoch().count();
    add(list_, "Content-Type: application/json");
    add(list_, "Expect:");
    add(list_, "User-Agent: gleaner-herald/" GLEANER_VERSION);
    add(list_, "X-Gleaner-Id: " + safe_name(message_.uid));
    add(list_, fmt::format("X-Gleaner-Attempt: {}", message_.attempt));
    add(list_, "X-Gleaner-Signature: " + signature(message_.secret, seconds, body_));
    set(CURLOPT_PROTOCOLS_STR, "http,https");
    set(CURLOPT_URL, message_.address.c_str());
    set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
    set(CURLOPT_HTTPHEADER, list_.get());
    set(CURLOPT_POST, 1L);
    set(CURLOPT_POSTFIELDS, body_.c_str());
    set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body_.size()));
    if (!config_.webhook_ca_file.empty()) set(CURLOPT_CAINFO, config_.webhook_ca_file.c_str());
    // A name is looked up anew each time, so what it stands for is checked where the connection is made.
    set(CURLOPT_OPENSOCKETFUNCTION, &Transfer::open_socket);
    set(CURLOPT_OPENSOCKETDATA, this);
  }

  [[nodiscard]] Outcome of_mail(CURLcode code, long status) const {
    if (code == CURLE_OK) return Outcome::taken;
    constexpr std::array<long, 5> kOfTheServer{530, 534, 535, 538, 554};  // it wants a login or encryption, or takes no mail at all
    const bool is_asked = status >= 500 && status < 600;
    if (is_asked && (std::ranges::find(kOfTheServer, status) == kOfTheServer.end() || (status == 554 && is_begun_)))
      return Outcome::refused;
    if (status >= 400) return Outcome::again;
    return is_given() ? Outcome::doubtful : Outcome::again;
  }

  [[nodiscard]] Outcome of_webhook(CURLcode code, long status) const {
    // The status is the answer, whatever becomes of a body that comes slowly, in part, or without an end.
    constexpr long kFirstFinal = 200;
    if (code == CURLE_OK || status >= kFirstFinal) {
      constexpr std::array<long, 4> kLater{408, 409, 425, 429};
      if (status >= 200 && status < 300) return Outcome::taken;
      if (status >= 500 || std::ranges::find(kLater, status) != kLater.end()) return Outcome::again;
      return Outcome::refused;
    }
    long sent = 0;
    curl_easy_getinfo(easy_.get(), CURLINFO_REQUEST_SIZE, &sent);
    return sent > 0 ? Outcome::doubtful : Outcome::again;
  }

  [[nodiscard]] bool is_given() const { return is_begun_ && given_ == body_.size(); }

  static std::size_t give(char* into, std::size_t one, std::size_t count, void* self) {
    auto& transfer = *static_cast<Transfer*>(self);
    transfer.is_begun_ = true;
    const auto size = std::min(one * count, transfer.body_.size() - transfer.given_);
    std::copy_n(transfer.body_.data() + transfer.given_, size, into);
    transfer.given_ += size;
    return size;
  }

  /// A line of the mail server. After the last one about the message, libcurl sends QUIT and waits for its answer, two minutes if need be,
  /// and everything that this process sends waits with it. So nothing more is read from the server.
  static std::size_t take_line(char* data, std::size_t one, std::size_t count, void* self) {
    constexpr std::size_t kCode = 3;
    const auto& transfer = *static_cast<Transfer*>(self);
    const std::string_view line{data, one * count};
    const bool is_last = line.size() > kCode && line[kCode] != '-';
    if (is_last && transfer.is_given()) {
      for (const auto& socket : transfer.sockets_) ::shutdown(socket.number(), SHUT_RD);
    }
    return line.size();
  }

  static curl_socket_t open_mail_socket(void* self, curlsocktype /*purpose*/, curl_sockaddr* address) {
    const int socket = ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
    if (socket >= 0) static_cast<Transfer*>(self)->sockets_.emplace_back(::fcntl(socket, F_DUPFD_CLOEXEC, 0));
    return socket;
  }

  /// Answers are not needed; one that does not end is left.
  static std::size_t take(char* /*data*/, std::size_t /*one*/, std::size_t size, void* self) {
    auto& transfer = *static_cast<Transfer*>(self);
    transfer.taken_ += size;
    return transfer.taken_ > kMostAnswer ? 0 : size;
  }

  static curl_socket_t open_socket(void* self, curlsocktype /*purpose*/, curl_sockaddr* address) {
    auto& transfer = *static_cast<Transfer*>(self);
    if (!transfer.config_.webhook_private && !is_public(&address->addr, address->addrlen)) {
      transfer.is_barred_ = true;
      return CURL_SOCKET_BAD;
    }
    transfer.is_barred_ = false;
    return ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
  }

  const process::Config& config_;
  store::OutgoingMessage message_;
  std::unique_ptr<CURL, FreeEasy> easy_{given(curl_easy_init())};
  std::unique_ptr<curl_slist, FreeList> list_;
  std::string body_;
  std::size_t given_ = 0;
  std::size_t taken_ = 0;
  bool is_begun_ = false;
  bool is_barred_ = false;
  std::list<process::Descriptor> sockets_;  ///< copies of those to the mail server: libcurl closes its own when it likes
  std::array<char, CURL_ERROR_SIZE> error_{};
};

constexpr int kUsage = 64;
constexpr int kNoUser = 67;

/// How a program answered that takes mail as sendmail does (exit statuses of sysexits.h), or a program of the administrator.
Delivered of_program(const store::OutgoingMessage& message, const tl::expected<process::Captured, std::string>& ended, bool is_sendmail) {
  Delivered result;
  result.message = message.id;
  if (!ended) {
    result.outcome = ended.error().find("cannot be started") != std::string::npos ? Outcome::again : Outcome::doubtful;
    result.error = ended.error();
  } else if (!ended->end.succeeded()) {
    const auto status = ended->end.exit_status;
    const bool is_final = is_sendmail && ended->end.signal == 0 && status >= kUsage && status <= kNoUser;
    result.outcome = is_final ? Outcome::refused : Outcome::again;
    result.error = fmt::format("{}: {}", ended->end.text(), ended->output.substr(0, 200));
  }
  return result;
}

}  // namespace delivery

using namespace delivery;

MailAccess mail_access(const process::Config& config) {
  MailAccess access{.url = config.mail_server, .login = config.mail_login, .password = {}, .from = config.mail_from};
  if (access.from.empty()) {
    std::array<char, 256> host{};
    ::gethostname(host.data(), host.size() - 1);
    access.from = fmt::format("gleaner@{}", safe_name(host.data()));
  }
  if (access.login.empty()) return access;
  if (config.mail_tls == "never" && !access.url.starts_with("smtps://"))
    throw process::Error{process::ExitCode::usage,
                         "mail_login with mail_tls = never: the password would be readable on its way; write required"};
  auto password = process::read_secret_file(config.mail_password_file);
  if (!password) throw process::Error{process::ExitCode::usage, fmt::format("mail_password_file: {}", password.error())};
  access.password = std::move(*password);
  return access;
}

std::string signature(std::string_view secret, std::int64_t seconds, std::string_view body) {
  const auto text = fmt::format("{}.{}", seconds, body);
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  ::HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()), reinterpret_cast<const unsigned char*>(text.data()), text.size(),
         digest.data(), &size);
  std::string result = fmt::format("t={},v1=", seconds);
  for (unsigned i = 0; i < size; ++i) result += fmt::format("{:02x}", digest.at(i));
  return result;
}

struct Deliveries::Parts {
  Parts(const process::Config& configured, MailAccess access) : config{configured}, mail_server{std::move(access)} {}
  ~Parts() {
    for (auto& program : programs) program.thread.join();
    for (const auto& transfer : transfers) curl_multi_remove_handle(multi.get(), transfer->easy());
    ::close(ended_event);
  }
  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;

  struct Program {
    store::OutgoingMessage message;
    std::thread thread;
  };

  template <class Visit>
  void for_each(Visit&& visit) const {
    for (const auto& transfer : transfers) visit(transfer->message());
    for (const auto& program : programs) visit(program.message);
    // An attempt that never began ends in the next wait().
    for (const auto& message : refused) visit(message.first);
  }

  void run(const store::OutgoingMessage& message, process::Command command, std::string input, bool is_sendmail) {
    programs.push_back({message, std::thread{[this, message, command = std::move(command), input = std::move(input), is_sendmail] {
                          const auto end = process::capture(command, config.herald_time_limit, {.input = input});
                          const std::lock_guard lock{mutex};
                          ended.push_back(of_program(message, end, is_sendmail));
                          const std::uint64_t one = 1;
                          [[maybe_unused]] const auto written = ::write(ended_event, &one, sizeof one);
                        }}});
  }

  void refuse(const store::OutgoingMessage& message, std::string why, Outcome outcome = Outcome::refused) {
    refused.emplace_back(message, Delivered{message.id, outcome, std::move(why), false});
  }

  void take_programs(std::vector<Delivered>& all) {
    std::uint64_t count = 0;
    [[maybe_unused]] const auto read = ::read(ended_event, &count, sizeof count);
    std::vector<Delivered> over;
    {
      const std::lock_guard lock{mutex};
      over.swap(ended);
    }
    for (auto& one : over) {
      const auto program = std::ranges::find_if(programs, [&](const Program& each) { return each.message.id == one.message; });
      program->thread.join();
      programs.erase(program);
      all.push_back(std::move(one));
    }
  }

  void take_transfers(std::vector<Delivered>& all) {
    int running = 0;
    curl_multi_perform(multi.get(), &running);
    int left = 0;
    while (const CURLMsg* message = curl_multi_info_read(multi.get(), &left)) {
      char* self = nullptr;
      curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &self);
      const auto code = message->data.result;
      const auto transfer = std::ranges::find_if(transfers, [&](const auto& each) { return each.get() == static_cast<void*>(self); });
      all.push_back((*transfer)->delivered(code));
      curl_multi_remove_handle(multi.get(), (*transfer)->easy());
      transfers.erase(transfer);
    }
  }

  const process::Config& config;
  MailAccess mail_server;
  std::unique_ptr<CURLM, FreeMulti> multi{given(curl_multi_init())};
  std::vector<std::unique_ptr<Transfer>> transfers;
  std::vector<Program> programs;
  std::vector<std::pair<store::OutgoingMessage, Delivered>> refused;
  int ended_event = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  std::mutex mutex;
  std::vector<Delivered> ended;
};

Deliveries::Deliveries(const process::Config& config, MailAccess mail) {
  start_libcurl_once();
  parts_ = std::make_unique<Parts>(config, std::move(mail));
}
Deliveries::~Deliveries() = default;

std::vector<std::string> Deliveries::busy(std::string_view channel) const {
  std::vector<std::string> users;
  parts_->for_each([&](const store::OutgoingMessage& message) {
    if (message.channel == channel) users.push_back(message.user);
  });
  return users;
}

std::int64_t Deliveries::room(std::string_view channel) const {
  const auto most = channel == "mail" ? kMailsAtOnce : channel == "webhook" ? kWebhooksAtOnce : kProgramsAtOnce;
  return std::max<std::int64_t>(0, most - std::ssize(busy(channel)));
}

std::vector<std::int64_t> Deliveries::under_way() const {
  std::vector<std::int64_t> ids;
  parts_->for_each([&](const store::OutgoingMessage& message) { ids.push_back(message.id); });
  return ids;
}

void Deliveries::begin(const store::OutgoingMessage& message) {
  auto& parts = *parts_;
  const auto content = read_content(message.content);
  if (!content) return parts.refuse(message, content.error());
  if (message.channel == "command")
    return parts.run(message,
                     {.arguments = {parts.config.on_event.string()},
                      .environment = {{"GLEANER_MESSAGE_ID", message.uid}, {"GLEANER_ATTEMPT", std::to_string(message.attempt)}}},
                     message.content, false);
  if (message.channel == "mail") {
    if (!text::is_mail_address(message.address)) return parts.refuse(message, "it is no mail address");
    if (!parts.config.mail_sendmail.empty())
      return parts.run(message,
                       {.arguments = {parts.config.mail_sendmail.string(), "-i", "-f", parts.mail_server.from, "--", message.address}},
                       mail(*content, parts.mail_server.from, message.address, message.fixed_at), true);
    if (parts.mail_server.url.empty())
      return parts.refuse(message, "the configuration has no mail server (mail_server, mail_sendmail)", Outcome::again);
  } else {
    const auto url = text::web_address(message.address);
    if (!url) return parts.refuse(message, "it is no address of a webhook");
    if (!text::is_listed(*url, parts.config.webhook_hosts))
      return parts.refuse(message, "its host is not among those of the configuration (webhook_hosts)");
  }
  auto transfer = std::make_unique<Transfer>(parts.config, parts.mail_server, message, *content);
  curl_multi_add_handle(parts.multi.get(), transfer->easy());
  parts.transfers.push_back(std::move(transfer));
}

std::vector<Delivered> Deliveries::wait(process::Duration at_most, int stop_descriptor) {
  auto& parts = *parts_;
  std::vector<Delivered> all;
  for (auto& [message, delivered] : parts.refused) all.push_back(std::move(delivered));
  parts.refused.clear();
  const auto take = [&] {
    parts.take_transfers(all);
    parts.take_programs(all);
  };
  take();
  const auto until = grid::SteadyClock::now() + at_most;
  while (all.empty()) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - grid::SteadyClock::now()).count();
    if (left <= 0) break;
    std::array<curl_waitfd, 2> others{{{.fd = parts.ended_event, .events = CURL_WAIT_POLLIN, .revents = 0},
                                       {.fd = stop_descriptor, .events = CURL_WAIT_POLLIN, .revents = 0}}};
    const auto count = stop_descriptor < 0 ? 1U : 2U;
    curl_multi_poll(parts.multi.get(), others.data(), count, static_cast<int>(left), nullptr);
    take();
    if (others[1].revents != 0) break;
  }
  return all;
}

}  // namespace gleaner::herald
