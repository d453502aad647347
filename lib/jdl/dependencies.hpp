#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "lib/grid/dependency.hpp"
#include "lib/grid/id.hpp"
#include "lib/jdl/tree.hpp"

/// The keys `after`, `after_any_end` and `after_each` of a campaign. Source: document 003, dependencies of jobs.
namespace gleaner::jdl {

/// The number of a campaign that is checked along with this one, and not submitted yet (gridsub, several campaigns in one file).
inline constexpr grid::CampaignId kNotSubmittedYet{0};
/// The most campaigns that one waits for.
inline constexpr std::size_t kMostDependencies = 100;
inline constexpr std::int64_t kGreatestId = 1'000'000'000'000'000;  ///< of a campaign

/// A campaign that this one waits for, as the user names it: by its number, or by its name.
struct Dependency {
  grid::DependencyKind kind = grid::DependencyKind::after;
  std::variant<grid::CampaignId, std::string> on{kNotSubmittedYet};
  bool operator==(const Dependency&) const = default;
};

struct CampaignFile;

/// Reads the key of a kind: a number, a name, or an array of them. A string of digits is a number.
void read_dependencies(grid::DependencyKind kind, const Node& node, const std::string& path, std::vector<Dependency>& into,
                       Findings& findings);
/// Sorts what was read, and reports what contradicts it.
void check_dependencies(const Document& document, CampaignFile& campaign, Findings& findings);

/// `12`, `'mesh'`.
[[nodiscard]] std::string text_of(const std::variant<grid::CampaignId, std::string>& campaign);

}  // namespace gleaner::jdl
