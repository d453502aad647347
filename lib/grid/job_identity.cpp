#include "lib/grid/job_identity.hpp"

#include <fmt/format.h>

#include <vector>

#include "lib/text/numbers.hpp"

namespace gleaner::grid {
namespace {

constexpr std::string_view kTagHead{"cigri."};

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  constexpr std::string_view kBlanks{" \n"};
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
    if (text.empty()) return words;
    words.push_back(text.substr(0, text.find_first_of(kBlanks)));
    text.remove_prefix(words.back().size());
  }
}

}  // namespace

std::string launch_tag(std::string_view grid_token, CampaignId campaign, LaunchId launch) {
  return fmt::format("{}{}.{}-{}", kTagHead, campaign.value(), launch.value(), grid_token);
}

bool is_launch_tag(std::string_view name, std::string_view grid_token) {
  return name.starts_with(kTagHead) && name.ends_with(fmt::format("-{}", grid_token));
}

std::optional<JobIdentity> read_command(std::string_view command) {
  // The script before the mark and the arguments after it are base64, which has no full stop.
  const auto mark = command.rfind(kCommandMark);
  if (mark == std::string_view::npos || (mark > 0 && command[mark - 1] != ' ')) return std::nullopt;
  const auto words = words_of(command.substr(mark + kCommandMark.size()));
  constexpr std::size_t kWithoutFence = 5;
  if (words.size() != kWithoutFence && words.size() != kWithoutFence + 1) return std::nullopt;
  const auto campaign = text::whole_number(words[0], std::int64_t{0});
  const auto task = text::whole_number<std::int64_t>(words[1]);  // negative: a script's
  const auto attempt = text::whole_number(words[2], 0, 1'000'000'000);
  const auto job = text::whole_number(words[3], std::int64_t{0});
  if (!campaign || !task || !attempt || !job) return std::nullopt;
  return JobIdentity{CampaignId{*campaign}, TaskNumber{*task}, *attempt, JobId{*job}};
}

bool is_same_job(std::string_view name, std::string_view command, std::string_view tag, const JobIdentity& job) {
  return name == tag && read_command(command) == job;
}

}  // namespace gleaner::grid
