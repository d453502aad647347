#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/fleet/fleet.hpp"
#include "lib/store/programs.hpp"
#include "runner/command/command.hpp"
#include "runner/runner.hpp"

namespace gleaner::runner {

/// The programs of jobs on one cluster, in one turn. A launch whose program is in its login's home calls it; any other has the program in
/// its command, so that no launch waits for a file. After the launches, what they lacked is put into the homes.
class Programs {
 public:
  explicit Programs(fleet::Visit& visit);

  void read(store::Transaction& transaction);

  /// Whether a job that is sent now may call it. It is there for as long as a network file system may show it late (evidence_delay).
  [[nodiscard]] bool may_call(const std::string& login, const ProgramFile& program) const;
  /// A launch of this login would call it.
  void want(const std::string& login, const ProgramFile& program);
  /// Puts what is wanted and not there, and looks after some time whether the rest still is: the login first that waits longest, for a few
  /// seconds of a turn at most. A home in which that fails gets jobs with the program in their commands, and is tried again after a time
  /// that doubles.
  void put(Counts& counts);

 private:
  using Place = std::pair<std::string, std::string>;  ///< login, SHA-256
  [[nodiscard]] bool is_due(const Place& place) const;
  [[nodiscard]] std::vector<Place> due() const;
  /// Why it is not there. Empty: it is.
  struct Put {
    std::optional<std::string> why = {};
    bool is_silent = false;  ///< OAR did not answer
    store::FoundProgram how = store::FoundProgram::unchanged;
  };
  [[nodiscard]] Put put_one(oar::Client& client, const Place& place, const std::string& content) const;
  /// Whether OAR lists the file with its size. Error: as in `Put`.
  [[nodiscard]] tl::expected<bool, Put> is_listed(const Place& place, const std::string& content) const;
  void note(const Place& place, const Put& put);

  fleet::Visit& visit_;
  grid::Instant now_{};
  std::map<Place, store::KnownProgram> known_;
  std::map<Place, ProgramFile> wanted_;
};

}  // namespace gleaner::runner
