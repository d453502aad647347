#pragma once
#include <filesystem>
#include <string>

namespace gleaner::gridlocal {

/// Where a local grid keeps everything: its database, its clusters with their homes, its logs, its
/// configuration.
class Place {
 public:
  explicit Place(std::filesystem::path root) : root_{std::move(root)} {}

  [[nodiscard]] const std::filesystem::path& root() const { return root_; }
  [[nodiscard]] std::filesystem::path configuration() const { return root_ / "gleaner.conf"; }
  [[nodiscard]] std::filesystem::path services() const { return root_ / "services"; }
  [[nodiscard]] std::filesystem::path lock() const { return root_ / "lock"; }
  [[nodiscard]] std::filesystem::path database() const { return root_ / "database"; }
  [[nodiscard]] std::filesystem::path api_socket() const { return root_ / "run" / "api.socket"; }
  [[nodiscard]] std::filesystem::path log_of(const std::string& service) const { return root_ / "log" / (service + ".log"); }
  [[nodiscard]] std::filesystem::path cluster(const std::string& name) const { return root_ / "clusters" / name; }

 private:
  std::filesystem::path root_;
};

/// $XDG_STATE_HOME/gleaner/local or ~/.local/state/gleaner/local; for root, whose home the user of
/// PostgreSQL cannot enter, /var/lib/gleaner/local.
[[nodiscard]] std::filesystem::path default_place();

/// Throws process::Error (usage) when a grid cannot live there: the paths of its unix sockets
/// would be too long, or, for root, PostgreSQL's user could not enter it.
void check_place(const Place& place);

/// The folder of this program, where the others are.
[[nodiscard]] std::filesystem::path program_folder();

/// The program of that name beside this one; throws process::Error when it is not there.
[[nodiscard]] std::string program(const std::string& name);

}  // namespace gleaner::gridlocal
