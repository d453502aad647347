#include "metascheduler/planner/orders/multifactor.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>

#include "lib/grid/share_tree.hpp"
#include "lib/text/numbers.hpp"
#include "lib/text/suggest.hpp"
#include "metascheduler/planner/orders/fairtree.hpp"
#include "metascheduler/planner/room.hpp"

namespace gleaner::planner {
namespace {

double seconds(grid::Instant::duration time) { return std::chrono::duration<double>{time}.count(); }

double fairshare_factor(const Snapshot& snapshot, const std::string& name) {
  const auto user = std::ranges::find(snapshot.users, name, &UserView::name);
  if (user == snapshot.users.end() || user->share <= 0.0) return 0.0;
  return std::exp2(-std::max(0.0, user->usage) / user->share);
}

double priority_factor(int priority) { return static_cast<double>(kLowestPriority - priority) / (kLowestPriority - 1); }

class MultifactorTurns final : public Turns {
 public:
  MultifactorTurns(std::vector<Turn> order, std::map<std::size_t, decisions::place::Multifactor> places)
      : order_{std::move(order)}, places_{std::move(places)} {}
  [[nodiscard]] std::optional<Turn> next() override {
    if (at_ == order_.size()) return std::nullopt;
    return order_[at_++];
  }
  void served(const Turn&, const Served&) override {}
  [[nodiscard]] std::optional<decisions::Place> place(std::size_t contender) const override { return places_.at(contender); }

 private:
  std::vector<Turn> order_;
  std::size_t at_ = 0;
  std::map<std::size_t, decisions::place::Multifactor> places_;
};

}  // namespace

tl::expected<FactorWeights, std::string> parse_weights(std::string_view text) {
  FactorWeights weights;
  constexpr std::array<std::pair<std::string_view, double FactorWeights::*>, 9> kFactors{
      {{"age", &FactorWeights::age},
       {"fairshare", &FactorWeights::fairshare},
       {"size", &FactorWeights::size},
       {"priority", &FactorWeights::priority},
       {"affinity", &FactorWeights::affinity},
       {"project", &FactorWeights::project},
       {"early", &FactorWeights::early},
       {"project_priority", &FactorWeights::project_priority},
       {"group_priority", &FactorWeights::group_priority}}};
  std::array<std::string_view, kFactors.size()> names;
  std::ranges::transform(kFactors, names.begin(), [](const auto& factor) { return factor.first; });
  while (!text.empty()) {
    const auto part = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    const auto colon = part.find(':');
    const auto name = part.substr(0, colon);
    const auto found = std::ranges::find(names, name);
    if (found == names.end())
      return tl::unexpected{
          fmt::format("there is no factor named '{}'{}; there are: {}", name, text::did_you_mean(name, names), fmt::join(names, ", "))};
    const auto number = colon == part.npos ? std::string_view{} : part.substr(colon + 1);
    const auto weight = text::real_number(number);
    if (!weight || *weight < 0.0 || *weight > 1e9)
      return tl::unexpected{fmt::format("the weight of {} is '{}', and must be a number from 0 to 1e9, as in {}:1000", name, number, name)};
    weights.*kFactors[static_cast<std::size_t>(found - names.begin())].second = *weight;
  }
  return weights;
}

Factors factors_of(const Class& among, std::size_t contender) {
  const auto& campaign = among.campaign(contender);
  const auto& candidates = among.contenders[contender].candidates;
  Factors factors;
  factors.age = std::clamp(
      seconds(among.snapshot.now - campaign.submitted) / std::max(1.0, std::chrono::duration<double>{among.config.age_max}.count()), 0.0,
      1.0);
  factors.fairshare = fairshare_factor(among.snapshot, campaign.user);
  factors.priority = priority_factor(campaign.priority);
  factors.project_priority = priority_factor(campaign.project_priority.priority);
  factors.group_priority = priority_factor(campaign.group_priority.priority);
  double affinities = 0.0;
  for (const auto& candidate : candidates) {
    const double resources = job_resources(*candidate.pair, *candidate.cluster);
    factors.size = std::max(factors.size, std::min(1.0, resources / std::max(1, candidate.cluster->max_resources)));
    affinities += candidate.pair->has_affinity ? 1.0 : 0.0;
  }
  if (among.head_starts != nullptr) factors.early = among.head_starts->factor(contender);
  if (!candidates.empty()) factors.affinity = affinities / static_cast<double>(candidates.size());
  return factors;
}

std::vector<double> project_factors(const Class& among) {
  const auto& tree = among.snapshot.shares;
  const auto parts = grid::share_parts(tree);
  const auto users = nodes_of(among);
  std::vector<double> factors(among.contenders.size(), 0.0);
  for (const auto member : among.members) {
    int project = users[member] < 0 ? -1 : tree[static_cast<std::size_t>(users[member])].parent;
    if (project >= 0 && tree[static_cast<std::size_t>(project)].is_group) project = tree[static_cast<std::size_t>(project)].parent;
    if (project < 0 || parts[static_cast<std::size_t>(project)] <= 0.0) continue;
    factors[member] = std::exp2(-std::max(0.0, tree[static_cast<std::size_t>(project)].usage) / parts[static_cast<std::size_t>(project)]);
  }
  return factors;
}

double weighted(const Factors& factors, const FactorWeights& weights) {
  return factors.age * weights.age + factors.fairshare * weights.fairshare + factors.size * weights.size +
         factors.priority * weights.priority + factors.affinity * weights.affinity + factors.project * weights.project +
         factors.early * weights.early + factors.project_priority * weights.project_priority +
         factors.group_priority * weights.group_priority;
}

std::unique_ptr<Turns> Multifactor::turns(const Class& among) const {
  const auto w = parse_weights(among.config.multifactor_weights).value();
  const auto projects = project_factors(among);
  std::vector<std::pair<double, Turn>> order;
  std::map<std::size_t, decisions::place::Multifactor> places;
  const auto factor = [](double value, double weight) {
    return decisions::place::Factor{.value = decisions::rounded(value, 2), .weight = weight};
  };
  for (const auto member : among.members) {
    auto f = factors_of(among, member);
    f.project = projects[member];
    if (w.early <= 0.0) f.early = 0.0;  // it counts nothing, and would change each standing as tasks begin
    const double priority = weighted(f, w);
    const double early = f.early * w.early;
    if (early > 0.0) order.emplace_back(priority, Turn{.contender = member, .kind = TurnKind::head_start});
    order.emplace_back(priority - early, Turn{.contender = member});
    places[member] = {.priority = decisions::rounded(priority, 0),
                      .age = factor(f.age, w.age),
                      .fairshare = factor(f.fairshare, w.fairshare),
                      .size = factor(f.size, w.size),
                      .campaign_priority = factor(f.priority, w.priority),
                      .affinity = factor(f.affinity, w.affinity),
                      .project = factor(f.project, w.project),
                      .early = factor(f.early, w.early),
                      .project_priority = factor(f.project_priority, w.project_priority),
                      .group_priority = factor(f.group_priority, w.group_priority)};
  }
  std::ranges::sort(order, {}, [&](const std::pair<double, Turn>& one) {
    const auto& [priority, turn] = one;
    const auto& campaign = among.campaign(turn.contender);
    return std::tuple{-priority, campaign.submitted, campaign.id, turn.kind == TurnKind::any_task};
  });
  std::vector<Turn> turns;
  std::ranges::transform(order, std::back_inserter(turns), [](const auto& one) { return one.second; });
  return std::make_unique<MultifactorTurns>(std::move(turns), std::move(places));
}

}  // namespace gleaner::planner
