#include "lib/http/tls.hpp"

#include <openssl/err.h>
#include <openssl/x509.h>

#include <fmt/format.h>

namespace gleaner::http {

namespace {

std::string tls_error() {
  char text[256] = "unknown error";
  ERR_error_string_n(ERR_get_error(), text, sizeof text);
  ERR_clear_error();
  return text;
}

tl::unexpected<std::string> refused(std::string_view what, const std::string& file) {
  return tl::unexpected{fmt::format("cannot use the {} {}: {}", what, file, tls_error())};
}

}  // namespace

tl::expected<TlsContext, std::string> tls_context(const TlsFiles& files) {
  TlsContext context{SSL_CTX_new(TLS_server_method())};
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  SSL_CTX_set_mode(context.get(), SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  if (SSL_CTX_use_certificate_chain_file(context.get(), files.certificate.c_str()) != 1) {
    return refused("TLS certificate", files.certificate);
  }
  if (SSL_CTX_use_PrivateKey_file(context.get(), files.key.c_str(), SSL_FILETYPE_PEM) != 1 ||
      SSL_CTX_check_private_key(context.get()) != 1) {
    return refused("TLS key", files.key);
  }
  if (files.client_authority) {
    const auto& authority = *files.client_authority;
    if (SSL_CTX_load_verify_locations(context.get(), authority.c_str(), nullptr) != 1) return refused("TLS client authority", authority);
    SSL_CTX_set_client_CA_list(context.get(), SSL_load_client_CA_file(authority.c_str()));
    const auto demand = files.clients == TlsFiles::Clients::known ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0;
    SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER | demand, nullptr);
    // Without a name of its own, OpenSSL refuses to resume sessions of verified clients, as web servers do with each connection.
    constexpr std::string_view kContext{"gleaner"};
    SSL_CTX_set_session_id_context(context.get(), reinterpret_cast<const unsigned char*>(kContext.data()), kContext.size());
  }
  return context;
}

std::optional<std::string> client_subject(const SSL* session) {
  const std::unique_ptr<X509, decltype(&X509_free)> certificate{SSL_get1_peer_certificate(session), X509_free};
  if (!certificate) return std::nullopt;
  const std::unique_ptr<BIO, decltype(&BIO_free)> text{BIO_new(BIO_s_mem()), BIO_free};
  X509_NAME_print_ex(text.get(), X509_get_subject_name(certificate.get()), 0, XN_FLAG_RFC2253);
  char* data = nullptr;
  const long size = BIO_get_mem_data(text.get(), &data);
  return std::string(data, static_cast<std::size_t>(size));
}

}  // namespace gleaner::http
