#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

/// Where messages go: mail addresses and web addresses, which users and administrators write.
namespace gleaner::text {

/// Whether it is `local@domain` in plain ASCII, without quotes, blanks or comments: safe in a header and as an argument of a program.
[[nodiscard]] bool is_mail_address(std::string_view text);

/// The part after the `@`, in small letters.
[[nodiscard]] std::string mail_domain(std::string_view address);

/// The parts of `https://host:port/path?query`.
struct WebAddress {
  bool is_secure = false;
  std::string host;  ///< in small letters; an IPv6 address without its brackets
  std::uint16_t port = 0;
  [[nodiscard]] bool is_usual_port() const;
};
/// Reads an address of http or https. The error is what would be right: no user, fragment, blank, quote or other byte that does not belong
/// into a URL, 2000 bytes at most.
[[nodiscard]] tl::expected<WebAddress, std::string> web_address(std::string_view url);

/// Whether a list of hosts has the address: `hooks.example.org` (with its usual port), `hooks.example.org:8443`, `*.example.org`.
[[nodiscard]] bool is_listed(const WebAddress& address, std::span<const std::string> hosts);

/// Whether the text can stand in such a list.
[[nodiscard]] bool is_host_entry(std::string_view text);

}  // namespace gleaner::text
