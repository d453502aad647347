#pragma once
#include <span>
#include <string_view>
#include <vector>

namespace gleaner::jdl {

/// A key of a campaign file, as its manual page shows it.
struct DescribedKey {
  enum class Level {
    campaign,  ///< on the top level alone
    cluster,   ///< of a cluster, or on the top level for all of them
  };
  std::string_view name;
  Level level;
  std::string_view value;  ///< its form, or the words that it may be
  std::string_view meaning;
};

/// All keys, those of campaigns first.
[[nodiscard]] std::span<const DescribedKey> described_keys();

/// The names of those of a level.
[[nodiscard]] std::vector<std::string_view> names_of_keys(DescribedKey::Level level);

}  // namespace gleaner::jdl
