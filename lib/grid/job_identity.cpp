#include "lib/grid/job_identity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
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

constexpr std::size_t kWithoutFence = 5;

/// `<campaign>-<token> <task> <attempt> <job> <fence> <arguments>` of a command; empty: it is not one of this grid's.
std::vector<std::string_view> facts_in(std::string_view command) {
  // The script before the mark and the arguments after it are base64, which has no full stop.
  const auto mark = command.rfind(kCommandMark);
  if (mark == std::string_view::npos || (mark > 0 && command[mark - 1] != ' ')) return {};
  auto words = words_of(command.substr(mark + kCommandMark.size()));
  if (words.size() != kWithoutFence && words.size() != kWithoutFence + 1) return {};
  return words;
}

/// The token after a number and a dash; empty: it has none.
std::string_view token_in(std::string_view word) {
  const auto dash = word.find('-');
  return dash == std::string_view::npos ? std::string_view{} : word.substr(dash + 1);
}

/// Parses `<task> <attempt> <job> …`.
std::optional<JobIdentity> identity_of(CampaignId campaign, std::span<const std::string_view> words) {
  const auto task = text::whole_number<std::int64_t>(words[0]);  // negative: a script's
  const auto attempt = text::whole_number(words[1], 0, 1'000'000'000);
  const auto job = text::whole_number(words[2], std::int64_t{0});
  if (!task || !attempt || !job) return std::nullopt;
  return JobIdentity{campaign, TaskNumber{*task}, *attempt, JobId{*job}};
}

}  // namespace

std::string launch_tag(std::string_view token, CampaignId campaign, LaunchId launch) {
  return fmt::format("{}{}.{}-{}", kTagHead, campaign.value(), launch.value(), token);
}

std::optional<LaunchName> read_tag(std::string_view name) {
  if (!name.starts_with(kTagHead)) return std::nullopt;
  name.remove_prefix(kTagHead.size());
  const auto stop = name.find('.');
  const auto dash = name.find('-');
  if (stop == std::string_view::npos || dash == std::string_view::npos || dash < stop) return std::nullopt;
  const auto campaign = text::whole_number(name.substr(0, stop), std::int64_t{0});
  const auto launch = text::whole_number(name.substr(stop + 1, dash - stop - 1), std::int64_t{0});
  if (!campaign || !launch) return std::nullopt;
  return LaunchName{CampaignId{*campaign}, LaunchId{*launch}, name.substr(dash + 1)};
}

std::string command_mark(std::string_view token, CampaignId campaign) {
  return fmt::format("{}{}-{}", kCommandMark, campaign.value(), token);
}

std::optional<JobIdentity> read_command(std::string_view command) {
  const auto words = facts_in(command);
  if (words.empty()) return std::nullopt;
  const auto campaign = text::whole_number(words[0].substr(0, words[0].find('-')), std::int64_t{0});
  return campaign ? identity_of(CampaignId{*campaign}, std::span{words}.subspan(1)) : std::nullopt;
}

std::optional<std::string_view> read_fence(std::string_view command) {
  const auto words = facts_in(command);
  return words.size() == kWithoutFence + 1 ? std::optional{words[4]} : std::nullopt;
}

std::optional<JobIdentity> read_pool_line(CampaignId campaign, std::string_view line) {
  const auto words = words_of(line);
  constexpr std::size_t kLeast = 4;
  return words.size() < kLeast ? std::nullopt : identity_of(campaign, words);
}

bool is_renamed(std::string_view name, std::string_view tag) {
  const bool is_any_tag = name.starts_with(kTagHead) && name.find('-') != std::string_view::npos;
  return name != tag && !is_any_tag;
}

std::optional<JobIdentity> identity_in(const ListedAs& listed, const SubmittedAs& launch) {
  const bool is_owned = listed.owner.empty() || listed.owner == launch.login;
  if (!is_owned || (listed.name != launch.tag && !is_renamed(listed.name, launch.tag))) return std::nullopt;
  const auto words = facts_in(listed.command);
  const auto token = words.empty() ? std::string_view{} : token_in(words[0]);
  // A command of an older version has none, and its name alone says whose it is.
  const bool is_of_grid = token.empty() ? listed.name == launch.tag : token == token_in(launch.tag);
  return is_of_grid ? read_command(listed.command) : std::nullopt;
}

}  // namespace gleaner::grid
