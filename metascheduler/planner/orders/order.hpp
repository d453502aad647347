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
#include "metascheduler/planner/head_start.hpp"

namespace gleaner::planner {

/// The campaigns of one class, among which an order decides.
struct Class {
  const Snapshot& snapshot;
  const PlannerConfig& config;
  const std::vector<Contender>& contenders;  ///< all contenders of the plan
  std::vector<std::size_t> members;          ///< their indices, by ascending id
  double free_resources = 0.0;               ///< of all clusters, before the plan gave anything
  std::uint64_t seed = 0;
  const HeadStarts* head_starts = nullptr;  ///< of the plan; null: there are none

  [[nodiscard]] const CampaignView& campaign(std::size_t contender) const { return *contenders[contender].campaign; }
};

constexpr double kWholeTurn = std::numeric_limits<double>::infinity();

/// The tasks that a turn is for. The resources of a head start are bounded by HeadStarts, and it makes no reservation.
enum class TurnKind { any_task, head_start };

/// Which contender is served next, and with how much.
struct Turn {
  std::size_t contender = 0;
  TurnKind kind = TurnKind::any_task;
  double most_resources = kWholeTurn;  ///< one job is given even when it takes more
};

/// The jobs that a turn assigned.
struct Served {
  double resources = 0.0;
  double resource_seconds = 0.0;  ///< by the expected duration of the jobs
  int jobs = 0;
  bool exhausted = false;  ///< the campaign can be given no more in this class
};

/// The turns of one class in one plan.
class Turns {
 public:
  virtual ~Turns() = default;
  /// Nothing if all contenders are exhausted.
  [[nodiscard]] virtual std::optional<Turn> next() = 0;
  virtual void served(const Turn& turn, const Served& served) = 0;
  /// The contender got this before the first turn. An order that weighs what a plan gives counts it.
  virtual void head_start(std::size_t, const Served&) {}
  /// The figures behind a contender's place, rounded, before anything was given; empty if the order has none.
  [[nodiscard]] virtual std::optional<decisions::Place> place(std::size_t) const { return std::nullopt; }
  /// Where turns are drawn: how likely the next one is the contender's. Empty: the order does not draw.
  [[nodiscard]] virtual std::optional<double> chance(std::size_t) const { return std::nullopt; }
};

/// An order policy: which campaign of a class goes first. A new one is a class in a file of this folder and a line in table.cpp. Every
/// order is work-conserving: a campaign takes part until it can be given no more.
class CampaignOrder {
 public:
  virtual ~CampaignOrder() = default;
  [[nodiscard]] virtual std::string_view name() const = 0;
  /// The facts that it reads from the snapshot besides campaigns and pairs. The caller may leave out the rest.
  [[nodiscard]] virtual Needs needs() const { return {}; }
  /// Whether it draws for the free cores of each speed, the fastest first, among the campaigns that are compatible with them.
  [[nodiscard]] virtual bool draws_for_cores() const { return false; }
  /// Depends on the class alone, not on the clock.
  [[nodiscard]] virtual std::unique_ptr<Turns> turns(const Class& among) const = 0;
};

/// The order that the configuration's `campaign_order` names: classes, then an order within them.
struct OrderChoice {
  bool by_priority = false;
  bool by_affinity = false;
  bool affinity_first = false;  ///< affinity goes before priority
  const CampaignOrder* within = nullptr;
};

/// Reads "fairshare", "priority" or "affinity,priority,tickets". Without an order at the end, it is fifo.
[[nodiscard]] tl::expected<OrderChoice, std::string> parse_order(std::string_view text);

[[nodiscard]] std::vector<std::string_view> order_names();  ///< of the orders within a class
[[nodiscard]] std::vector<std::string_view> class_names();  ///< that may come before an order

}  // namespace gleaner::planner
