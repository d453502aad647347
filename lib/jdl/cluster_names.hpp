#pragma once
#include <cstddef>
#include <vector>

#include "lib/jdl/parse.hpp"
#include "lib/jdl/tree.hpp"

namespace gleaner::jdl {

/// Compares the clusters that a campaign names with those of the grid. For lib/jdl only.
class ClusterNames {
 public:
  /// @param known  null: any name is right
  ClusterNames(const KnownClusters* known, Form form, Findings& findings) : known_{known}, form_{form}, findings_{findings} {}

  /// False: no cluster of the grid has this name. An empty name, and that of a disabled cluster, are problems. The member must outlive this
  /// object.
  [[nodiscard]] bool is_known(const Member& member);
  /// Reports the unknown names: as doubts if the campaign has other clusters, which take its tasks, else as problems.
  void report_unknown(std::ptrdiff_t others);
  /// Null: any name is right.
  [[nodiscard]] const std::vector<Consumable>* consumables() const {
    return known_ != nullptr && known_->consumables ? &*known_->consumables : nullptr;
  }

 private:
  const KnownClusters* known_;
  Form form_;
  Findings& findings_;
  std::vector<const Member*> unknown_;
};

}  // namespace gleaner::jdl
