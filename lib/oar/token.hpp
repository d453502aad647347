#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "lib/grid/time.hpp"

namespace gleaner::oar {

/// A bearer token of OAR 3's REST API, a JWT, which proves who asks.
struct Token {
  std::string text;                        ///< the secret itself
  std::string user;                        ///< its claim `user`
  std::optional<grid::Instant> ends_at{};  ///< its claim `exp`; empty: it has none, and ends when its cluster's key does
};

/// Reads the claims, without a check of the signature, which only the cluster can make. The error never repeats the text.
[[nodiscard]] tl::expected<Token, std::string> read_token(std::string_view text);

/// Reads the tokens of a file: one a line, as `oarsub -T` prints it (`OAR_API_TOKEN=...`) or alone; blank lines and those that begin with
/// `#` count nothing. The later to end of two of one user counts. The error names the line.
[[nodiscard]] tl::expected<std::vector<Token>, std::string> read_tokens(std::string_view content);

}  // namespace gleaner::oar
