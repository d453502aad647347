#pragma once
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "lib/store/inputs.hpp"

namespace gleaner::runner {

/// The order in which input files go to a cluster. Users take turns, so that nobody's files wait for all of another's. Among the campaigns
/// of one user, those of the highest priority take turns.
class InputTurns {
 public:
  /// @param wanted  users in the order of their turns, the campaigns of each by priority and in the order of their turns
  explicit InputTurns(std::vector<store::InputsToSend> wanted);

  /// The campaign whose turn it is; empty: none is left. It gets no further turn unless it is put back.
  [[nodiscard]] std::optional<store::InputsToSend> next();
  /// It has more to send: its next turn comes after those of all other users, and of its user's other campaigns of its priority.
  void put_back(store::InputsToSend inputs);

 private:
  struct OfUser {
    std::string user;
    std::deque<store::InputsToSend> campaigns;
  };
  OfUser& of(const std::string& user);

  std::deque<OfUser> users_;
};

}  // namespace gleaner::runner
