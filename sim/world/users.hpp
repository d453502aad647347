#pragma once
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/server.hpp"
#include "sim/world/campaigns.hpp"
#include "sim/world/database.hpp"
#include "sim/world/gate.hpp"

namespace gleaner::world {

/// A user's change of a campaign.
struct Edit {
  std::int64_t campaign;
  grid::Instant begin;               ///< of the first try
  std::optional<grid::Instant> end;  ///< when it was accepted
  std::string cluster;               ///< turned off; empty: the command was changed
  int order;                         ///< of the action
};

/// The users of the grid: they submit, append, hold, release, cancel and retry through gridapi's own code, at moments from the seed, and
/// repeat what the API could not answer.
class Users {
 public:
  /// `find`: receives what a user may not see.
  Users(const Settings& settings, api::Api& api, std::vector<std::string> clusters, const VirtualClock& clock, Gate& gate, Trace& trace,
        std::function<void(std::string)> find);

  /// When a user acts next; empty: none will.
  [[nodiscard]] std::optional<grid::Instant> next() const;
  /// Does what is due.
  void act();
  /// Whether the API says that the grid is well.
  [[nodiscard]] bool is_told_well();
  /// The owners of these campaigns cancel them, because they wait for a user.
  void give_up(const std::vector<std::int64_t>& campaigns);
  [[nodiscard]] const std::vector<Earlier>& campaigns() const { return submitted_; }
  [[nodiscard]] const std::vector<Edit>& edits() const { return edits_; }
  /// The campaigns whose failed tasks a user gave back, or tried to.
  [[nodiscard]] const std::vector<std::int64_t>& given_back() const { return given_back_; }

 private:
  struct Action {
    grid::Instant at;
    int order;  ///< of actions at the same moment
    enum class Kind { submit, append, hold, resume, cancel, cancel_task, retry, inquire, edit, hold_tasks, release_tasks } kind;
    int place;  ///< of the campaign
    int tries = 0;
  };
  struct Answer {
    unsigned status;
    std::string body;
    bool is_disturbed = false;  ///< by a fault of the world
  };
  void plan(int place);
  void plan_row(int place);
  /// Something that the user of a place may do once, some time after the submission, and undo later. Drawn by this name.
  void plan_act(int place, std::string_view name, Feature feature, double probability, Action::Kind act, std::optional<Action::Kind> undo);
  void add(Action action);
  [[nodiscard]] Answer ask(const std::string& user, std::string method, const std::string& target, const std::string& body,
                           const std::string& key);
  /// The number of the campaign that was submitted, now or before; empty: it was not.
  [[nodiscard]] static std::optional<std::int64_t> id_in(const Answer& answer);
  [[nodiscard]] Answer submit(int place);
  [[nodiscard]] Answer submit_row(int place, Jdl& jdl);
  [[nodiscard]] Answer change(const Action& action, const Earlier& campaign);
  [[nodiscard]] Answer edit(const Action& action, const Earlier& campaign);
  [[nodiscard]] Answer retry(const Earlier& campaign);
  [[nodiscard]] Answer inquire(const Action& action, const Earlier& campaign);
  void perform(Action action);

  const Settings& settings_;
  api::Api& api_;
  std::vector<std::string> clusters_;
  const VirtualClock& clock_;
  Gate& gate_;
  Trace& trace_;
  std::function<void(std::string)> find_;
  std::vector<Action> actions_;  ///< by their times
  std::vector<Random> random_;   ///< of each campaign's user
  std::vector<Earlier> submitted_;
  std::vector<std::optional<std::size_t>> ids_;  ///< of the campaigns by their places: where they are in submitted_
  std::vector<std::string> texts_;               ///< of the campaigns by their places, as they were submitted
  std::vector<Edit> edits_;
  std::vector<std::int64_t> given_back_;
  int order_ = 0;
};

}  // namespace gleaner::world
