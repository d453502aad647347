#pragma once
#include <regex>
#include <set>
#include <string>

namespace gleaner::tests {

/// The names of metrics that a text has: a page of /metrics, rules, a dashboard, documentation.
[[nodiscard]] inline std::set<std::string> names_in(const std::string& text) {
  static const std::regex kName{"\\bgleaner_[a-z0-9_]+"};
  std::set<std::string> names;
  for (auto found = std::sregex_iterator{text.begin(), text.end(), kName}; found != std::sregex_iterator{}; ++found)
    names.insert(found->str());
  return names;
}

}  // namespace gleaner::tests
