#include "lib/http/connection.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <exception>
#include <limits>

#include <fmt/format.h>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>

#include "lib/http/date.hpp"
#include "lib/http/listen.hpp"
#include "lib/http/outlet.hpp"

namespace gleaner::http {

namespace {

namespace beast = boost::beast;
using ErrorCode = boost::system::error_code;
using Parser = beast::http::request_parser<beast::http::buffer_body>;

/// Up to this many bytes of a body that a handler left unread are discarded to keep the connection.
constexpr std::size_t kDrainLimit = 256 * 1024;

/// Space after the longest head, for one read of a body. The head of a chunk must fit into all of it.
constexpr std::size_t kReadAhead = 64 * 1024;

class ParsedBody final : public Body {
 public:
  ParsedBody(Stream& stream, beast::flat_buffer& buffer, Parser& parser) : stream_{stream}, buffer_{buffer}, parser_{parser} {
    wants_continue_ = beast::iequals(parser.get()[beast::http::field::expect], "100-continue");
  }

  tl::expected<std::size_t, BodyError> read(std::span<char> into) override {
    if (failure_) return tl::unexpected{*failure_};
    if (!std::exchange(begun_, true)) stream_.at_a_pace();
    if (std::exchange(wants_continue_, false) && buffer_.size() == 0) send_continue();
    ErrorCode ec;
    auto& body = parser_.get().body();
    body.data = into.data();
    body.size = into.size();
    while (!parser_.is_done() && body.size == into.size()) {
      beast::http::read_some(stream_, buffer_, parser_, ec);
      if (ec == beast::http::error::need_buffer) break;
      if (ec) return fail(ec);
    }
    return into.size() - body.size;
  }

  [[nodiscard]] bool is_done() const { return parser_.is_done(); }
  /// The head of a chunk, or the fields behind the last one, did not fit into the buffer.
  [[nodiscard]] bool overflowed() const { return overflowed_; }

  /// Reads the rest of the body; false when it is too long or broken, or exceeds the time.
  [[nodiscard]] bool drain(std::chrono::milliseconds time) {
    if (wants_continue_ && !parser_.is_done()) return false;
    begun_ = true;
    stream_.within(time);
    std::array<char, 16 * 1024> scratch{};
    for (std::size_t total = 0; total < kDrainLimit;) {
      const auto got = read(scratch);
      if (!got) return false;
      if (*got == 0) return true;
      total += *got;
    }
    return false;
  }

 private:
  void send_continue() {
    ErrorCode ec;
    beast::http::response<beast::http::empty_body> answer{beast::http::status::continue_, 11};
    beast::http::write(stream_, answer, ec);
  }
  tl::unexpected<BodyError> fail(ErrorCode ec) {
    overflowed_ = ec == beast::http::error::buffer_overflow;
    failure_ = ec == boost::asio::error::timed_out ? BodyError::timed_out : BodyError::broken;
    return tl::unexpected{*failure_};
  }

  Stream& stream_;
  beast::flat_buffer& buffer_;
  Parser& parser_;
  bool wants_continue_ = false;
  bool begun_ = false;
  bool overflowed_ = false;
  std::optional<BodyError> failure_;
};

using ChunkedResponse = beast::http::response<beast::http::buffer_body>;

class ChunkSink final : public Sink {
 public:
  ChunkSink(Stream& stream, ChunkedResponse& response) : stream_{stream}, response_{response}, serializer_{response} {}

  bool write(std::string_view data) override {
    // An empty chunk would be the last one.
    if (data.empty()) return true;
    response_.body().data = const_cast<char*>(data.data());  // NOLINT: Beast only reads it
    response_.body().size = data.size();
    return send(true);
  }
  bool head() {
    ErrorCode ec;
    beast::http::write_header(stream_, serializer_, ec);
    return !ec;
  }
  bool finish() {
    response_.body().data = nullptr;
    response_.body().size = 0;
    return send(false);
  }

 private:
  bool send(bool more) {
    ErrorCode ec;
    response_.body().more = more;
    beast::http::write(stream_, serializer_, ec);
    return !ec || ec == beast::http::error::need_buffer;
  }
  Stream& stream_;
  ChunkedResponse& response_;
  beast::http::response_serializer<beast::http::buffer_body> serializer_;
};

std::string to_string(beast::string_view text) { return {text.data(), text.size()}; }

/// Why the end of the body is unclear. Empty: it is clear. The connection is closed if it is not, as the rest might be taken for a request.
std::optional<std::string> wrong_framing(const Parser& parser) {
  const auto& head = parser.get();
  const auto codings = head.count(beast::http::field::transfer_encoding);
  if (codings == 0) return std::nullopt;
  if (codings > 1 || !beast::iequals(head[beast::http::field::transfer_encoding], "chunked"))
    return "a Transfer-Encoding is given that is not taken here: send chunked, once and alone, or a Content-Length";
  if (head.count(beast::http::field::content_length) > 0) return "both Transfer-Encoding and Content-Length are given: send one of them";
  if (head.version() < 11) return "Transfer-Encoding needs HTTP/1.1";
  return std::nullopt;
}

/// Whether the body is compressed, or coded in another way: nothing here decodes it.
bool is_coded(const Parser& parser) {
  const auto& head = parser.get();
  if (head.count(beast::http::field::transfer_encoding) == 0 && head.count(beast::http::field::content_length) == 0) return false;
  const auto [first, last] = head.equal_range(beast::http::field::content_encoding);
  return std::any_of(first, last, [](const auto& field) { return !beast::iequals(field.value(), "identity"); });
}

Request request_of(const Parser& parser, const Peer& peer, Body& body) {
  Request request;
  const auto& message = parser.get();
  request.method = to_string(message.method_string());
  request.target = to_string(message.target());
  const auto [path, query] = split_target(request.target);
  request.path = path;
  request.query = parse_query(query);
  for (const auto& field : message) request.headers.add(to_string(field.name_string()), to_string(field.value()));
  request.peer = peer;
  request.body = &body;
  return request;
}

template <class Message>
void fill_head(Message& message, const Response& response, bool keep_alive) {
  message.result(response.status);
  for (const auto& [name, value] : response.headers.all()) message.insert(name, value);
  if (!response.headers.find("Date")) message.set(beast::http::field::date, current_date());
  message.keep_alive(keep_alive);
}

bool send_stream(Stream& stream, const Response& response, unsigned version, bool keep_alive, bool head_only) {
  ChunkedResponse message;
  message.version(version);
  fill_head(message, response, keep_alive && version == 11);
  if (version == 11) message.chunked(true);
  ChunkSink sink{stream, message};
  if (!sink.head()) return false;
  if (head_only) return true;
  return response.stream(sink) && sink.finish() && version == 11;
}

bool send_whole(Stream& stream, Response& response, unsigned version, bool keep_alive, bool head_only) {
  beast::http::response<beast::http::string_body> message;
  message.version(version);
  fill_head(message, response, keep_alive);
  message.body() = std::move(response.body);
  constexpr unsigned kNotModified = 304;  // whose length would be that of the answer that the client has
  if (response.status != kNotModified) message.prepare_payload();
  ErrorCode ec;
  if (head_only) {
    beast::http::response_serializer<beast::http::string_body> serializer{message};
    beast::http::write_header(stream, serializer, ec);
  } else {
    beast::http::write(stream, message, ec);
  }
  return !ec;
}

/// Sends the head of an answer whose end is the end of the connection.
bool send_head(Stream& stream, const Response& response, unsigned version) {
  beast::http::response<beast::http::empty_body> message;
  message.version(version);
  fill_head(message, response, false);
  ErrorCode ec;
  beast::http::response_serializer<beast::http::empty_body> serializer{message};
  beast::http::write_header(stream, serializer, ec);
  return !ec;
}

/// Waits; false when the server stops or the client disconnects meanwhile.
bool delayed(const Stream& stream, int stop_fd, std::chrono::milliseconds delay) {
  if (delay.count() <= 0) return true;
  std::array<pollfd, 2> items{pollfd{stop_fd, POLLIN, 0}, pollfd{stream.fd(), POLLRDHUP, 0}};
  return ::poll(items.data(), items.size(), static_cast<int>(std::min<long long>(delay.count(), 1'000'000'000))) == 0;
}

enum class Next { keep, close, reset };

class Connection {
 public:
  Connection(FileDescriptor socket, const ConnectionContext& context, const std::function<void(Phase)>& enter)
      : context_{context},
        enter_{enter},
        peer_{peer_of(socket.get())},
        stream_{std::move(socket), context.options.deadlines, context.stop_fd, [this](Stream::Wait wait) { on_wait(wait); }},
        buffer_{context.options.header_limit + kReadAhead} {}
  ~Connection() { enter(Phase::busy); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void run() {
    if (context_.tls != nullptr && !peer_.process) {
      if (!stream_.handshake(context_.tls)) return;
      peer_.certificate = client_subject(stream_.tls());
    }
    Next next = Next::keep;
    while (next == Next::keep && wait_for_request()) next = answer_one();
    if (next == Next::reset) {
      enter(Phase::busy);
      stream_.close_with_reset();
    } else if (unread_) {
      enter(Phase::slow);
      stream_.await_end();
      enter(Phase::busy);
      stream_.close();
    } else {
      enter(Phase::busy);
      stream_.close();
    }
  }

 private:
  void enter(Phase phase) {
    phase_ = phase;
    enter_(phase);
  }
  /// In other phases the connection can be closed at any time.
  void on_wait(Stream::Wait wait) {
    if (phase_ == Phase::busy) enter_(wait == Stream::Wait::late ? Phase::late : Phase::busy);
  }

  bool wait_for_request() {
    if (buffer_.size() > 0) return true;
    // The first request of a new connection may be under way; it has the time of one that has begun.
    enter(std::exchange(is_new_, false) ? Phase::slow : Phase::idle);
    const auto wake = stream_.wait_readable();
    return wake == Stream::Wake::readable;
  }

  Next answer_one() {
    Parser parser;
    parser.header_limit(static_cast<std::uint32_t>(context_.options.header_limit));
    parser.body_limit(std::numeric_limits<std::uint64_t>::max());
    ErrorCode ec;
    enter(Phase::slow);
    stream_.within(context_.options.deadlines.head);
    beast::http::read_header(stream_, buffer_, parser, ec);
    enter(Phase::busy);
    if (ec) return refuse(ec);
    if (const auto wrong = wrong_framing(parser)) {
      unread_ = true;
      auto answer = refusal(400, *wrong);
      return send(answer, false, 11, false);
    }
    if (is_coded(parser)) {
      unread_ = true;
      auto answer = refusal(415, "the body has a Content-Encoding, and none is taken here: send it as it is");
      return send(answer, false, 11, false);
    }
    ParsedBody body{stream_, buffer_, parser};
    const auto request = request_of(parser, peer_, body);
    auto response = handled(request);
    if (body.overflowed()) return refuse(beast::http::error::buffer_overflow);
    if (!body.is_done()) enter(Phase::slow);
    unread_ = !body.drain(context_.options.deadlines.closing);
    enter(Phase::busy);
    return send(response, request.method == "HEAD", parser.get().version(), !unread_ && parser.get().keep_alive());
  }

  Response handled(const Request& request) {
    try {
      return context_.handler(request);
    } catch (const std::exception& error) {
      if (context_.options.on_problem) context_.options.on_problem(fmt::format("{} {}: {}", request.method, request.target, error.what()));
      return refusal(500, "an error of the server itself");
    }
  }

  [[nodiscard]] Response refusal(unsigned status, std::string_view message) const {
    if (context_.options.refusal) return context_.options.refusal(status, message);
    Response response;
    response.status = status;
    response.body = fmt::format("{}\n", message);
    return response;
  }

  Next send(Response& response, bool head_only, unsigned version, bool keep_alive) {
    const auto mishap = response.mishap;
    if (!delayed(stream_, context_.stop_fd, mishap.delay)) return Next::close;
    stream_.at_a_pace();
    if (mishap.only_first_bytes) stream_.limit_writing(*mishap.only_first_bytes);
    if (response.pass_on) return pass_on(response, version, head_only);
    const bool whole = response.stream ? send_stream(stream_, response, version, keep_alive, head_only)
                                       : send_whole(stream_, response, version, keep_alive, head_only);
    if (mishap.ending == Mishap::Ending::reset) return Next::reset;
    return whole && keep_alive && mishap.ending == Mishap::Ending::none && !mishap.only_first_bytes ? Next::keep : Next::close;
  }

  Next pass_on(const Response& response, unsigned version, bool head_only) {
    if (!send_head(stream_, response, version) || head_only) return Next::close;
    unread_ = false;
    auto [socket, tls] = stream_.release();
    response.pass_on(std::make_unique<Outlet>(std::move(socket), std::move(tls)));
    return Next::close;
  }

  /// The answer to what could not be read as a request; empty: nobody waits for one.
  [[nodiscard]] std::optional<Response> refusal_of(ErrorCode ec) const {
    if (ec == beast::http::error::header_limit || ec == beast::http::error::buffer_overflow)
      return refusal(431, "the head of the request, or of a chunk of its body, is too large");
    if (ec == boost::asio::error::timed_out) return refusal(408, "the head of the request did not arrive in time");
    const bool is_no_request = ec.category() == beast::http::make_error_code(beast::http::error::bad_method).category() &&
                               ec != beast::http::error::end_of_stream && ec != beast::http::error::partial_message;
    return is_no_request ? std::optional{refusal(400, fmt::format("not an HTTP request: {}", ec.message()))} : std::nullopt;
  }

  Next refuse(ErrorCode ec) {
    auto response = refusal_of(ec);
    if (!response) return Next::close;
    unread_ = true;
    return send(*response, false, 11, false);
  }

  const ConnectionContext& context_;
  const std::function<void(Phase)>& enter_;
  Phase phase_ = Phase::slow;
  bool is_new_ = true;  ///< it has waited for no request yet
  Peer peer_;
  Stream stream_;
  beast::flat_buffer buffer_;
  bool unread_ = false;  ///< a plain close would reset the connection before the answer is read
};

}  // namespace

void serve_connection(FileDescriptor socket, const ConnectionContext& context, const std::function<void(Phase)>& enter) noexcept {
  try {
    const int on = 1;
    ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    Connection{std::move(socket), context, enter}.run();
  } catch (const std::exception& error) {
    if (context.options.on_problem) context.options.on_problem(error.what());
  }
}

}  // namespace gleaner::http
