#pragma once
#include <optional>
#include <string>
#include <vector>

#include "lib/jdl/parse.hpp"
#include "lib/store/database.hpp"
#include "lib/store/rules.hpp"

namespace gleaner::rules {

/// The rules, and the facts of the grid that they can read.
struct Setting {
  std::vector<store::Rule> rules;  ///< all of them, in order
  jdl::KnownClusters known;        ///< every cluster: a disabled one may be enabled while the campaign runs
  std::vector<std::string> disabled;
  std::string clusters;  ///< JSON: `{"alpha": {"enabled", "reachable", "max_resources", "power", "normal_users"}}`
};

/// @param user  who submits the campaign; empty: nobody in particular
[[nodiscard]] Setting load_setting(store::Transaction& transaction, const std::optional<std::string>& user);

}  // namespace gleaner::rules
