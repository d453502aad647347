#include "lib/decisions/history.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "lib/decisions/words.hpp"

namespace gleaner::decisions {
namespace {

std::string campaign_words(grid::CampaignId campaign) { return fmt::format("campaign {}", campaign.value()); }

struct BoundSubject {
  std::string operator()(const bound::Limit& by) const { return name_of(by.limit); }
  template <class Other>
  std::string operator()(const Other&) const {
    return std::string{Other::kName};
  }
};

struct Subject {
  std::string operator()(const reason::Launched& launched) const { return std::visit(BoundSubject{}, launched.bound); }
  std::string operator()(const reason::LimitReached& reached) const { return name_of(reached.limit); }
  std::string operator()(const reason::Awaits& awaits) const { return campaign_words(awaits.awaited.campaign); }
  std::string operator()(const reason::AwaitsTasks& awaits) const { return campaign_words(awaits.awaited.campaign); }
  std::string operator()(const reason::HeldForReservation& held) const { return campaign_words(held.holder); }
  template <class Other>
  std::string operator()(const Other&) const {
    return {};
  }
};

/// Cuts a text where a character ends.
std::string cut(std::string text, std::size_t most) {
  if (text.size() <= most) return text;
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0U) == 0x80U) --most;
  text.resize(most);
  return text;
}

using Words = std::pair<std::string_view, std::string_view>;

/// For names that do not read as words.
constexpr std::array kReasonWords{
    Words{"no_free_resources", "full"},
    Words{"bag_empty", "no task waits"},
    Words{"max_jobs_reached", "the max_jobs of the JDL"},
    Words{"not_enough_resources", "less free than a job takes"},
    Words{"no_node_free", "no nodes free enough"},
    Words{"kept_for_others", "kept for other campaigns"},
    Words{"earlier_campaigns", "taken by earlier campaigns"},
    Words{"under_stress", "cluster under stress"},
    Words{"few_match", "few resources match"},
    Words{"script_first", "its prologue or epilogue first"},
    Words{"inputs_first", "input files first"},
    Words{"reserved", "resources held back for its wide job"},
    Words{"tasks_elsewhere", "tasks went to other clusters"},
    Words{"no_task_fits", "no task fits"},
    Words{"unjudged", "first tasks ended too soon to judge"},
};
constexpr std::array kBoundWords{
    Words{"offer", "all that was free"},
    Words{"bag", "all tasks that wait"},
    Words{"fitting", "all tasks that fit"},
    Words{"max_jobs", "up to the max_jobs of the JDL"},
    Words{"one_per_cluster", "one on each cluster"},
    Words{"stress", "up to what the cluster bears"},
    Words{"file_server", "up to what the file server bears"},
    Words{"probe", "the probe"},
    Words{"trial", "the trial"},
    Words{"width", "the first, to see how much one takes"},
    Words{"matching", "up to the resources that match"},
    Words{"turn", "up to the size of its turn"},
    Words{"pools", "up to what its pools need"},
    Words{"inputs", "tasks whose input files are there"},
};

template <std::size_t N>
std::string words_in(const std::array<Words, N>& table, std::string_view name) {
  const auto* const found = std::ranges::find(table, name, &Words::first);
  std::string words{found != table.end() ? found->second : name};
  if (found == table.end()) std::ranges::replace(words, '_', ' ');
  return words;
}

std::string launched_words(std::string_view subject) {
  if (subject.empty()) return "jobs sent";
  return fmt::format("jobs sent, {}{}", subject.starts_with("limit ") ? "up to " : "", words_in(kBoundWords, subject));
}

}  // namespace

std::string subject_of(const Reason& reason) {
  constexpr std::size_t kMostBytes = 200;  // of names that administrators gave
  return cut(std::visit(Subject{}, reason), kMostBytes);
}

std::string short_words(std::string_view reason, std::string_view subject) {
  if (reason == reason::Launched::kName) return launched_words(subject);
  if (reason == reason::LimitReached::kName) return subject.empty() ? "a limit" : std::string{subject};
  if (reason == reason::Awaits::kName) return fmt::format("after {}", subject.empty() ? "another campaign" : subject);
  if (reason == reason::AwaitsTasks::kName) return fmt::format("after tasks of {}", subject.empty() ? "another campaign" : subject);
  if (reason == reason::HeldForReservation::kName)
    return fmt::format("held for a wide job of {}", subject.empty() ? "another campaign" : subject);
  return words_in(kReasonWords, reason);
}

}  // namespace gleaner::decisions
