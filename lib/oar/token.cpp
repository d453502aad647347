#include "lib/oar/token.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "lib/oar/json.hpp"

namespace gleaner::oar {
namespace {

constexpr std::string_view kPrinted{"OAR_API_TOKEN="};
constexpr std::size_t kLongestToken = 8192;  ///< servers refuse longer header lines
constexpr std::int64_t kLastEnd = 9'000'000'000'000;

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank{" \t\r\n"};
  const auto first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) + 1 - first);
}

/// base64url without padding (RFC 7515).
std::optional<std::string> decoded(std::string_view text) {
  constexpr std::string_view kAlphabet{"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"};
  constexpr unsigned kBitsOfLetter = 6, kBitsOfByte = 8;
  std::string bytes;
  std::uint32_t rest = 0;
  unsigned bits = 0;
  for (const char letter : text) {
    const auto value = kAlphabet.find(letter);
    if (value == std::string_view::npos) return std::nullopt;
    rest = (rest << kBitsOfLetter | static_cast<std::uint32_t>(value)) & 0xFFFFU;
    bits += kBitsOfLetter;
    if (bits < kBitsOfByte) continue;
    bits -= kBitsOfByte;
    bytes += static_cast<char>(rest >> bits & 0xFFU);
  }
  return bytes;
}

}  // namespace

tl::expected<Token, std::string> read_token(std::string_view text) {
  text = trimmed(text);
  if (text.starts_with(kPrinted)) text.remove_prefix(kPrinted.size());
  const auto first = text.find('.');
  const auto second = first == std::string_view::npos ? first : text.find('.', first + 1);
  if (second == std::string_view::npos || text.find('.', second + 1) != std::string_view::npos || text.size() > kLongestToken)
    return tl::unexpected{
        std::string{"it is no JSON web token: three parts in base64url with dots between them, as 'oarsub -T' prints it"}};
  const auto claims = decoded(text.substr(first + 1, second - first - 1));
  if (!claims || !decoded(text.substr(0, first)) || !decoded(text.substr(second + 1)))
    return tl::unexpected{std::string{"it is no JSON web token: its parts are not base64url"}};
  try {
    const auto object = json::object(*claims);
    Token token{.text = std::string{text}, .user = json::text(object, {"user"})};
    if (token.user.empty()) return tl::unexpected{std::string{"the token has no claim 'user': it is not one of OAR 3"}};
    if (const auto ends = json::number(object, {"exp"})) {
      if (!(*ends >= 0) || *ends > static_cast<double>(kLastEnd))
        return tl::unexpected{fmt::format("the token's claim 'exp' is {}, which is no date", *ends)};
      token.ends_at = grid::from_unix(static_cast<std::int64_t>(*ends));
    }
    return token;
  } catch (const json::Malformed& error) {
    return tl::unexpected{fmt::format("the claims of the token cannot be read: {}", error.what())};
  }
}

tl::expected<std::vector<Token>, std::string> read_tokens(std::string_view content) {
  std::vector<Token> tokens;
  for (int number = 1; !content.empty(); ++number) {
    const auto end = std::min(content.find('\n'), content.size());
    const auto line = trimmed(content.substr(0, end));
    content.remove_prefix(std::min(end + 1, content.size()));
    if (line.empty() || line.front() == '#') continue;
    auto token = read_token(line);
    if (!token) return tl::unexpected{fmt::format("line {}: {}", number, token.error())};
    const auto known = std::ranges::find(tokens, token->user, &Token::user);
    if (known == tokens.end()) tokens.push_back(std::move(*token));
    else if (known->ends_at && (!token->ends_at || *token->ends_at > *known->ends_at)) *known = std::move(*token);
  }
  if (tokens.empty()) return tl::unexpected{std::string{"it has no token"}};
  return tokens;
}

}  // namespace gleaner::oar
