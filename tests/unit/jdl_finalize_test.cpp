#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/jdl/facts_of.hpp"
#include "lib/jdl/parse.hpp"
#include "metascheduler/planner/schedulers/scheduler.hpp"

namespace gleaner::jdl {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

tl::expected<CampaignFile, std::vector<Problem>> read_keys(std::string_view keys) {
  return parse(fmt::format("{{\"name\": \"n\", \"exec_file\": \"a\", \"clusters\": {{\"alpha\": {{}}}}, {}}}", keys), {});
}
std::string problems(std::string_view keys) {
  const auto file = read_keys(keys);
  return file ? std::string{} : render(file.error(), "c");
}

TEST(Document003, Finalize_IsASchedulerOfACampaign_AndNoneOfTheConfiguration) {
  const auto file = read_keys(R"("nb_jobs": 3, "scheduler": "finalize")").value();
  EXPECT_TRUE(facts_of(file).replicas_allowed);
  EXPECT_EQ(facts_of(file).scheduler, "finalize");
  EXPECT_EQ(from_json(to_json(file)), file);
  EXPECT_THAT(to_json(file), Not(HasSubstr("replicas"))) << "another scheduler takes the replicas away";
  EXPECT_THAT(planner::scheduler_names(), Contains("finalize"));
  EXPECT_THAT(planner::default_scheduler_names(), Not(Contains("finalize"))) << "only its user can say that a task may run twice";
}

TEST(Document003, Finalize_BesideReplicas_ChangesNothing_OrIsRefusedWithBothNames) {
  const auto both = read_keys(R"("nb_jobs": 3, "scheduler": "finalize", "replicas": "allowed")").value();
  EXPECT_TRUE(facts_of(both).replicas_allowed);
  EXPECT_TRUE(from_json(to_json(both))->replicas_allowed) << "the key stays when the scheduler changes";
  EXPECT_THAT(
      problems(R"("nb_jobs": 3, "scheduler": "finalize", "replicas": "refused")"),
      HasSubstr(R"(replicas: "scheduler": "finalize" gives tasks replicas, and "replicas": "refused" none: leave out one of the two)"));
  EXPECT_EQ(problems(R"("nb_jobs": 3, "scheduler": "prediction", "replicas": "refused")"), "");
  EXPECT_THAT(problems(R"("nb_jobs": 3, "scheduler": "finalise")"), HasSubstr("write workqueue, prediction or finalize (did you mean"));
}

}  // namespace
}  // namespace gleaner::jdl
