#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "clients/api_client.hpp"
#include "clients/gridget/fetch.hpp"
#include "lib/text/ranges.hpp"

/// The API's listing of the outputs of a campaign.
namespace gleaner::clients::gridget {

/// A campaign whose outputs are fetched.
struct SourceCampaign {
  std::int64_t campaign = 0;
  std::string identity;  ///< of the campaign, also on another grid
  std::string name;
  std::int64_t tasks = 0;  ///< its tasks
};
/// Throws process::Error if there is no such campaign, or the API cannot be reached.
[[nodiscard]] SourceCampaign source_campaign(ApiClient& api, std::int64_t campaign);

/// Ranges of tasks for one listing, whose lines are in memory.
struct Part {
  std::string tasks;  ///< as the API takes them
  std::int64_t count = 0;
};
/// The ranges in parts.
[[nodiscard]] std::vector<Part> parts_of(const std::vector<text::Range>& ranges);

struct Listing {
  std::vector<RemoteOutput> outputs;  ///< of each settled task: those of the attempt that did it, else of its last one
  std::vector<std::string> errors;    ///< sentences about folders that could not be listed
  std::int64_t unsettled = 0;
  bool is_whole = false;
};
/// Throws process::Error: the campaign's outputs are not the caller's to read, or the listing breaks off again and again.
[[nodiscard]] Listing list(ApiClient& api, std::int64_t campaign, const Part& part);

}  // namespace gleaner::clients::gridget
