#include "metascheduler/planner/orders/fairshare.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "metascheduler/planner/orders/slices.hpp"
#include "metascheduler/planner/orders/user_queues.hpp"

namespace gleaner::planner {
namespace {

class FairShareTurns final : public Turns {
 public:
  explicit FairShareTurns(const Class& among)
      : among_{among}, queues_{among_}, slice_{slice_of(among_)}, day_{resource_day(among_.snapshot)}, accounts_(among_.contenders.size()) {
    for (const auto& user : among_.snapshot.users) users_[user.name] = {user.share, user.usage};
    for (const auto member : among_.members) accounts_[member] = &users_[among_.campaign(member).user];
  }

  [[nodiscard]] std::optional<Turn> next() override {
    const auto& taking_part = queues_.taking_part();
    if (taking_part.empty()) return std::nullopt;
    const auto first = *std::ranges::max_element(taking_part, {}, [&](std::size_t member) {
      const auto& campaign = among_.campaign(member);
      const auto& account = *accounts_[member];
      return std::tuple{priority_of(account), account.share, -campaign.submitted.time_since_epoch().count(), -campaign.id.value()};
    });
    return Turn{.contender = first, .most_resources = taking_part.size() == 1 ? kWholeTurn : slice_};
  }

  void served(const Turn& turn, const Served& served) override {
    accounts_[turn.contender]->given += served.resource_seconds / day_;
    if (served.exhausted) queues_.exhausted(turn.contender);
  }

  void head_start(std::size_t contender, const Served& served) override { accounts_[contender]->given += served.resource_seconds / day_; }

  [[nodiscard]] std::optional<decisions::Place> place(std::size_t contender) const override {
    const auto& account = *accounts_[contender];
    return decisions::place::FairShare{.user = among_.campaign(contender).user,
                                       .priority = decisions::rounded(fair_priority(account.share, account.usage, rule_), 3),
                                       .share = decisions::rounded(account.share, 3),
                                       .usage = decisions::rounded(account.usage, 3),
                                       .by_share = rule_ == UsageRule::by_share};
  }

 private:
  struct Account {
    double share = 0.0;
    double usage = 0.0;
    double given = 0.0;  ///< in this plan, in days of the grid
  };
  [[nodiscard]] double priority_of(const Account& account) const {
    return fair_priority(account.share, account.usage + account.given, rule_);
  }

  Class among_;
  UsageRule rule_ = usage_rule(among_.config.fairshare_usage).value();
  UserQueues queues_;
  double slice_;
  double day_;
  std::map<std::string, Account, std::less<>> users_;
  std::vector<Account*> accounts_;  ///< of each contender's user
};

}  // namespace

std::vector<std::string_view> usage_rule_names() { return {"absolute", "by_share"}; }

tl::expected<UsageRule, std::string> usage_rule(std::string_view name) {
  const auto names = usage_rule_names();
  if (name == names[0]) return UsageRule::absolute;
  if (name == names[1]) return UsageRule::by_share;
  return tl::unexpected{fmt::format("there is no rule of usage named '{}'; there are: {}", name, fmt::join(names, ", "))};
}

double fair_priority(double share, double usage, UsageRule rule) {
  return rule == UsageRule::by_share ? share - share * usage : share - usage;
}

std::unique_ptr<Turns> FairShare::turns(const Class& among) const { return std::make_unique<FairShareTurns>(among); }

}  // namespace gleaner::planner
