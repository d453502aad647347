#include <cstdint>
#include <string_view>

#include "lib/jdl/parse.hpp"
#include "lib/jdl/placement.hpp"
#include "tests/fuzz/require.hpp"

using namespace gleaner;

/// Any text is a campaign that survives being stored, or has problems with places, in order.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const jdl::KnownClusters kKnown{{"alpha", "beta"}, {"gamma"}};
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  (void)jdl::parse(text, {}, &kKnown);
  auto campaign = jdl::parse(text);
  if (!campaign) {
    REQUIRE(!campaign.error().empty());
    jdl::Position last{1, 1};
    for (const auto& problem : campaign.error()) {
      REQUIRE(problem.place >= last && !problem.message.empty());
      last = problem.place;
    }
    REQUIRE(!jdl::render(campaign.error(), "f").empty());
    REQUIRE(!jdl::to_json(campaign.error()).empty());
    return 0;
  }
  REQUIRE(!campaign->name.empty() && !campaign->clusters.empty());
  for (const auto& section : campaign->clusters) {
    REQUIRE(!section.exec_file.empty() && section.place.line > 0);
    REQUIRE(!jdl::expand(section, grid::CampaignId{1}).exec_file.empty());
  }
  if (auto* params = std::get_if<jdl::Params>(&campaign->parameters)) {
    for (const auto& parameter : params->values) {
      REQUIRE(jdl::check(parameter) && jdl::arguments_of(parameter));
      REQUIRE(jdl::arguments_of(parameter)->size() == jdl::shell_words_of(parameter)->size());
      REQUIRE(!jdl::command_of_task(*campaign, campaign->clusters.front(), parameter).empty() || campaign->placeholders);
    }
    campaign->parameters = {};
  }
  const auto stored = jdl::from_json(jdl::to_json(*campaign));
  REQUIRE(stored && *stored == *campaign);
  return 0;
}
