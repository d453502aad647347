#include "clients/gridsub/chain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "lib/jdl/several.hpp"
#include "lib/process/exit_code.hpp"
#include "lib/terminal/text.hpp"

namespace gleaner::gridsub {
namespace {

using process::Error;
using process::ExitCode;

/// The place of the campaign that a dependency names, other than its own: that name is one of an older campaign. Empty: none of these.
std::optional<std::size_t> place_of(const jdl::Dependency& dependency, const Campaign& own, const std::vector<Campaign>& campaigns) {
  const auto* const name = std::get_if<std::string>(&dependency.on);
  if (name == nullptr || *name == own.file.name) return std::nullopt;
  const auto named = [&](const Campaign& campaign) { return campaign.file.name == *name; };
  if (std::ranges::count_if(campaigns, named) > 1)
    throw Error{ExitCode::usage,
                fmt::format("{}: two of these campaigns have the name '{}', after which another one comes: give them names "
                            "of their own; nothing was submitted",
                            campaigns.front().source, terminal::printable(*name))};
  const auto found = std::ranges::find_if(campaigns, named);
  return found == campaigns.end() ? std::nullopt : std::optional{static_cast<std::size_t>(found - campaigns.begin())};
}

std::vector<std::size_t> first_of(std::size_t campaign, const std::vector<Campaign>& campaigns) {
  std::vector<std::size_t> first;
  for (const auto& dependency : campaigns[campaign].file.dependencies) {
    if (const auto place = place_of(dependency, campaigns[campaign], campaigns)) first.push_back(*place);
  }
  return first;
}

/// Visits the campaigns, those that come first before the others.
class Order {
 public:
  explicit Order(const std::vector<Campaign>& campaigns) : campaigns_{campaigns}, states_(campaigns.size()) {}
  std::vector<std::size_t> take() && {
    for (std::size_t i = 0; i < campaigns_.size(); ++i) visit(i);
    return std::move(order_);
  }

 private:
  enum class State { unseen, open, done };
  void visit(std::size_t campaign) {
    if (states_[campaign] == State::done) return;
    path_.push_back(campaign);
    if (states_[campaign] == State::open) refuse_circle(campaign);
    states_[campaign] = State::open;
    for (const auto first : first_of(campaign, campaigns_)) visit(first);
    states_[campaign] = State::done;
    path_.pop_back();
    order_.push_back(campaign);
  }
  [[noreturn]] void refuse_circle(std::size_t campaign) const {
    std::string circle;
    for (auto step = std::ranges::find(path_, campaign); step != path_.end(); ++step)
      circle += fmt::format("{}'{}'", circle.empty() ? "" : " comes after ", terminal::printable(campaigns_[*step].file.name));
    throw Error{ExitCode::usage,
                fmt::format("{}: {}: none of them would ever start; nothing was submitted", campaigns_[campaign].source, circle)};
  }

  const std::vector<Campaign>& campaigns_;
  std::vector<State> states_;
  std::vector<std::size_t> path_;
  std::vector<std::size_t> order_;
};

}  // namespace

void put_in_order(std::vector<Campaign>& campaigns) {
  const auto order = Order{campaigns}.take();
  std::vector<Campaign> sorted;
  sorted.reserve(campaigns.size());
  for (const auto place : order) sorted.push_back(std::move(campaigns[place]));
  campaigns = std::move(sorted);
}

std::vector<FirstByName> first_among(const Campaign& campaign, const std::vector<Campaign>& campaigns) {
  std::vector<FirstByName> first;
  for (const auto& dependency : campaign.file.dependencies) {
    if (const auto place = place_of(dependency, campaign, campaigns)) first.push_back({dependency.kind, campaigns[*place].file.name});
  }
  return first;
}

void name_by_number(Campaign& campaign, const std::vector<Campaign>& campaigns, const std::vector<std::int64_t>& ids) {
  std::map<std::string, std::int64_t> numbers;
  for (const auto& dependency : campaign.file.dependencies) {
    const auto place = place_of(dependency, campaign, campaigns);
    if (place) numbers.emplace(campaigns[*place].file.name, *place < ids.size() ? ids[*place] : jdl::kNotSubmittedYet.value());
  }
  if (!numbers.empty()) campaign.sent = jdl::with_numbers(campaign.text, numbers);
}

}  // namespace gleaner::gridsub
