#pragma once
#include <filesystem>
#include <string>

namespace gleaner::gridlocal {

/// The folder of a local grid: its database, its clusters with their homes, its logs, its configuration.
class Place {
 public:
  explicit Place(std::filesystem::path root) : root_{std::move(root)} {}

  [[nodiscard]] const std::filesystem::path& root() const { return root_; }
  [[nodiscard]] std::filesystem::path configuration() const { return root_ / "gleaner.conf"; }
  [[nodiscard]] std::filesystem::path services() const { return root_ / "services"; }
  [[nodiscard]] std::filesystem::path lock() const { return root_ / "lock"; }
  [[nodiscard]] std::filesystem::path database() const { return root_ / "database"; }
  [[nodiscard]] std::filesystem::path api_socket() const { return root_ / "run" / "api.socket"; }
  /// The mail of the grid's messages, one after the other; no server gets any.
  [[nodiscard]] std::filesystem::path mail() const { return root_ / "mail"; }
  [[nodiscard]] std::filesystem::path sendmail() const { return root_ / "sendmail"; }
  [[nodiscard]] std::filesystem::path log_of(const std::string& service) const { return root_ / "log" / (service + ".log"); }
  [[nodiscard]] std::filesystem::path cluster(const std::string& name) const { return root_ / "clusters" / name; }

 private:
  std::filesystem::path root_;
};

/// $XDG_STATE_HOME/gleaner/local or ~/.local/state/gleaner/local; for root, whose home the user of
/// PostgreSQL cannot enter, /var/lib/gleaner/local.
[[nodiscard]] std::filesystem::path default_place();

/// Throws process::Error (usage) if a grid cannot be there: the paths of its unix sockets would be too long, or, under root, PostgreSQL's
/// user could not enter it.
void check_place(const Place& place);

/// The folder of this program and of the grid's other programs.
[[nodiscard]] std::filesystem::path program_folder();

/// The program of that name in this one's folder. Throws process::Error if it is missing.
[[nodiscard]] std::string program(const std::string& name);

}  // namespace gleaner::gridlocal
