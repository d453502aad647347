#include "metascheduler/planner/orders/tickets.hpp"

#include <algorithm>
#include <bit>
#include <map>

#include "metascheduler/planner/orders/slices.hpp"
#include "metascheduler/planner/orders/user_queues.hpp"
#include "metascheduler/planner/room.hpp"

namespace gleaner::planner {
namespace {

/// The weight that a campaign brings to its ranking, in its own units.
struct Holding {
  double user_priority = kNormalPriority;
  double age = 0.0;
  double cpu_time = 0.0;
  double resources = 0.0;  ///< of live jobs
  double place = 0.0;
  double power = 0.0;
};

double part(double value, double most) { return most > 0.0 ? std::clamp(value / most, 0.0, 1.0) : 0.0; }

class TicketTurns final : public Turns {
 public:
  explicit TicketTurns(const Class& among)
      : among_{among},
        queues_{among_},
        slice_{slice_of(among_)},
        random_{among_.seed},
        box_{among_.members.size()},
        index_(among_.contenders.size()),
        debts_(among_.members.size(), 0.0) {
    for (std::size_t i = 0; i < among_.members.size(); ++i) index_[among_.members[i]] = i;
    std::map<std::string_view, double> priorities;
    for (const auto member : among_.members) priorities.emplace(among_.campaign(member).user, kNormalPriority);
    for (const auto& user : among_.snapshot.users) {
      if (const auto found = priorities.find(user.name); found != priorities.end()) found->second = user.priority;
    }
    for (const auto member : among_.members) holdings_.push_back(holding_of(member, priorities.at(among_.campaign(member).user)));
    number_by_creation();
    for (const auto& holding : holdings_) {
      most_.age = std::max(most_.age, holding.age);
      most_.cpu_time = std::max(most_.cpu_time, holding.cpu_time);
      most_.resources = std::max(most_.resources, holding.resources);
      most_.power = std::max(most_.power, holding.power);
    }
    for (const auto member : among_.members) all_rankings_ += ranking_of(member).sum();
    for (const auto member : queues_.taking_part()) deal(member);
  }

  [[nodiscard]] std::optional<Turn> next() override {
    while (const auto drawn = box_.draw(random_)) {
      if (queues_.taking_part().size() == 1) return Turn{.contender = among_.members[*drawn], .most_resources = kWholeTurn};
      auto& debt = debts_[*drawn];
      if (debt < slice_) return Turn{.contender = among_.members[*drawn], .most_resources = slice_};
      debt -= slice_;
    }
    return std::nullopt;
  }

  void served(const Turn& turn, const Served& served) override {
    const auto index = index_[turn.contender];
    holdings_[index].resources += std::max(served.resources, static_cast<double>(served.jobs));
    if (turn.most_resources != kWholeTurn) debts_[index] += std::max(0.0, served.resources - slice_);
    if (!served.exhausted) return deal(turn.contender);
    box_.set(index, 0.0);
    if (const auto next = queues_.exhausted(turn.contender)) deal(*next);
  }

  /// Whoever takes part draws with the tickets that are left; the others get theirs when they begin to.
  void head_start(std::size_t contender, const Served& served) override {
    const auto index = index_[contender];
    holdings_[index].resources += std::max(served.resources, static_cast<double>(served.jobs));
    if (std::ranges::binary_search(queues_.taking_part(), contender)) deal(contender);
  }

  [[nodiscard]] std::optional<decisions::Place> place(std::size_t contender) const override {
    using decisions::rounded;
    const auto ranking = ranking_of(contender);
    return decisions::place::Tickets{.tickets = rounded(all_rankings_ / ranking.sum(), 1),
                                     .rankings = std::ssize(among_.members),
                                     .ranking = rounded(ranking.sum(), 2),
                                     .user_priority = rounded(ranking.user_priority, 2),
                                     .campaign_priority = rounded(ranking.priority, 2),
                                     .wall_clock = rounded(ranking.wall_clock, 2),
                                     .cpu_time = rounded(ranking.cpu_time, 2),
                                     .resources = rounded(ranking.resources, 2),
                                     .creation = rounded(ranking.creation, 2),
                                     .power = rounded(ranking.power, 2)};
  }

 private:
  [[nodiscard]] Holding holding_of(std::size_t member, double user_priority) const {
    const auto& campaign = among_.campaign(member);
    Holding holding{.user_priority = user_priority};
    holding.age = std::max(0.0, std::chrono::duration<double>{among_.snapshot.now - campaign.submitted}.count());
    holding.cpu_time = campaign.used_resource_seconds;
    for (const auto& candidate : among_.contenders[member].candidates) {
      const double each = candidate.width.known ? candidate.width.resources : job_resources(*candidate.pair, *candidate.cluster);
      const double resources = (candidate.pair->live_jobs + candidate.jobs) * each;
      holding.resources += resources;
      holding.power += resources * candidate.cluster->power;
    }
    return holding;
  }

  void number_by_creation() {
    std::vector<std::size_t> by_creation(holdings_.size());
    for (std::size_t i = 0; i < by_creation.size(); ++i) by_creation[i] = i;
    std::ranges::sort(by_creation, {}, [&](std::size_t i) {
      const auto& campaign = among_.campaign(among_.members[i]);
      return std::pair{campaign.submitted, campaign.id};
    });
    for (std::size_t place = 0; place < by_creation.size(); ++place) holdings_[by_creation[place]].place = static_cast<double>(place + 1);
  }

  [[nodiscard]] Ranking ranking_of(std::size_t member) const {
    const auto& holding = holdings_[index_[member]];
    return {.user_priority = part(holding.user_priority, kLowestPriority),
            .priority = part(among_.campaign(member).priority, kLowestPriority),
            .wall_clock = 1.0 - part(holding.age, most_.age),
            .cpu_time = part(holding.cpu_time, most_.cpu_time),
            .resources = part(holding.resources, most_.resources),
            .creation = part(holding.place, static_cast<double>(holdings_.size())),
            .power = part(holding.power, most_.power)};
  }

  /// Only the proportions count, so the sum of all rankings, common to all, is left out.
  void deal(std::size_t member) { box_.set(index_[member], 1.0 / ranking_of(member).sum()); }

  Class among_;
  UserQueues queues_;
  double slice_;
  Draw random_;
  TicketBox box_;
  std::vector<std::size_t> index_;  ///< of each contender among the members
  std::vector<Holding> holdings_;
  std::vector<double> debts_;  ///< resources that each got beyond its slices, and did not sit out yet
  Holding most_{.user_priority = 0.0};
  double all_rankings_ = 0.0;  ///< their sum, before anything was given
};

}  // namespace

void TicketBox::set(std::size_t holder, double tickets) {
  const double change = tickets - tickets_[holder];
  tickets_[holder] = tickets;
  for (auto i = holder + 1; i < sums_.size(); i += i & (~i + 1)) sums_[i] += change;
}

double TicketBox::all() const {
  double all = 0.0;
  for (auto i = tickets_.size(); i > 0; i &= i - 1) all += sums_[i];
  return all;
}

std::optional<std::size_t> TicketBox::draw(Draw& random) const {
  const double all_tickets = all();
  if (all_tickets <= 0.0) return std::nullopt;
  // 53 random bits: what a double holds.
  double at = static_cast<double>(random() >> 11) * 0x1.0p-53 * all_tickets;
  std::size_t found = 0;
  for (auto step = std::bit_floor(tickets_.size()); step > 0; step /= 2) {
    if (found + step >= sums_.size() || sums_[found + step] > at) continue;
    found += step;
    at -= sums_[found];
  }
  // Rounding may lead past the last holder, or to one who has just handed in the tickets.
  while (found < tickets_.size() && tickets_[found] <= 0.0) ++found;
  if (found < tickets_.size()) return found;
  while (found > 0 && tickets_[found - 1] <= 0.0) --found;
  return found > 0 ? std::optional{found - 1} : std::nullopt;
}

std::unique_ptr<Turns> Tickets::turns(const Class& among) const { return std::make_unique<TicketTurns>(among); }

}  // namespace gleaner::planner
