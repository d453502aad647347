#include "tests/db/api_client.hpp"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <stdexcept>

#include "lib/http/file_descriptor.hpp"

namespace gleaner::tests {
namespace {

http::FileDescriptor connect_unix(const std::string& path) {
  http::FileDescriptor fd{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  if (::connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
    throw std::runtime_error{"cannot connect to " + path};
  return fd;
}

http::FileDescriptor connect_tcp(int port, const std::string& from) {
  http::FileDescriptor fd{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  sockaddr_in address{};
  address.sin_family = AF_INET;
  if (!from.empty()) {
    ::inet_pton(AF_INET, from.c_str(), &address.sin_addr);
    if (::bind(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) throw std::runtime_error{"cannot bind to " + from};
  }
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) throw std::runtime_error{"cannot connect"};
  return fd;
}

std::string talk(const http::FileDescriptor& fd, std::string_view text) {
  while (!text.empty()) {
    const auto sent = ::send(fd.get(), text.data(), text.size(), MSG_NOSIGNAL);
    if (sent <= 0) break;  // the server has answered before the end
    text.remove_prefix(static_cast<std::size_t>(sent));
  }
  std::string answer;
  std::array<char, 65536> buffer{};
  for (ssize_t got = 0; (got = ::recv(fd.get(), buffer.data(), buffer.size(), 0)) > 0;)
    answer.append(buffer.data(), static_cast<std::size_t>(got));
  return answer;
}

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// The bytes of a chunked body; what is left of a broken one.
std::string of_chunks(std::string_view chunks) {
  std::string body;
  while (true) {
    const auto end = chunks.find("\r\n");
    const auto size = std::stoul(std::string{chunks.substr(0, end)}, nullptr, 16);
    if (end == std::string_view::npos || size == 0) return body;
    body += chunks.substr(end + 2, size);
    chunks.remove_prefix(std::min(chunks.size(), end + 2 + size + 2));
  }
}

ApiAnswer parse(const std::string& text) {
  ApiAnswer answer;
  const auto head = text.substr(0, text.find("\r\n\r\n"));
  if (head.size() == text.size()) throw std::runtime_error{"not an HTTP answer: " + text};
  answer.body = text.substr(head.size() + 4);
  answer.status = std::stoi(head.substr(head.find(' ') + 1));
  for (std::size_t at = head.find("\r\n"); at != std::string::npos;) {
    const auto next = head.find("\r\n", at + 2);
    const auto line = head.substr(at + 2, next == std::string::npos ? next : next - at - 2);
    const auto colon = line.find(": ");
    answer.headers[lower(line.substr(0, colon))] = line.substr(colon + 2);
    at = next;
  }
  if (const auto encoding = answer.headers.find("transfer-encoding"); encoding != answer.headers.end() && encoding->second == "chunked")
    answer.body = of_chunks(answer.body);
  answer.json.Parse(answer.body.data(), answer.body.size());
  if (answer.json.HasParseError()) answer.json.SetNull();
  return answer;
}

}  // namespace

std::string ApiAnswer::message() const {
  const bool has = json.IsObject() && json.HasMember("message");
  return has ? json["message"].GetString() : body;
}

std::string ApiAnswer::code() const {
  const bool has = json.IsObject() && json.HasMember("code");
  return has ? json["code"].GetString() : std::string{};
}

std::string ApiAnswer::link(std::string_view rel) const {
  for (const auto& link : json["links"].GetArray()) {
    if (link["rel"].GetString() == rel) return link["href"].GetString();
  }
  return {};
}

http::FileDescriptor connect_to(const std::string& address, const std::string& from) {
  return address.starts_with('/') ? connect_unix(address) : connect_tcp(std::stoi(address), from);
}

std::string text_of(const ApiRequest& request) {
  std::string text = request.method + " " + request.target + " HTTP/1.1\r\nHost: grid\r\nConnection: close\r\n";
  for (const auto& [name, value] : request.headers) text += name + ": " + value + "\r\n";
  return text + "Content-Length: " + std::to_string(request.body.size()) + "\r\n\r\n" + request.body;
}

ApiAnswer ask(const std::string& address, const ApiRequest& request) { return ask_raw(address, text_of(request)); }

ApiAnswer ask_raw(const std::string& address, std::string_view bytes) { return parse(talk(connect_to(address), bytes)); }

}  // namespace gleaner::tests
