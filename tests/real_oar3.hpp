#pragma once
#include <optional>
#include <string>

namespace gleaner::tests {

/// The real OAR 3 that GLEANER_TEST_OAR3 names: the JSON {"url","state"} that what brings it up prints, or a file of it. `state` is the
/// folder in which its configuration is (files/etc-oar/oar.conf), whose key signs the tokens, and its init.pid.
class RealOar3 {
 public:
  /// Empty: the variable names none. Throws when what it names is not there.
  [[nodiscard]] static std::optional<RealOar3> named();

  [[nodiscard]] const std::string& url() const { return url_; }
  /// With which the cluster signs tokens (API_SECRET_KEY).
  [[nodiscard]] const std::string& key() const { return key_; }
  /// A token of a user, by the cluster's key.
  [[nodiscard]] std::string token(const std::string& user) const;
  /// Kills the process of its API, which starts again by itself.
  void kill_api() const;

 private:
  std::string url_;
  std::string state_;
  std::string key_;
};

/// A token as OAR 3 makes them: a JWT signed by HS256 that ends in an hour.
[[nodiscard]] std::string signed_token(const std::string& user, const std::string& key);

}  // namespace gleaner::tests
