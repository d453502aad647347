#pragma once
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <tl/expected.hpp>

#include "lib/text/suggest.hpp"

namespace gleaner::planner {

/// The policies of one kind, each under its own name().
template <class Policy, std::size_t N>
using PolicyTable = std::array<const Policy*, N>;

template <class Policy, std::size_t N>
[[nodiscard]] std::vector<std::string_view> names_of(const PolicyTable<Policy, N>& table) {
  std::vector<std::string_view> names;
  for (const auto* policy : table) names.push_back(policy->name());
  return names;
}

/// The policy of this name. The error states the closest name, and all names.
template <class Policy, std::size_t N>
[[nodiscard]] tl::expected<const Policy*, std::string> find_policy(const PolicyTable<Policy, N>& table, std::string_view kind,
                                                                   std::string_view name) {
  std::array<std::string_view, N> known;
  for (std::size_t i = 0; i < N; ++i) {
    known[i] = table[i]->name();
    if (known[i] == name) return table[i];
  }
  return tl::unexpected{
      fmt::format("there is no {} named '{}'{}; there are: {}", kind, name, text::did_you_mean(name, known), fmt::join(known, ", "))};
}

}  // namespace gleaner::planner
