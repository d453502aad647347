#pragma once
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

namespace gleaner::grid {

/// The greatest number of resources of one job.
inline constexpr int kMostResources = 10'000'000;

/// The levels whose resources are whole nodes.
inline constexpr std::array<std::string_view, 3> kNodeLevels{"nodes", "host", "network_address"};

/// One level of OAR's `-l` hierarchy: `/nodes=2`. `all` stands for ALL or BEST, whose count only the cluster knows.
struct ResourceLevel {
  std::string property;
  std::optional<int> count;
};

/// A part of a request that `+` joins to others.
struct ResourceGroup {
  std::vector<ResourceLevel> levels;
  std::optional<int> resources;  ///< as of ResourceRequest::resources(), of this part
  bool of_cores = true;
};

/// The resource request of one job, in OAR's syntax: `/nodes=2/core=4`, with an optional filter `{mem > 8}/core=1`. `+` unions
/// are kept as text, and counted by their sum. A moldable request, of which OAR chooses one of several, is refused.
class ResourceRequest {
 public:
  /// Reads a request; the error states what is wrong and where in the text.
  [[nodiscard]] static tl::expected<ResourceRequest, std::string> parse(std::string_view text);

  /// The text for OAR, without a walltime.
  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] const std::vector<ResourceLevel>& levels() const { return levels_; }

  [[nodiscard]] const std::vector<ResourceGroup>& groups() const { return groups_; }

  /// Resources of one job if a resource is a core: the product of the counts, 8 for `/nodes=2/core=4`. Empty for a level above the leaf
  /// without a deeper one (`/nodes=2` alone): it takes whole nodes, whose size only the cluster knows.
  [[nodiscard]] std::optional<int> resources() const { return resources_; }

  /// Nodes of one job: 2 for `/nodes=2` and for `/cluster=1/nodes=2/core=4`. Empty: the request names no node, is a union, or only the
  /// cluster knows their number (ALL).
  [[nodiscard]] std::optional<int> nodes() const { return nodes_; }

  /// Resources of one job that are no cores, as far as the request states them: 2 for `/core=1+{type = 'licence'}/licence=2`.
  [[nodiscard]] int others() const;

  /// False: it asks only for resources of other types, which are no cores (`{type = 'licence'}/licence=2`), and counts as one resource.
  [[nodiscard]] bool is_of_cores() const { return of_cores_; }

 private:
  std::string text_;
  std::vector<ResourceLevel> levels_;
  std::vector<ResourceGroup> groups_;
  std::optional<int> resources_;
  std::optional<int> nodes_;
  bool of_cores_ = true;
};

/// Why tasks of one core each cannot run side by side in a job with this request: it has no node of its own with several cores. A sentence
/// without a full stop; empty: they can.
[[nodiscard]] std::optional<std::string> wrong_for_side_by_side(const ResourceRequest& request);

}  // namespace gleaner::grid
