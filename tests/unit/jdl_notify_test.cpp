#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "lib/jdl/parse.hpp"
#include "lib/jdl/problem.hpp"

namespace gleaner::jdl {
namespace {

TEST(JdlNotify, IsOneOfFiveWords_AndStaysWithTheCampaign) {
  const auto read = [](const std::string& value) {
    const auto campaign = parse(fmt::format(
        "{{\"name\": \"n\", \"exec_file\": \"a\", \"clusters\": {{\"alpha\": {{}}}}, \"nb_jobs\": 1,\n\"notify\": {}}}", value));
    if (!campaign) return render(campaign.error(), "c");
    const auto stored = from_json(to_json(*campaign));
    return stored ? stored->scheduling.notify : stored.error();
  };
  for (const auto* word : {"low", "medium", "high", "end", "none"}) EXPECT_EQ(read(fmt::format("\"{}\"", word)), word);
  EXPECT_EQ(read("\"hihg\""), "c:2:11: notify: 'hihg' is none of low, medium, high, end and none (did you mean 'high'?)\n");
  EXPECT_NE(read("7").find("notify"), std::string::npos);
}

}  // namespace
}  // namespace gleaner::jdl
