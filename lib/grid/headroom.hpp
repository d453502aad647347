#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace gleaner::grid {

/// Resources of a cluster that the grid leaves free for local jobs which arrive (`gridctl cluster edit --headroom`, the option `headroom`).
struct Headroom {
  enum class Kind {
    resources,
    percent,   ///< of the resources of the cluster
    automatic  ///< as many as the predictor has learnt
  };
  Kind kind = Kind::resources;
  double amount = 0;  ///< in resources, or in percent

  [[nodiscard]] std::string text() const;
  bool operator==(const Headroom&) const = default;
};

/// How a headroom is written.
inline constexpr std::string_view kHeadroomForm{"a number of resources such as 8, a part of them such as 5%, or auto"};

/// Reads `8`, `2.5%` (up to 90 %) or `auto`.
[[nodiscard]] std::optional<Headroom> headroom(std::string_view text);

/// The most that `auto` keeps free, as a part of the cluster: a wrong lesson costs no more than that.
inline constexpr double kMostOfAuto = 0.2;
[[nodiscard]] int most_of_auto(int max_resources);

/// Resources that stay free, in whole ones; never all of the cluster.
/// @param learnt  by the predictor, for `auto`
[[nodiscard]] int kept_resources(const Headroom& headroom, int learnt, int max_resources);

}  // namespace gleaner::grid
