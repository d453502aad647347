#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/unit/oar_fake.hpp"

/// Lists that OAR gives in pages, with a count that may be wrong.
namespace gleaner::oar {
namespace {

TEST(OarLists, AListThatIgnoresItsOffset_IsNotReadForEver) {
  FakeOar oar{[](const auto&) { return json(200, R"({"total":99,"items":[{"id":1,"state":"Running"},{"id":2,"state":"Running"}]})"); }};
  Limits limits;
  limits.page = 2;
  Client client{oar.access(), limits};
  EXPECT_EQ(client.occupying()->size(), 2U);
  EXPECT_LT(oar.requests().size(), 100U);
}

/// A list of seven jobs, of a server that counts others, or none, with them.
Response part_of_seven(const http::Request& request, int total) {
  const auto offset = std::stoi(std::string{request.parameter("offset").value_or("0")});
  const auto limit = std::stoi(std::string{request.parameter("limit").value_or("500")});
  std::string items;
  for (int id = offset + 1; id <= std::min(offset + limit, 7); ++id)
    items += fmt::format("{}{{\"id\":{},\"state\":\"Running\"}}", items.empty() ? "" : ",", id);
  return json(200, fmt::format(R"({{"total":{},"items":[{}]}})", total, items));
}

TEST(OarLists, AListWhoseTotalIsWrong_IsReadToItsEnd_AndNoFurther) {
  std::vector<grid::RemoteJobId> ids;
  for (int id = 1; id <= 7; ++id) ids.emplace_back(id);
  for (const int total : {0, 1, 3, 6, 7, 8, 4000}) {
    for (const std::size_t page : {2U, 3U, 7U, 500U}) {
      FakeOar oar{[&](const http::Request& request) { return part_of_seven(request, total); }};
      Limits limits;
      limits.page = static_cast<int>(page);
      Client client{oar.access(), limits};
      const auto all = client.occupying();
      ASSERT_TRUE(all) << describe(all.error());
      EXPECT_EQ(all->size(), 7U) << total << ' ' << page;
      EXPECT_LE(oar.requests().size(), 8U) << total << ' ' << page;
      EXPECT_EQ(client.jobs(ids)->size(), 7U) << total << ' ' << page;
    }
  }
}

TEST(OarLists, AnEmptyListThatIsSaidToHaveItems_IsEmpty) {
  FakeOar oar{[](const auto&) { return json(200, R"({"total":6,"items":[]})"); }};
  Client client{oar.access()};
  const auto jobs = client.jobs(std::vector{grid::RemoteJobId{5}});
  ASSERT_TRUE(jobs) << describe(jobs.error());
  EXPECT_TRUE(jobs->empty());
}

TEST(OarLists, AServerThatGivesLessThanItIsAskedFor_IsReadToTheEnd) {
  FakeOar oar{[](const http::Request& request) {
    const auto offset = std::stoi(std::string{request.parameter("offset").value_or("0")});
    std::string items;
    for (int id = offset + 1; id <= std::min(offset + 2, 7); ++id) {
      items += fmt::format("{}{{\"id\":{},\"state\":\"Running\"}}", items.empty() ? "" : ",", id);
    }
    return json(200, fmt::format(R"({{"total":7,"items":[{}]}})", items));
  }};
  Client client{oar.access()};
  EXPECT_EQ(client.occupying()->size(), 7U);
  std::vector<grid::RemoteJobId> ids;
  for (int id = 1; id <= 7; ++id) {
    ids.emplace_back(id);
  }
  EXPECT_EQ(client.jobs(ids)->size(), 7U);
}

}  // namespace
}  // namespace gleaner::oar
