#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

#include "lib/oar/client.hpp"
#include "tests/contract/backend.hpp"
#include "tests/contract/patience.hpp"
#include "tests/contract/requests_of_widths.hpp"
#include "tests/contract/until_answered.hpp"

/// Requests of all shapes, on minioar as OAR 2.5 and 2.6, and on a real OAR. Alone, because whole nodes wait for the jobs of other tests.
namespace gleaner::contract {
namespace {

using namespace std::chrono_literals;

class Widths : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(On, Widths, ::testing::ValuesIn(asked_backends()), [](const auto& each) {
  auto name = each.param;
  for (char& letter : name) letter = std::isalnum(static_cast<unsigned char>(letter)) != 0 ? letter : '_';
  return name;
});

std::vector<oar::RemoteJob> await_end(oar::Client& client, const std::vector<grid::RemoteJobId>& ids) {
  for (Patience patience;;) {
    auto jobs = client.jobs(ids);
    const auto is_over = [](const oar::RemoteJob& job) { return oar::is_over(job.state); };
    if (jobs && jobs->size() == ids.size() && std::ranges::all_of(*jobs, is_over)) return *jobs;
    if (jobs) patience.look_at(*jobs);
    std::this_thread::sleep_for(300ms);
  }
}

TEST_P(Widths, AJobHoldsWhatItsRequestCountsAs_BeforeAnyOfItRan) {
  const auto backend = make_backend(GetParam());
  oar::Client client{backend->access()};
  const auto start = std::chrono::floor<grid::Instant::duration>(std::chrono::system_clock::now());
  const auto resources = until_answered([&] { return client.resources(); });
  ASSERT_TRUE(resources) << oar::describe(resources.error());
  auto texts = requests_of_widths(*resources);
  texts.emplace_back("/nodes=1/core=ALL");
  std::vector<grid::RemoteJobId> ids;
  for (const auto& text : texts) {
    ASSERT_TRUE(counted_as(text, *resources)) << text;
    oar::SubmitRequest asked;
    asked.user = backend->user();
    asked.name = fmt::format("widths.{}.{}", ::getpid(), ids.size());
    asked.resources = text;
    asked.walltime = "0:5:0";
    asked.command = "true";
    const auto submitted = submit_once(client, asked, start);
    ASSERT_TRUE(submitted) << text << ": " << oar::describe(submitted.error());
    ids.push_back(submitted->ids.front());
  }
  const auto jobs = await_end(client, ids);
  for (std::size_t i = 0; i < texts.size(); ++i)
    EXPECT_EQ(jobs[i].resources, counted_as(texts[i], *resources)) << texts[i] << ": " << jobs[i].message;
}

}  // namespace
}  // namespace gleaner::contract
