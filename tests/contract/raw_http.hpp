#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "lib/oar/access.hpp"

namespace gleaner::contract {

struct RawAnswer {
  int status = 0;
  std::string content_type;
  std::string body;
};

/// One request with exactly these headers (and the credentials): for what the client never sends.
[[nodiscard]] RawAnswer raw(const oar::Access& access, const std::string& method, const std::string& path,
                            const std::vector<std::string>& headers, const std::string& body = {});

/// `X_REMOTE_IDENT: user`.
[[nodiscard]] std::string identity(const oar::Access& access, std::string_view user);

inline const std::string kAcceptJson{"Accept: application/json"};
/// Without an Accept at all: libcurl would send `*/*`.
inline const std::string kNoAccept{"Accept:"};

}  // namespace gleaner::contract
