#include "lib/text/destination.hpp"

#include <algorithm>

#include "lib/text/numbers.hpp"

namespace gleaner::text {
namespace {

constexpr std::size_t kMostLocal = 64;
constexpr std::size_t kMostDomain = 253;
constexpr std::size_t kMostLabel = 63;
constexpr std::size_t kMostUrl = 2000;
constexpr std::uint16_t kHttp = 80;
constexpr std::uint16_t kHttps = 443;

bool is_letter_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

std::string small(std::string_view text) {
  std::string result{text};
  std::ranges::transform(result, result.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return result;
}

bool is_label(std::string_view label) {
  return !label.empty() && label.size() <= kMostLabel && label.front() != '-' && label.back() != '-' &&
         std::ranges::all_of(label, [](char c) { return is_letter_or_digit(c) || c == '-' || c == '_'; });
}

bool is_domain(std::string_view domain) {
  if (domain.empty() || domain.size() > kMostDomain) return false;
  while (true) {
    const auto dot = domain.find('.');
    if (!is_label(domain.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    domain.remove_prefix(dot + 1);
  }
}

bool is_bracketed_address(std::string_view host) {
  return host.size() > 3 && host.front() == '[' && host.back() == ']' && std::ranges::all_of(host.substr(1, host.size() - 2), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F') || c == ':' || c == '.';
         });
}

struct Authority {
  std::string_view host;
  std::string_view port;
  bool has_port = false;
};
Authority split_authority(std::string_view text) {
  const auto bracket = text.rfind(']');
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos || (bracket != std::string_view::npos && colon < bracket)) return {text, {}, false};
  return {text.substr(0, colon), text.substr(colon + 1), true};
}

}  // namespace

bool is_mail_address(std::string_view text) {
  const auto at = text.find('@');
  if (at == std::string_view::npos || at == 0 || at > kMostLocal) return false;
  const auto local = text.substr(0, at);
  constexpr std::string_view kOthers{"!#$%&'*+/=?^_`{|}~.-"};
  if (!std::ranges::all_of(local, [&](char c) { return is_letter_or_digit(c) || kOthers.find(c) != std::string_view::npos; })) return false;
  if (local.front() == '-' || local.front() == '.' || local.back() == '.' || local.find("..") != std::string_view::npos) return false;
  return is_domain(text.substr(at + 1)) && text.find('_', at) == std::string_view::npos;
}

std::string mail_domain(std::string_view address) { return small(address.substr(address.find('@') + 1)); }

bool WebAddress::is_usual_port() const { return port == (is_secure ? kHttps : kHttp); }

tl::expected<WebAddress, std::string> web_address(std::string_view url) {
  if (url.size() > kMostUrl) return tl::unexpected{std::string{"an address of 2000 bytes at most"}};
  constexpr std::string_view kSecure{"https://"};
  constexpr std::string_view kPlain{"http://"};
  WebAddress address;
  address.is_secure = url.starts_with(kSecure);
  if (!address.is_secure && !url.starts_with(kPlain)) return tl::unexpected{std::string{"an address that begins with https:// or http://"}};
  constexpr std::string_view kNever{"\"<>\\^`{|}#"};
  if (std::ranges::any_of(url, [&](char c) { return c <= ' ' || c > '~' || kNever.find(c) != std::string_view::npos; }))
    return tl::unexpected{std::string{"an address without blanks, quotes, '#' and letters beyond ASCII (write them as %XX)"}};
  url.remove_prefix(address.is_secure ? kSecure.size() : kPlain.size());
  const auto authority = url.substr(0, url.find_first_of("/?"));
  if (authority.find('@') != std::string_view::npos) return tl::unexpected{std::string{"an address without a user before its host"}};
  const auto parts = split_authority(authority);
  if (is_bracketed_address(parts.host)) address.host = small(parts.host.substr(1, parts.host.size() - 2));
  else if (is_domain(parts.host)) address.host = small(parts.host);
  else return tl::unexpected{std::string{"an address with the name of a host, such as https://hooks.example.org/services/x"}};
  address.port = address.is_secure ? kHttps : kHttp;
  if (parts.has_port) {
    const auto port = whole_number<std::uint16_t>(parts.port, 1);
    if (!port) return tl::unexpected{std::string{"an address with a port from 1 to 65535"}};
    address.port = *port;
  }
  return address;
}

bool is_listed(const WebAddress& address, std::span<const std::string> hosts) {
  return std::ranges::any_of(hosts, [&](const std::string& entry) {
    const auto written = small(entry);
    const auto parts = split_authority(written);
    if (parts.has_port ? whole_number<std::uint16_t>(parts.port).value_or(0) != address.port : !address.is_usual_port()) return false;
    auto host = parts.host;
    if (is_bracketed_address(host)) host = host.substr(1, host.size() - 2);
    if (host.starts_with("*.")) return std::string_view{address.host}.ends_with(host.substr(1));
    return host == address.host;
  });
}

bool is_host_entry(std::string_view text) {
  const auto parts = split_authority(text);
  if (parts.has_port && !whole_number<std::uint16_t>(parts.port, 1)) return false;
  auto host = parts.host;
  if (host.starts_with("*.")) host.remove_prefix(2);
  return is_domain(host) || is_bracketed_address(parts.host);
}

}  // namespace gleaner::text
