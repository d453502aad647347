#pragma once
#include <memory>
#include <string>
#include <vector>

#include "lib/oar/access.hpp"

namespace gleaner::contract {

/// An OAR 3, real or minioar's, with tokens of two users.
class Oar3Backend {
 public:
  virtual ~Oar3Backend() = default;
  [[nodiscard]] const oar::Access& access() const { return access_; }
  [[nodiscard]] const std::string& user() const { return user_; }
  [[nodiscard]] const std::string& other_user() const { return other_; }
  /// The API is restarted, and answers again when this returns.
  virtual void restart_api() = 0;
  [[nodiscard]] virtual bool is_real() const = 0;

 protected:
  oar::Access access_;
  std::string user_ = "griduser1";
  std::string other_ = "griduser2";
};

/// `minioar-oar3`, and `oar3` where GLEANER_TEST_OAR3 names a real one (tests/real_oar3.hpp).
[[nodiscard]] std::vector<std::string> asked_oar3_backends();
/// Throws when it cannot be had.
[[nodiscard]] std::unique_ptr<Oar3Backend> make_oar3_backend(const std::string& name);

}  // namespace gleaner::contract
