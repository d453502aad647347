#include <fmt/format.h>
#include <gtest/gtest.h>

#include <vector>

#include "lib/grid/resource_fit.hpp"
#include "tests/contract/requests_of_widths.hpp"
#include "tests/contract/world.hpp"

namespace gleaner::contract {
namespace {

class Widths : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(On, Widths, ::testing::ValuesIn(asked_backends()), [](const auto& each) {
  auto name = each.param;
  for (char& letter : name) letter = std::isalnum(static_cast<unsigned char>(letter)) != 0 ? letter : '_';
  return name;
});

TEST_P(Widths, AJobHoldsWhatItsRequestCountsAs_BeforeAnyOfItRan) {
  auto& world = World::of(GetParam());
  const auto resources = world.client().resources();
  ASSERT_TRUE(resources) << oar::describe(resources.error());
  auto texts = requests_of_widths(*resources);
  texts.emplace_back("/nodes=1/core=ALL");
  std::vector<grid::RemoteJobId> ids;
  for (const auto& text : texts) {
    ASSERT_TRUE(counted_as(text, *resources)) << text;
    auto asked = world.request("true");
    asked.resources = text;
    ids.push_back(world.submit(asked).ids.front());
  }
  const auto jobs = world.await_end(ids);
  for (std::size_t i = 0; i < texts.size(); ++i)
    EXPECT_EQ(jobs[i].resources, counted_as(texts[i], *resources)) << texts[i] << ": " << jobs[i].message;
}

}  // namespace
}  // namespace gleaner::contract
