#pragma once
#include <memory>
#include <string>

#include <openssl/ssl.h>

#include <tl/expected.hpp>

#include "lib/http/server.hpp"

namespace gleaner::http {

struct SslFree {
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  void operator()(SSL* session) const { SSL_free(session); }
};
using TlsContext = std::unique_ptr<SSL_CTX, SslFree>;
using TlsSession = std::unique_ptr<SSL, SslFree>;

/// A server's context: TLS 1.2 at least; the error names the file.
[[nodiscard]] tl::expected<TlsContext, std::string> tls_context(const TlsFiles& files);

/// The subject of the client's certificate, in one line (RFC 2253).
[[nodiscard]] std::optional<std::string> client_subject(const SSL* session);

}  // namespace gleaner::http
