#pragma once
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "metascheduler/planner/candidate.hpp"
#include "metascheduler/planner/config.hpp"

namespace gleaner::planner {

/// Those among whom an order decides: campaigns of one class.
struct Class {
  const Snapshot& snapshot;
  const PlannerConfig& config;
  const std::vector<Contender>& contenders;   ///< all of the plan
  std::vector<std::size_t> members;           ///< indices of those of this class, by ascending id
  double free_resources = 0.0;                ///< of all clusters, when the plan began
  std::uint64_t seed = 0;

  [[nodiscard]] const CampaignView& campaign(std::size_t contender) const { return *contenders[contender].campaign; }
};

constexpr double kWholeTurn = std::numeric_limits<double>::infinity();

/// Who is served next, and how much of it.
struct Turn {
  std::size_t contender = 0;
  double most_resources = kWholeTurn;  ///< one job is given even when it takes more
};

/// What a turn brought.
struct Served {
  double resources = 0.0;
  double resource_seconds = 0.0;  ///< by the expected duration of the jobs
  int jobs = 0;
  bool exhausted = false;         ///< the campaign can be given no more in this class
};

/// The turns of one class in one plan.
class Turns {
 public:
  virtual ~Turns() = default;
  /// Nothing when everybody is exhausted.
  [[nodiscard]] virtual std::optional<Turn> next() = 0;
  virtual void served(const Turn& turn, const Served& served) = 0;
  /// What a campaign's place comes from, before anything was given; empty when the order has no figures.
  [[nodiscard]] virtual std::string standing(std::size_t) const { return {}; }
};

/// An order policy: who goes first among the campaigns of one class. A new one is a class in a
/// file of this folder and a line in table.cpp. Every order is work-conserving: a campaign takes
/// part until it can be given no more.
class CampaignOrder {
 public:
  virtual ~CampaignOrder() = default;
  [[nodiscard]] virtual std::string_view name() const = 0;
  /// What it looks at in the snapshot besides campaigns and pairs: the caller need not find out more.
  [[nodiscard]] virtual Needs needs() const { return {}; }
  /// The answer depends neither on the clock nor on anything but the class.
  [[nodiscard]] virtual std::unique_ptr<Turns> turns(const Class& among) const = 0;
};

/// What the configuration's `campaign_order` names: classes, then an order within them.
struct OrderChoice {
  bool by_priority = false;
  bool by_affinity = false;
  bool affinity_first = false;  ///< couples of affinity before priorities
  const CampaignOrder* within = nullptr;
};

/// "fairshare", "priority", "affinity,priority,tickets": without an order at the end, it is fifo.
[[nodiscard]] tl::expected<OrderChoice, std::string> parse_order(std::string_view text);

[[nodiscard]] std::vector<std::string_view> order_names();  ///< of the orders within a class
[[nodiscard]] std::vector<std::string_view> class_names();  ///< that may come before an order

}  // namespace gleaner::planner
