#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace gleaner::inputs {

/// The SHA-256 of bytes that come piece by piece.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;
  void add(std::string_view bytes);
  /// In hexadecimal. Nothing may be added afterwards.
  [[nodiscard]] std::string finish();

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

/// The SHA-256 of a file's content. Error: why it cannot be read.
[[nodiscard]] tl::expected<std::string, std::string> sha256_of(const std::filesystem::path& file);
[[nodiscard]] std::string sha256_of_text(std::string_view text);

}  // namespace gleaner::inputs
