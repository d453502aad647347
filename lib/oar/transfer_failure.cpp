#include "lib/oar/transfer_failure.hpp"

#include <fmt/format.h>
#include <strings.h>

namespace gleaner::oar {
namespace {

/// Whether libcurl failed before it had a connection for the request.
bool before_sending(CURLcode code, CURL* easy) {
  switch (code) {
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_URL_MALFORMAT:
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR: return true;
    default: break;
  }
  long sent = 0;
  curl_easy_getinfo(easy, CURLINFO_REQUEST_SIZE, &sent);
  return sent == 0;
}

}  // namespace

Failure transfer_failure(CURLcode code, CURL* easy, const char* words) {
  std::string what = *words != '\0' ? words : curl_easy_strerror(code);
  // libcurl gives a line of the head no more than 100 kB, and reports that its memory is at an end.
  if (code == CURLE_OUT_OF_MEMORY) what = "a line of the answer's head is too long";
  return before_sending(code, easy) ? Failure{NotSent{std::move(what)}} : Failure{NoAnswer{std::move(what)}};
}

std::optional<std::string_view> field_of(std::string_view line, std::string_view name) {
  if (line.size() <= name.size() || line[name.size()] != ':' || ::strncasecmp(line.data(), name.data(), name.size()) != 0)
    return std::nullopt;
  line.remove_prefix(name.size() + 1);
  constexpr std::string_view kBlanks{" \t\r\n"};
  const auto begin = line.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return std::string_view{};
  return line.substr(begin, line.find_last_not_of(kBlanks) + 1 - begin);
}

std::optional<Failure> unusable_answer(std::string_view content_type, std::string_view coding) {
  if (coding.empty() || coding == "identity" || !content_type.starts_with("application/json")) return std::nullopt;
  constexpr std::string_view kLetters{"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-, "};
  const bool is_word = coding.find_first_not_of(kLetters) == std::string_view::npos;
  return Failure{NoAnswer{
      .what = fmt::format("the answer has a Content-Encoding{}, and none was asked for", is_word ? fmt::format(" ({})", coding) : ""),
      .invalid = true}};
}

std::optional<std::string> redirection(CURL* easy) {
  char* target = nullptr;
  if (curl_easy_getinfo(easy, CURLINFO_REDIRECT_URL, &target) != CURLE_OK || target == nullptr) return std::nullopt;
  return std::string{target};
}

}  // namespace gleaner::oar
