#pragma once
#include <compare>
#include <cstdint>
#include <functional>

namespace gleaner::grid {

/// An integer that identifies one kind of object. Ids of different kinds do not compare or convert.
template <class Tag>
class Id {
 public:
  constexpr explicit Id(std::int64_t value) : value_{value} {}
  [[nodiscard]] constexpr std::int64_t value() const { return value_; }
  auto operator<=>(const Id&) const = default;

 private:
  std::int64_t value_;
};

using ClusterId = Id<struct ClusterTag>;
using CampaignId = Id<struct CampaignTag>;
using LaunchId = Id<struct LaunchTag>;
using JobId = Id<struct JobTag>;
/// The number of a task in its campaign, from 0, in the order of the parameters.
using TaskNumber = Id<struct TaskTag>;
/// OAR's id of its job.
using RemoteJobId = Id<struct RemoteJobTag>;

}  // namespace gleaner::grid

template <class Tag>
struct std::hash<gleaner::grid::Id<Tag>> {
  std::size_t operator()(gleaner::grid::Id<Tag> id) const noexcept { return std::hash<std::int64_t>{}(id.value()); }
};
