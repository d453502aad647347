#pragma once
#include <concepts>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/grid/id.hpp"

namespace gleaner::grid {

/// The time between two restores of the database. After a restore, ids of campaigns and launches are given again, so that those of another
/// epoch are other things: its token is a part of each folder and of each job's name.
struct Epoch {
  std::string token;             ///< letters and digits
  CampaignId first_campaign{0};  ///< the least id that it gives
  LaunchId first_launch{0};
};

/// The epochs of the grid that led to this database, the first one first; at least one.
class Epochs {
 public:
  explicit Epochs(std::vector<Epoch> epochs) : epochs_{std::move(epochs)} {}
  /// The epoch of a grid that was never restored.
  template <std::convertible_to<std::string_view> Token>
  Epochs(const Token& token) : epochs_{Epoch{.token = std::string{std::string_view{token}}}} {}  // NOLINT(google-explicit-constructor)

  /// The token of the epoch in which the campaign was submitted.
  [[nodiscard]] const std::string& of(CampaignId campaign) const { return last(campaign, &Epoch::first_campaign).token; }
  /// The token of the epoch in which the launch was planned.
  [[nodiscard]] const std::string& of(LaunchId launch) const { return last(launch, &Epoch::first_launch).token; }
  [[nodiscard]] const std::vector<Epoch>& all() const { return epochs_; }

 private:
  template <class Id>
  [[nodiscard]] const Epoch& last(Id id, Id Epoch::*first) const {
    auto epoch = epochs_.rbegin();
    while (epoch + 1 != epochs_.rend() && id < (*epoch).*first) ++epoch;
    return *epoch;
  }

  std::vector<Epoch> epochs_;
};

}  // namespace gleaner::grid
