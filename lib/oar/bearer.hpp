#pragma once
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "lib/grid/time.hpp"
#include "lib/oar/failure.hpp"

namespace gleaner::oar {

struct Access;

/// Which identities a cluster took, and which it refused, by login. Thread-safe.
class TokenUse {
 public:
  enum class Verdict { taken, refused };
  /// A refusal stays: the same token is not sent again (by clients that share this).
  void note(std::string_view login, Verdict verdict);
  [[nodiscard]] bool is_refused(std::string_view login) const;
  [[nodiscard]] std::map<std::string, Verdict, std::less<>> all() const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, Verdict, std::less<>> verdicts_;
};

/// A request failed as the cluster does not take its user's token, or as there is none: it was not carried out, and says nothing of
/// anybody else, of the cluster, or of what was asked.
[[nodiscard]] bool is_of_identity(const Failure& failure);
/// Such a failure, of a request that was not sent.
[[nodiscard]] Failure no_identity(std::string why);

/// The token by which requests are made in a user's name: theirs, or one that the site's key signs now. Error: why there is none; it is
/// about a user, never about what a token holds.
[[nodiscard]] tl::expected<std::string, std::string> bearer_of(const Access& access, std::string_view user);

/// A JSON web token of OAR 3 by HS256: its user, when it was made, and when it ends.
[[nodiscard]] std::string signed_token(std::string_view user, std::string_view key, grid::Instant now, grid::Seconds lifetime);

/// The third part of such a token, by its first two.
[[nodiscard]] std::string token_signature(std::string_view signed_part, std::string_view key);

}  // namespace gleaner::oar
