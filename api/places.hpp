#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace gleaner::api {

/// The right to something of which there is so much in all, and so much for one user: streams, requests in progress. Thread-safe.
class Places {
 public:
  Places(int all, int of_user) : all_{all}, of_user_{of_user} {}

  /// Ends with its last copy. Null: none is free for this user.
  [[nodiscard]] std::shared_ptr<void> take(const std::string& user);

 private:
  struct Taken {
    std::mutex mutex;
    std::map<std::string, int> of_user;
    int all = 0;
  };
  int all_;
  int of_user_;
  std::shared_ptr<Taken> taken_ = std::make_shared<Taken>();
};

}  // namespace gleaner::api
