#include "clients/gridget/listing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "lib/process/exit_code.hpp"
#include "lib/terminal/text.hpp"

namespace gleaner::clients::gridget {
namespace {

using process::Error;
using process::ExitCode;

constexpr std::int64_t kTasksOfListing = 5000;
constexpr int kListingAttempts = 4;

void read_line(std::string_view line, Listing& listing) {
  const auto json = Json::parse(line);
  if (!json) return;
  if ((*json)["end"].is_true()) {
    listing.is_whole = true;
    listing.unsettled = (*json)["unsettled"].integer();
  } else if (const auto error = (*json)["error"].text(); !error.empty()) {
    listing.errors.push_back(fmt::format("{}: {} cannot be listed: {}", terminal::printable((*json)["cluster_name"].text()),
                                         terminal::printable((*json)["folder"].text()), terminal::printable(error)));
  } else if (auto output = grid::read_output_name((*json)["name"].text())) {
    if (output->number > 0) {
      auto path = grid::decoded_path((*json)["path"].text());
      if (!path || path->size() > grid::kLongestOutputPath) return;
      output->name = std::move(*path);
    }
    listing.outputs.push_back({.output = std::move(*output),
                               .cluster = (*json)["cluster_name"].text(),
                               .state = (*json)["state"].text(),
                               .size = (*json)["size"].whole(),
                               .is_missing = (*json)["missing"].is_true()});
  }
}

}  // namespace

SourceCampaign source_campaign(ApiClient& api, std::int64_t campaign) {
  const auto json = api.get(fmt::format("/v1/campaigns/{}", campaign)).json;
  return {.campaign = campaign,
          .identity = fmt::format("{} of {}, submitted {}", campaign, json["user"].text(), json["submission_time"].seconds()),
          .name = json["name"].text(),
          .tasks = json["total_tasks"].integer()};
}

std::vector<Part> parts_of(const std::vector<text::Range>& ranges) {
  std::vector<Part> parts;
  for (auto range : ranges) {
    while (range.first <= range.last) {
      if (parts.empty() || parts.back().count >= kTasksOfListing || parts.back().tasks.size() > 4000) parts.emplace_back();
      auto& part = parts.back();
      const auto last = std::min(range.last, range.first + (kTasksOfListing - part.count) - 1);
      part.tasks += fmt::format("{}{}-{}", part.tasks.empty() ? "" : ",", range.first, last);
      part.count += last - range.first + 1;
      range.first = last + 1;
    }
  }
  return parts;
}

Listing list(ApiClient& api, std::int64_t campaign, const Part& part) {
  for (int attempt = 0; attempt < kListingAttempts; ++attempt) {
    std::string body;
    (void)api.download(fmt::format("/v1/campaigns/{}/outputs?tasks={}", campaign, part.tasks),
                       [&](std::string_view bytes) { body += bytes; });
    Listing listing;
    std::string_view rest{body};
    while (!rest.empty()) {
      const auto end = std::min(rest.find('\n'), rest.size());
      read_line(rest.substr(0, end), listing);
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    if (listing.is_whole) return listing;
  }
  throw Error{ExitCode::unavailable, fmt::format("the API's listing of tasks {} breaks off: its log says more", part.tasks)};
}

}  // namespace gleaner::clients::gridget
