#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "api/coding.hpp"
#include "api/router.hpp"
#include "lib/http/message.hpp"

/// ETags of answers: a client that has an answer already asks whether it is still the same, and is not sent it again.
namespace gleaner::api {

enum class Layout { plain, pretty };

/// The layout that a request asks for: pretty with the flag `pretty`.
[[nodiscard]] Layout layout_of(const http::Request& request);

/// The ETag of a text, `"9f86d081884c7d65"`, with its quotes. It is a strong one, so each layout and coding has its own.
[[nodiscard]] std::string etag_of(std::string_view text, Layout layout, Coding coding = Coding::identity);

/// How ETags are compared (RFC 9110, 8.8.3.2): strong, for If-Match, where a weak one (`W/"…"`) equals none; weak, for If-None-Match.
enum class Comparison { strong, weak };

/// Whether a list of ETags has this strong one of a text without coding, or that of the same text with gzip's, or is `*`.
[[nodiscard]] bool names_etag(std::string_view list, std::string_view etag, Comparison comparison);

/// Adds the ETag to an answer that has its whole body, unless that is large; one that the client has already becomes a 304 without a body.
/// Answers of other statuses, streams, and answers to requests that change something are left as they are.
/// @param coding  the one that its body will get
void add_etag(const http::Request& request, http::Response& response, Coding coding = Coding::identity);

/// The answer to a request that would change something only if an ETag matches, or none does, where the route does not compare it; empty:
/// go on.
[[nodiscard]] std::optional<http::Response> refuse_conditions(const http::Request& request, const Route& route);

}  // namespace gleaner::api
