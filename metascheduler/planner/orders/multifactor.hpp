#pragma once
#include "metascheduler/planner/orders/order.hpp"

namespace gleaner::planner {

/// The factors of a campaign, each in [0, 1], the greater the sooner.
struct Factors {
  double age = 0.0;               ///< time since its submission, up to PlannerConfig::age_max
  double fairshare = 0.0;         ///< 2^(-usage / share): 1 when nothing was used, 1/2 when just the share was
  double size = 0.0;              ///< of its widest job, against its largest cluster
  double priority = 0.0;          ///< its own: 1 for the highest, 0 for the lowest
  double affinity = 0.0;          ///< part of its clusters with which its user has affinity
  double project = 0.0;           ///< 2^(-usage / share) of the project in which its user has a share; 0: of none
  double early = 0.0;             ///< part of its first tasks that may still begin by a head start (HeadStarts): for these alone
  double project_priority = 0.0;  ///< the administrators' for its project: 1 for the highest, 0 for the lowest
  double group_priority = 0.0;    ///< likewise for its user's group
};

[[nodiscard]] Factors factors_of(const Class& among, std::size_t contender);
/// How much each factor of the order `multifactor` counts.
struct FactorWeights {
  double age = 0.0;
  double fairshare = 0.0;
  double size = 0.0;
  double priority = 0.0;
  double affinity = 0.0;
  double project = 0.0;
  double early = 0.0;
  double project_priority = 0.0;
  double group_priority = 0.0;
};

/// By contender, for the members: the factor of the project below which its user has shares, as in fairtree. A project that a campaign
/// names without its user being in it gives it nothing.
[[nodiscard]] std::vector<double> project_factors(const Class& among);

/// "age:1000,size:10": factors that are not named count 0. The error states what is wrong.
[[nodiscard]] tl::expected<FactorWeights, std::string> parse_weights(std::string_view text);

[[nodiscard]] double weighted(const Factors& factors, const FactorWeights& weights);

/// The campaign with the greatest sum of weighted factors first. The factor `early` raises a campaign's first tasks alone: they have a turn
/// of their own, and the campaign's later tasks have theirs at its place without the factor. Source: document 001, "multi-factor".
class Multifactor final : public CampaignOrder {
 public:
  [[nodiscard]] std::string_view name() const override { return "multifactor"; }
  [[nodiscard]] Needs needs() const override { return {.shares = true, .affinities = true}; }
  [[nodiscard]] std::unique_ptr<Turns> turns(const Class& among) const override;
};

}  // namespace gleaner::planner
