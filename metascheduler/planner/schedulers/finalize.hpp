#pragma once
#include "metascheduler/planner/schedulers/workqueue.hpp"

namespace gleaner::planner {

/// Like the workqueue; tasks that run get replicas (metascheduler/planner/replicate.cpp), as jdl::CampaignFile::may_replicate has it.
/// Source: document 003, "finalize scheduling".
class Finalize final : public Workqueue {
 public:
  [[nodiscard]] std::string_view name() const override { return "finalize"; }
  [[nodiscard]] bool may_be_default() const override { return false; }
};

}  // namespace gleaner::planner
