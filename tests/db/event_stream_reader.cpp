#include "tests/db/event_stream_reader.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <stdexcept>

namespace gleaner::tests {

using Clock = std::chrono::steady_clock;

rapidjson::Document StreamMessage::json() const {
  rapidjson::Document document;
  document.Parse(data.data(), data.size());
  if (document.HasParseError()) throw std::runtime_error{"not JSON: " + data};
  return document;
}

EventStreamReader::EventStreamReader(const std::string& address, const ApiRequest& request, Transport transport)
    : fd_{connect_to(address)} {
  if (transport == Transport::tls) shake_hands();
  send(text_of(request));
  const auto until = Clock::now() + kPatience;
  while (pending_.find("\r\n\r\n") == std::string::npos && receive(until)) {
  }
  const auto end = pending_.find("\r\n\r\n");
  if (end == std::string::npos) throw std::runtime_error{"no answer: " + pending_};
  head_ = pending_.substr(0, end);
  pending_.erase(0, end + 4);
  std::ranges::transform(head_, head_.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  status_ = std::stoi(head_.substr(head_.find(' ') + 1));
}

/// Whoever it is: tests of clients verify certificates.
void EventStreamReader::shake_hands() {
  const http::TlsContext context{SSL_CTX_new(TLS_client_method())};
  tls_.reset(SSL_new(context.get()));
  SSL_set_fd(tls_.get(), fd_.get());
  if (SSL_connect(tls_.get()) != 1) throw std::runtime_error{"no TLS handshake"};
}

void EventStreamReader::send(const std::string& text) {
  const auto sent =
      tls_ ? SSL_write(tls_.get(), text.data(), static_cast<int>(text.size())) : ::send(fd_.get(), text.data(), text.size(), MSG_NOSIGNAL);
  if (sent != static_cast<ssize_t>(text.size())) throw std::runtime_error{"the request was not taken"};
}

bool EventStreamReader::receive(Clock::time_point until) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
  pollfd item{fd_.get(), POLLIN, 0};
  const bool has_more = tls_ && SSL_pending(tls_.get()) > 0;
  if (left.count() <= 0 || (!has_more && ::poll(&item, 1, static_cast<int>(left.count())) <= 0)) return false;
  std::array<char, 16384> buffer{};
  const auto got =
      tls_ ? SSL_read(tls_.get(), buffer.data(), static_cast<int>(buffer.size())) : ::recv(fd_.get(), buffer.data(), buffer.size(), 0);
  if (got <= 0) has_ended_ = true;
  else pending_.append(buffer.data(), static_cast<std::size_t>(got));
  return got > 0;
}

EventStreamReader::Read EventStreamReader::read_line(std::string& line, Clock::time_point until) {
  while (true) {
    const auto end = pending_.find('\n');
    if (end != std::string::npos) {
      line = pending_.substr(0, end);
      pending_.erase(0, end + 1);
      return Read::line;
    }
    if (!receive(until)) return has_ended_ ? Read::end : Read::late;
  }
}

std::optional<StreamMessage> EventStreamReader::next(Patience patience) {
  const auto until = Clock::now() + patience;
  StreamMessage message;
  for (std::string line; read_line(line, until) == Read::line;) {
    if (line.starts_with("id: ")) message.id = last_id_ = line.substr(4);
    if (line.starts_with("event: ")) message.event = line.substr(7);
    if (line.starts_with("data: ")) message.data = line.substr(6);
    if (line.empty() && !message.data.empty()) return message;
    if (line.empty()) message = {};
  }
  return std::nullopt;
}

std::optional<StreamMessage> EventStreamReader::next(const std::string& event) {
  while (auto message = next()) {
    if (message->event == event) return message;
  }
  return std::nullopt;
}

bool EventStreamReader::begins() {
  const auto until = Clock::now() + kPatience;
  for (std::string line; read_line(line, until) == Read::line;) {
    if (line.starts_with("id: ")) last_id_ = line.substr(4);
    if (line.starts_with("retry: ")) retry_ = std::stoi(line.substr(7));
    if (line.empty()) return !last_id_.empty();
  }
  return false;
}

bool EventStreamReader::gets_heartbeat() {
  const auto until = Clock::now() + kPatience;
  bool is_one = false;
  for (std::string line; read_line(line, until) == Read::line;) {
    if (line.starts_with(":")) is_one = true;
    if (line.starts_with("id: ")) last_id_ = line.substr(4);
    if (line.empty() && is_one) return true;
  }
  return false;
}

bool EventStreamReader::ends(Patience patience) {
  const auto until = Clock::now() + patience;
  std::string line;
  Read read = Read::line;
  while (read == Read::line) read = read_line(line, until);
  return read == Read::end;
}

}  // namespace gleaner::tests
