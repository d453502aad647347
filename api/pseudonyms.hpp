#pragma once
#include <map>
#include <string>

#include "api/readership.hpp"
#include "lib/store/scenario.hpp"

namespace gleaner::api {

/// Names of users that the caller may not read campaigns of, and of these campaigns, become others: the simulation needs to
/// distinguish users, not to identify them.
class Pseudonyms {
 public:
  Pseudonyms(const Readership& readership, std::string self) : readership_{readership}, self_{std::move(self)} {}

  void replace_in(store::GridState& state);

  /// The user's name for the caller: their own as it is, the others numbered in the order in which they are met.
  [[nodiscard]] std::string of(const std::string& user);

 private:
  void replace_in(std::map<std::string, double>& by_user);
  void replace(std::string& user) { user = of(user); }

  const Readership& readership_;
  std::string self_;
  std::map<std::string, std::string> names_;
};

}  // namespace gleaner::api
