#pragma once
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace gleaner::api {

/// Memory for large requests: a campaign file while it is read, a long answer until it is sent. Each request takes the memory that it may
/// need before it begins, in turn; no user has more than half, nor more than a few requests that wait: each holds a thread. Small requests
/// neither wait nor count. Thread-safe.
class Room {
 public:
  /// @param patience  how long a request waits for its turn
  Room(std::uint64_t bytes, std::chrono::milliseconds patience) : bytes_{bytes}, patience_{patience} {}
  /// Bytes; a request of at most this size takes no memory here.
  static constexpr std::uint64_t kSmall = std::uint64_t{1} << 20U;
  static constexpr int kMostWaitingOfUser = 6;
  Room(const Room&) = delete;
  Room& operator=(const Room&) = delete;

  /// The memory that a request has taken; its destructor gives it back.
  class Part {
   public:
    Part(Room& room, std::string user, std::uint64_t bytes) : room_{&room}, user_{std::move(user)}, bytes_{bytes} {}
    Part(Part&& other) noexcept : room_{std::exchange(other.room_, nullptr)}, user_{std::move(other.user_)}, bytes_{other.bytes_} {}
    Part& operator=(Part&&) = delete;
    ~Part() { shrink(0); }
    /// Gives back the memory beyond so many bytes.
    void shrink(std::uint64_t bytes);

   private:
    Room* room_;
    std::string user_;
    std::uint64_t bytes_;
  };

  /// Waits for the request's turn. A request of more than a user may have is cut to that. Empty: the turn did not come within the patience,
  /// or kMostWaitingOfUser wait already.
  [[nodiscard]] std::optional<Part> take(const std::string& user, std::uint64_t bytes);

 private:
  struct Waiting {
    const std::string& user;
    std::uint64_t bytes;
  };
  [[nodiscard]] bool fits(const Waiting& waiting) const;
  [[nodiscard]] bool is_next(const Waiting& waiting) const;
  void give_back(const std::string& user, std::uint64_t bytes);

  const std::uint64_t bytes_;
  const std::chrono::milliseconds patience_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::list<Waiting> waiting_;
  std::map<std::string, std::uint64_t> of_user_;
  std::uint64_t taken_ = 0;
};

}  // namespace gleaner::api
