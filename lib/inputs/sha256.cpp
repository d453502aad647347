#include "lib/inputs/sha256.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <vector>

namespace gleaner::inputs {

struct Sha256::Context {
  struct Free {
    void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
  };
  std::unique_ptr<EVP_MD_CTX, Free> state{EVP_MD_CTX_new()};
};

Sha256::Sha256() : context_{std::make_unique<Context>()} {
  if (!context_->state || EVP_DigestInit_ex(context_->state.get(), EVP_sha256(), nullptr) != 1)
    throw std::runtime_error{"OpenSSL has no SHA-256"};
}
Sha256::~Sha256() = default;
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;

void Sha256::add(std::string_view bytes) { EVP_DigestUpdate(context_->state.get(), bytes.data(), bytes.size()); }

std::string Sha256::finish() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  EVP_DigestFinal_ex(context_->state.get(), digest.data(), &size);
  std::string text;
  for (unsigned i = 0; i < size; ++i) text += fmt::format("{:02x}", digest.at(i));
  return text;
}

tl::expected<std::string, std::string> sha256_of(const std::filesystem::path& file) {
  constexpr std::size_t kPiece = 256 * 1024;
  std::ifstream stream{file, std::ios::binary};
  if (!stream) return tl::unexpected{std::string{std::strerror(errno)}};
  Sha256 sum;
  std::vector<char> piece(kPiece);
  while (stream.read(piece.data(), static_cast<std::streamsize>(piece.size())), stream.gcount() > 0)
    sum.add({piece.data(), static_cast<std::size_t>(stream.gcount())});
  if (stream.bad()) return tl::unexpected{std::string{std::strerror(errno)}};
  return sum.finish();
}

std::string sha256_of_text(std::string_view text) {
  Sha256 sum;
  sum.add(text);
  return sum.finish();
}

}  // namespace gleaner::inputs
