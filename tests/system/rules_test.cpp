#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <fstream>
#include <memory>

#include "tests/system/grid_under_test.hpp"

/// Admission rules: what they make of a campaign is what the clusters get.
namespace gleaner::tests {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class Rules : public ::testing::TestWithParam<GridUnderTest::Backend> {
 protected:
  void SetUp() override {
    const bool real = GetParam() == GridUnderTest::Backend::real_oar;
    if (real && real_clusters().empty()) GTEST_SKIP() << "GLEANER_TEST_OAR names no testbed: nothing is tested on real OAR here";
    GridUnderTest::Wish wish;
    wish.backend = GetParam();
    if (real) wish.clusters.clear();
    grid = std::make_unique<GridUnderTest>(wish);
    grid->start_api();
    grid->almighty().start();
  }
  std::string file(const std::string& name, const std::string& text) {
    const auto path = grid->folder() / name;
    std::ofstream{path} << text;
    return path.string();
  }
  std::unique_ptr<GridUnderTest> grid;
};

TEST_P(Rules, NormalJobs_AreRefused_UntilTheirUserIsListed_AndARuleSetsWhereAndHowLong) {
  const auto jdl = grid->jdl_of({.tasks = 6, .exec_file = grid->oracle().task(), .walltime = "3:0:0", .job_type = "normal"});
  const auto refused = grid->run("gridsub", {"-f", file("normal.jdl", jdl)});
  EXPECT_EQ(refused.end.exit_status, 4);
  EXPECT_THAT(refused.output,
              AllOf(HasSubstr("nothing was submitted"), HasSubstr("normal-jobs"), HasSubstr("may not submit normal jobs on alpha")));
  const auto user = refused.output.substr(0, refused.output.find(" may not submit"));
  ASSERT_TRUE(grid->run("gridctl", {"user", "allow-normal", user.substr(user.rfind(' ') + 1)}).end.succeeded());
  const auto rule =
      file("house.rb", "jdl[\"clusters\"].delete(\"beta\")\njdl[\"clusters\"].each_value { |c| c[\"walltime\"] = \"0:5:0\" }\n");
  ASSERT_TRUE(grid->run("gridctl", {"rules", "add", rule}).end.succeeded());
  const auto campaign = grid->gridsub(jdl);
  ASSERT_TRUE(grid->terminates(campaign));
  EXPECT_TRUE(grid->is_exactly_done(campaign, 6));
  EXPECT_EQ(grid->value("SELECT string_agg(DISTINCT k.name, ',') FROM jobs j JOIN clusters k ON k.id = j.cluster_id"), "alpha");
  EXPECT_EQ(grid->value("SELECT string_agg(best_effort || ' ' || walltime_s, ',') FROM campaign_clusters"), "false 300");
}

std::string name_of(const ::testing::TestParamInfo<GridUnderTest::Backend>& info) {
  return info.param == GridUnderTest::Backend::minioar ? "Minioar" : "RealOar";
}

INSTANTIATE_TEST_SUITE_P(OnEachBackend, Rules, ::testing::Values(GridUnderTest::Backend::minioar, GridUnderTest::Backend::real_oar),
                         name_of);

}  // namespace
}  // namespace gleaner::tests
