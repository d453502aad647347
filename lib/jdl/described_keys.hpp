#pragma once
#include <span>
#include <string_view>
#include <vector>

namespace gleaner::jdl {

/// A key of a campaign file, as people see it: its manual page, and what `gridsub --edit` may change.
struct DescribedKey {
  enum class Level {
    campaign,  ///< on the top level alone
    cluster,   ///< of a cluster, or on the top level for all of them
  };
  std::string_view name;
  Level level;
  std::string_view value;  ///< its form, or the words that it may be
  std::string_view meaning;
  std::string_view why_fixed = {};  ///< why it stays as it was submitted; empty: it may change
  bool is_inherited = false;        ///< a cluster that is added to a campaign takes the value that its other clusters share
};

/// All keys, those of campaigns first, in the order of the table (keys.cpp).
[[nodiscard]] std::span<const DescribedKey> described_keys();

/// The names of those of a level.
[[nodiscard]] std::vector<std::string_view> names_of_keys(DescribedKey::Level level);

}  // namespace gleaner::jdl
