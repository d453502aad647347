#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

namespace gleaner::grid {

/// Resources that one job may ask for.
inline constexpr int kMostResources = 10'000'000;

/// One level of OAR's `-l` hierarchy: `/nodes=2`. `all` is ALL or BEST, whose count only the
/// cluster knows.
struct ResourceLevel {
  std::string property;
  std::optional<int> count;
};

/// What one job asks of its cluster, in OAR's words: `/nodes=2/core=4`, with an optional filter
/// `{mem > 8}/core=1`. Moldable requests and `+` unions are kept as text, and counted by their
/// sum.
class ResourceRequest {
 public:
  /// Reads a request; the error says what is wrong and where in the text.
  [[nodiscard]] static tl::expected<ResourceRequest, std::string> parse(std::string_view text);

  /// The text that OAR gets, without a walltime.
  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] const std::vector<ResourceLevel>& levels() const { return levels_; }

  /// Resources that one job takes when a resource is a core: the product of the counts, 8 for
  /// `/nodes=2/core=4`. A level above the leaf with no deeper one (`/nodes=2` alone) takes whole
  /// nodes, whose size only the cluster knows: nothing then.
  [[nodiscard]] std::optional<int> resources() const { return resources_; }

 private:
  std::string text_;
  std::vector<ResourceLevel> levels_;
  std::optional<int> resources_;
};

}  // namespace gleaner::grid
