#pragma once
#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>

#include "lib/text/digest.hpp"
#include "sim/world/virtual_clock.hpp"

namespace gleaner::world {

/// All that happens in a world, a line each with its time: the same to the byte for the same seed.
class Trace {
 public:
  /// `file`: empty: only the digest is kept. `root`: the world's folder, whose name differs from run to run; texts that name it are noted
  /// as if it were `/world`.
  Trace(const VirtualClock& clock, const std::string& file, std::string root);

  void note(std::string_view what);
  /// A digest of a text that may name the world's folder.
  [[nodiscard]] std::string digest(std::string text) const;
  /// The digest of all lines so far.
  [[nodiscard]] std::uint64_t digest() const { return digest_.value(); }
  [[nodiscard]] std::int64_t lines() const { return lines_; }

 private:
  const VirtualClock& clock_;
  std::ofstream file_;
  std::string root_;
  text::Digest digest_;
  std::int64_t lines_ = 0;
};

}  // namespace gleaner::world
