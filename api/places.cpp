#include "api/places.hpp"

namespace gleaner::api {

std::shared_ptr<void> Places::take(const std::string& user) {
  const std::lock_guard lock{taken_->mutex};
  auto& of_user = taken_->of_user[user];
  if (taken_->all >= all_ || of_user >= of_user_) {
    if (of_user == 0) taken_->of_user.erase(user);
    return nullptr;
  }
  ++taken_->all;
  ++of_user;
  const auto give_back = [taken = taken_, user](const void*) {
    const std::lock_guard guard{taken->mutex};
    --taken->all;
    if (--taken->of_user[user] == 0) taken->of_user.erase(user);
  };
  return {taken_.get(), give_back};
}

}  // namespace gleaner::api
