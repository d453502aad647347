#include "lib/jdl/cluster_names.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "lib/jdl/text.hpp"
#include "lib/text/suggest.hpp"

namespace gleaner::jdl {

bool ClusterNames::is_known(const Member& member) {
  const auto path = cluster_path(form_, member.key, "");
  const auto is = [&](const std::vector<std::string>& names) { return std::ranges::find(names, member.key) != names.end(); };
  if (trim(member.key).empty()) {
    findings_.add(member.offset, path, member.key, "a cluster has a name");
  } else if (known_ != nullptr && !is(known_->enabled)) {
    if (!is(known_->disabled)) {
      unknown_.push_back(&member);
      return false;
    }
    findings_.add(member.offset, path, member.key,
                  fmt::format("the cluster '{}' is disabled: leave it out, or ask the administrator", excerpt(member.key)));
  }
  return true;
}

void ClusterNames::report_unknown(std::ptrdiff_t others) {
  for (const auto* member : unknown_) {
    const auto path = cluster_path(form_, member->key, "");
    const std::vector<std::string_view> names{known_->enabled.begin(), known_->enabled.end()};
    auto hint = text::did_you_mean(member->key, names);
    if (hint.empty() && !names.empty()) hint = fmt::format("; the clusters are {}", fmt::join(names, ", "));
    const auto message = fmt::format("there is no cluster '{}'{}", excerpt(member->key), hint);
    if (others == 0) findings_.add(member->offset, path, member->key, message);
    else findings_.doubt(member->offset, path, member->key, message, ": it is left out");
  }
}

}  // namespace gleaner::jdl
