#include "api/room.hpp"

#include <algorithm>

namespace gleaner::api {

bool Room::fits(const Waiting& waiting) const {
  const auto own = of_user_.find(waiting.user);
  return taken_ + waiting.bytes <= bytes_ && (own == of_user_.end() || own->second + waiting.bytes <= bytes_ / 2);
}

/// A request may overtake only those that wait for their own user's other requests.
bool Room::is_next(const Waiting& waiting) const {
  for (const auto& one : waiting_) {
    if (&one == &waiting) return fits(one);
    const auto own = of_user_.find(one.user);
    const bool waits_for_itself = own != of_user_.end() && own->second + one.bytes > bytes_ / 2;
    if (!waits_for_itself) return false;
  }
  return false;
}

std::optional<Room::Part> Room::take(const std::string& user, std::uint64_t bytes) {
  if (bytes <= kSmall) return std::optional<Part>{std::in_place, *this, user, 0};
  std::unique_lock lock{mutex_};
  if (std::ranges::count_if(waiting_, [&](const Waiting& one) { return one.user == user; }) >= kMostWaitingOfUser) return std::nullopt;
  const auto here = waiting_.insert(waiting_.end(), {user, std::min(bytes, bytes_ / 2)});
  const bool mine = changed_.wait_for(lock, patience_, [&] { return is_next(*here); });
  const auto taken = here->bytes;
  waiting_.erase(here);
  if (mine) {
    taken_ += taken;
    of_user_[user] += taken;
  }
  lock.unlock();
  changed_.notify_all();
  return mine ? std::optional<Part>{std::in_place, *this, user, taken} : std::nullopt;
}

void Room::give_back(const std::string& user, std::uint64_t bytes) {
  {
    const std::lock_guard lock{mutex_};
    taken_ -= bytes;
    const auto own = of_user_.find(user);
    own->second -= bytes;
    if (own->second == 0) of_user_.erase(own);
  }
  changed_.notify_all();
}

void Room::Part::shrink(std::uint64_t bytes) {
  if (room_ == nullptr || bytes >= bytes_) return;
  const auto before = std::exchange(bytes_, bytes);
  room_->give_back(user_, before - bytes);
}

}  // namespace gleaner::api
