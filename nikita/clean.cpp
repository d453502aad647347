#include "nikita/clean.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "lib/grid/campaign_folder.hpp"
#include "lib/grid/clock.hpp"
#include "lib/grid/launch_fate.hpp"
#include "lib/process/log.hpp"
#include "lib/store/batch.hpp"
#include "lib/store/clean.hpp"
#include "lib/store/clock.hpp"
#include "lib/store/events.hpp"
#include "nikita/leavings.hpp"

namespace gleaner::nikita {
namespace {

/// Per turn and cluster, for campaigns that ended, and for those with many files: with an API of 150 ms a call, four calls at once, 3 s
/// suffice for some 80 files. A home that does not answer takes 2 s.
constexpr std::chrono::seconds kPatienceForEnded{3};
constexpr std::chrono::seconds kPatienceForCrowded{3};

class Cleaning {
 public:
  Cleaning(fleet::Visit& visit, const grid::Epochs& epochs)
      : visit_{visit}, epochs_{epochs}, files_{visit.client.access(), fleet::file_limits_of(visit.config)} {}

  Cleaned run();

 private:
  void clean_ended();
  void clean_campaign(const store::ToClean& campaign);
  void clean_crowded();
  void remove_folders(const std::vector<store::LaunchFolder>& folders);
  void thin(const store::LaunchFolder& folder);
  /// Whether each path is gone. The paths of a login without an answer stay until the next turn, and so do those that the time does not
  /// suffice for.
  std::vector<bool> remove(const std::vector<oar::PathOf>& paths);
  [[nodiscard]] bool may_go_on() const;
  /// Lets others come first in the next turn.
  void note_tried(const std::vector<grid::CampaignId>& campaigns);
  /// True while the login's home has answered in this turn.
  [[nodiscard]] bool answers(const std::string& login) const { return !silent_.contains(login); }
  template <class T>
  void note_answer(const std::string& login, const oar::Result<T>& answer);

  fleet::Visit& visit_;
  const grid::Epochs& epochs_;
  oar::Client files_;
  std::chrono::steady_clock::time_point ends_ = {};
  std::set<std::string> silent_;  ///< logins whose homes did not answer: they get no more requests in this turn
  Cleaned cleaned_;
};

bool Cleaning::may_go_on() const { return grid::SteadyClock::now() < ends_ && visit_.time_left() > process::Duration{0}; }

/// A refusal counts as an answer: the path is missing, or not ours to delete, and a retry would not help.
template <class T>
void Cleaning::note_answer(const std::string& login, const oar::Result<T>& answer) {
  if (!answer && !std::holds_alternative<oar::Refused>(answer.error())) silent_.insert(login);
}

std::vector<bool> Cleaning::remove(const std::vector<oar::PathOf>& paths) {
  const auto at_once = static_cast<std::size_t>(oar::Limits{}.parallel);
  std::vector<bool> gone(paths.size(), false);
  for (std::size_t next = 0; next < paths.size() && may_go_on();) {
    std::vector<oar::PathOf> part;
    std::vector<std::size_t> places;
    for (; next < paths.size() && part.size() < at_once; ++next) {
      if (!answers(paths[next].user)) continue;
      part.push_back(paths[next]);
      places.push_back(next);
    }
    const auto results = files_.delete_paths(part);
    for (std::size_t i = 0; i < part.size(); ++i) {
      note_answer(part[i].user, results[i]);
      // Without the user's token, files can be deleted some time later.
      gone[places[i]] =
          results[i] || (std::holds_alternative<oar::Refused>(results[i].error()) && !oar::is_of_identity(results[i].error()));
    }
  }
  return gone;
}

void Cleaning::clean_campaign(const store::ToClean& campaign) {
  for (const auto& login : campaign.logins) {
    if (!answers(login)) return;
    bool over = false;
    visit_.database.transact([&](store::Transaction& transaction) { over = store::is_over(transaction, campaign.campaign); });
    if (!over || !remove({{login, grid::campaign_folder(epochs_, campaign.campaign)}}).front()) return;
  }
  bool noted = false;
  visit_.database.transact([&](store::Transaction& transaction) {
    const auto now = store::now(transaction);
    store::write_or_note(transaction, {.campaign = campaign.campaign, .cluster = visit_.cluster.id}, "that its files are removed", now,
                         [&] { noted = store::note_cleaned(transaction, campaign.campaign, visit_.cluster.id, now); });
  });
  if (noted) ++cleaned_.campaigns;
}

void Cleaning::note_tried(const std::vector<grid::CampaignId>& campaigns) {
  visit_.database.transact([&](store::Transaction& transaction) {
    const auto now = store::now(transaction);
    for (const auto campaign : campaigns) {
      store::write_or_note(transaction, {.campaign = campaign, .cluster = visit_.cluster.id}, "that removing its files was tried", now,
                           [&] { store::note_cleaning_tried(transaction, std::vector{campaign}, visit_.cluster.id, now); });
    }
  });
}

void Cleaning::clean_ended() {
  ends_ = grid::SteadyClock::now() + kPatienceForEnded;
  std::optional<grid::Instant> begin;
  while (may_go_on()) {
    std::vector<store::ToClean> campaigns;
    visit_.database.transact([&](store::Transaction& transaction) {
      const auto now = store::now(transaction);
      if (!begin) begin = now;
      campaigns =
          store::campaigns_to_clean(transaction, visit_.cluster.id, now - visit_.config.cleanup_delay, now - grid::kOrphanWatch, *begin);
    });
    if (campaigns.empty()) return;
    std::vector<grid::CampaignId> tried;
    for (const auto& campaign : campaigns) {
      if (!may_go_on()) break;
      clean_campaign(campaign);
      tried.push_back(campaign.campaign);
    }
    note_tried(tried);
  }
}

void Cleaning::remove_folders(const std::vector<store::LaunchFolder>& folders) {
  std::vector<oar::PathOf> paths;
  for (const auto& folder : folders) paths.push_back({folder.login, grid::fence_folder(epochs_, folder.campaign, folder.launch)});
  const auto gone = remove(paths);
  if (std::ranges::none_of(gone, std::identity{})) return;
  visit_.database.transact([&](store::Transaction& transaction) {
    const auto now = store::now(transaction);
    for (std::size_t i = 0; i < gone.size(); ++i) {
      if (!gone[i]) continue;
      store::write_or_note(transaction, {.campaign = folders[i].campaign, .cluster = visit_.cluster.id}, "that a folder of it is removed",
                           now, [&] { store::note_folder_removed(transaction, folders[i].launch, now); });
    }
  });
  cleaned_.folders += static_cast<int>(std::ranges::count(gone, true));
}

void Cleaning::thin(const store::LaunchFolder& folder) {
  if (!answers(folder.login)) return;
  const auto path = grid::fence_folder(epochs_, folder.campaign, folder.launch);
  // Listed before the attempts are read: a job that begins later is not in the list, and the files of one that ends later stay.
  const auto names = files_.list_folder(folder.login, path);
  note_answer(folder.login, names);
  if (!answers(folder.login)) return;
  std::vector<store::Attempt> in_use;
  visit_.database.transact(
      [&](store::Transaction& transaction) { in_use = store::attempts_in(transaction, visit_.cluster.id, folder.launch); });
  std::vector<oar::PathOf> paths;
  std::size_t known = 0;
  if (names) {
    known = names->size();
    for (const auto& name : settled_files(*names, in_use)) paths.push_back({folder.login, path + "/" + name});
  }
  const auto gone = std::ranges::count(remove(paths), true);
  // Attempts in use may still write files.
  const auto settled_left = static_cast<std::int64_t>(paths.size()) - gone;
  const auto most = settled_left + kFilesPerAttempt * static_cast<std::int64_t>(in_use.size());
  visit_.database.transact([&](store::Transaction& transaction) {
    store::write_or_note(transaction, {.campaign = folder.campaign, .cluster = visit_.cluster.id}, "how many files of it are left",
                         store::now(transaction), [&] { store::note_files(transaction, folder.launch, most); });
  });
  cleaned_.files += static_cast<int>(gone);
  process::log::debug("folder thinned", {{"cluster", visit_.cluster.name}, {"launch", folder.launch}, {"files", known}, {"removed", gone}});
}

void Cleaning::clean_crowded() {
  ends_ = grid::SteadyClock::now() + kPatienceForCrowded;
  std::vector<store::LaunchFolder> folders;
  grid::Instant now;
  visit_.database.transact([&](store::Transaction& transaction) {
    now = store::now(transaction);
    folders = store::crowded_folders(transaction, visit_.cluster.id, now - grid::kOrphanWatch);
  });
  std::vector<grid::CampaignId> tried;
  for (auto first = folders.begin(); first != folders.end() && may_go_on();) {
    tried.push_back(first->campaign);
    const auto last = std::ranges::find_if(first, folders.end(), [&](const auto& folder) { return folder.campaign != first->campaign; });
    const auto leavings = leavings_of({first, last}, now);
    remove_folders(leavings.remove);
    for (const auto& folder : leavings.thin) {
      if (may_go_on()) thin(folder);
    }
    first = last;
  }
  if (!tried.empty()) note_tried(tried);
}

Cleaned Cleaning::run() {
  clean_ended();
  clean_crowded();
  return cleaned_;
}

}  // namespace

Cleaned clean(fleet::Visit& visit, const grid::Epochs& epochs) { return Cleaning{visit, epochs}.run(); }

}  // namespace gleaner::nikita
