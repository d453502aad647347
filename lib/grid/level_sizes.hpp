#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "lib/grid/node_sizes.hpp"

namespace gleaner::grid {

/// The sizes in which a cluster's resources come at each level of OAR's hierarchy beside nodes and cores: how many resources have one value
/// of a property (`gpu`, `cpu`, `switch`), whatever their state.
class LevelSizes {
 public:
  struct Sizes {
    NodeSizes alone;    ///< by value: what `/gpu=1` takes
    NodeSizes of_node;  ///< by node and value: what `/host=1/gpu=1` takes

    bool operator==(const Sizes&) const = default;
  };

  /// Reads the format of text(); empty when the text does not have it.
  [[nodiscard]] static std::optional<LevelSizes> parse(std::string_view text);

  /// Ignored: more properties, or more sizes of one, than a hierarchy has.
  void add(std::string_view property, Sizes sizes);

  /// "cpu 8x4;gpudevice 8x4|4x8": 4 values of cpu with 8 resources each; 4 of gpudevice with 8 each, which are 8 times 4 by node. An empty
  /// text: nothing is known.
  [[nodiscard]] std::string text() const;

  /// Null: nothing is known of the property.
  [[nodiscard]] const Sizes* of(std::string_view property) const;

  bool operator==(const LevelSizes&) const = default;

 private:
  std::map<std::string, Sizes, std::less<>> levels_;
};

}  // namespace gleaner::grid
