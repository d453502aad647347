#pragma once
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>

#include "lib/http/server.hpp"

namespace gleaner::tests {

/// A certification authority, a server's certificate and a client's, made once.
class Certificates {
 public:
  static const Certificates& get() {
    static const Certificates kCertificates;
    return kCertificates;
  }
  [[nodiscard]] std::string file(const std::string& name) const { return (folder_ / name).string(); }
  [[nodiscard]] http::TlsFiles server() const { return {file("server.pem"), file("server.key"), std::nullopt}; }
  [[nodiscard]] http::TlsFiles server_for_known_clients() const { return {file("server.pem"), file("server.key"), file("ca.pem")}; }
  ~Certificates() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  Certificates(Certificates&&) = delete;
  Certificates& operator=(Certificates&&) = delete;

 private:
  Certificates() {
    auto pattern = (std::filesystem::temp_directory_path() / "gleaner-tls-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    const std::string commands = fmt::format(
        "cd '{}' && exec >/dev/null 2>&1; new='openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -batch'; "
        "$new -x509 -days 2 -subj /CN=authority -keyout ca.key -out ca.pem && "
        "$new -x509 -days 2 -subj /CN=stranger -keyout stranger.key -out stranger.pem && "
        "echo subjectAltName=IP:127.0.0.1 >san && "
        "for who in server client; do $new -subj /CN=$who -keyout $who.key -out $who.csr && "
        "openssl x509 -req -days 2 -in $who.csr -CA ca.pem -CAkey ca.key -CAcreateserial -extfile san -out $who.pem || exit 1; done",
        folder_.string());
    if (std::system(commands.c_str()) != 0) {
      throw std::runtime_error("openssl could not make the certificates");
    }
  }
  std::filesystem::path folder_;
};

}  // namespace gleaner::tests
