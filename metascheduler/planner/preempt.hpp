#pragma once
#include <vector>

#include "metascheduler/planner/draft.hpp"

namespace gleaner::planner {

/// Jobs of the lowest priority give way: what the campaigns of normal priority and above still want
/// on a cluster, and did not get for want of resources, is freed there by killing jobs of lowest
/// campaigns; no more than is wanted, and what kills on their way will free is counted. Which jobs,
/// the youngest, is for the caller to say: a plan knows counts only. Source: spec/002, "Project
/// Priority".
void preempt(std::vector<Contender>& contenders, Draft& draft);

}  // namespace gleaner::planner
