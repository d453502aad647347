#pragma once
#include <sys/types.h>

#include <string>
#include <vector>

namespace gleaner::contract {

/// A minioar of its own: 16 resources on 2 nodes, its state in a new folder of the system's
/// temporary one. Both go with the object.
class MiniOarProcess {
 public:
  /// Starts the program as OAR of this version and waits until it says where it listens; throws when it does not.
  /// `more`: further options.
  MiniOarProcess(const std::string& program, const std::string& version, const std::vector<std::string>& users,
                 const std::vector<std::string>& more = {});
  ~MiniOarProcess();
  MiniOarProcess(MiniOarProcess&&) = delete;
  MiniOarProcess& operator=(MiniOarProcess&&) = delete;

  [[nodiscard]] const std::string& url() const { return url_; }
  /// Where its users have their homes, `%u` being the user.
  [[nodiscard]] std::string homes() const { return folder_ + "/state/homes/%u"; }
  [[nodiscard]] const std::string& login() const { return login_; }
  [[nodiscard]] const std::string& secret() const { return secret_; }

 private:
  std::string read_first_line(int pipe) const;

  std::string folder_;
  pid_t pid_ = -1;
  std::string url_;
  std::string login_ = "grid";
  std::string secret_ = "grid-secret";
};

}  // namespace gleaner::contract
