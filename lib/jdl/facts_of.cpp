#include "lib/jdl/facts_of.hpp"

#include "lib/jdl/inputs.hpp"

namespace gleaner::jdl {

grid::CampaignFacts facts_of(const CampaignFile& file) {
  grid::CampaignFacts facts;
  static_cast<grid::CampaignKeys&>(facts) = file.scheduling;
  facts.type = file.type;
  facts.project = file.project;
  facts.scheduler = file.scheduling.scheduler.value_or("");
  if (file.scheduling.min_duration) facts.min_duration = static_cast<double>(file.scheduling.min_duration->count());
  facts.input_mb = constant_input_mb(file).value_or(0);
  facts.replicas_allowed = file.may_replicate();
  if (const auto& checkpoint = file.scheduling.checkpoint) {
    facts.checkpoint_cost = static_cast<double>(checkpoint->cost.count());
    if (checkpoint->period) facts.checkpoint_period = static_cast<double>(checkpoint->period->count());
  }
  facts.needs = file.needs;
  return facts;
}

grid::PairFacts facts_of(const ClusterSection& section) {
  grid::PairFacts facts;
  static_cast<grid::PairKeys&>(facts) = section;
  facts.resources_per_job = section.resources.resources();
  facts.walltime = static_cast<double>(section.walltime.count());
  if (section.resources_expression.empty()) facts.nodes_per_job = section.resources.nodes();
  facts.best_effort = section.kind == JobKind::best_effort;
  return facts;
}

}  // namespace gleaner::jdl
