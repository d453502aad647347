#include "nikita/clean.hpp"

#include <algorithm>
#include <chrono>
#include <variant>
#include <vector>

#include "lib/grid/campaign_folder.hpp"
#include "lib/grid/launch_fate.hpp"
#include "lib/process/log.hpp"
#include "lib/store/clean.hpp"
#include "lib/store/clock.hpp"
#include "nikita/leavings.hpp"

namespace gleaner::nikita {
namespace {

/// Of one turn, for one cluster: an API of 150 ms a call, four calls at once, removes some 100 files in it.
constexpr std::chrono::seconds kPatience{4};

class Cleaning {
 public:
  Cleaning(fleet::Visit& visit, const std::string& token) : visit_{visit}, token_{token} {}

  Cleaned run();

 private:
  void clean_ended();
  void clean_crowded();
  void remove_folders(const std::vector<store::LaunchFolder>& folders);
  void thin(const store::LaunchFolder& folder);
  /// How many of them are gone, in their order: what cannot be answered ends it, and so does the time.
  std::size_t remove(const std::vector<oar::PathOf>& paths);
  [[nodiscard]] bool may_go_on() const;

  fleet::Visit& visit_;
  const std::string& token_;
  std::chrono::steady_clock::time_point ends_ = std::chrono::steady_clock::now() + kPatience;
  bool answered_ = true;  ///< the last request was
  Cleaned cleaned_;
};

bool Cleaning::may_go_on() const {
  return answered_ && std::chrono::steady_clock::now() < ends_ && visit_.time_left() > process::Duration{0};
}

std::size_t Cleaning::remove(const std::vector<oar::PathOf>& paths) {
  const auto at_once = static_cast<std::size_t>(oar::Limits{}.parallel);
  std::size_t gone = 0;
  while (gone < paths.size() && may_go_on()) {
    const auto answers = visit_.client.delete_paths(std::span{paths}.subspan(gone, std::min(at_once, paths.size() - gone)));
    for (const auto& answer : answers) {
      // Refused: it is not there, or not ours to delete; again would not help.
      answered_ = answer || std::holds_alternative<oar::Refused>(answer.error());
      if (!answered_) break;
      ++gone;
    }
  }
  return gone;
}

void Cleaning::clean_ended() {
  std::vector<store::ToClean> campaigns;
  visit_.database.transact([&](store::Transaction& transaction) {
    const auto now = store::now(transaction);
    campaigns = store::campaigns_to_clean(transaction, visit_.cluster.id, now - visit_.config.cleanup_delay, now - grid::kOrphanWatch);
  });
  for (const auto& campaign : campaigns) {
    std::vector<oar::PathOf> paths;
    for (const auto& login : campaign.logins) paths.push_back({login, grid::campaign_folder(token_, campaign.campaign)});
    if (remove(paths) < paths.size()) return;
    visit_.database.transact(
        [&](store::Transaction& transaction) { store::note_cleaned(transaction, campaign.campaign, visit_.cluster.id, store::now(transaction)); });
    ++cleaned_.campaigns;
  }
}

void Cleaning::remove_folders(const std::vector<store::LaunchFolder>& folders) {
  std::vector<oar::PathOf> paths;
  for (const auto& folder : folders) paths.push_back({folder.login, grid::fence_folder(token_, folder.campaign, folder.launch)});
  const auto gone = remove(paths);
  if (gone == 0) return;
  visit_.database.transact([&](store::Transaction& transaction) {
    const auto now = store::now(transaction);
    for (std::size_t i = 0; i < gone; ++i) store::note_folder_removed(transaction, folders[i].launch, now);
  });
  cleaned_.folders += static_cast<int>(gone);
}

void Cleaning::thin(const store::LaunchFolder& folder) {
  const auto path = grid::fence_folder(token_, folder.campaign, folder.launch);
  // Listed first: a job that begins later is not in the list, one that ends later stays.
  const auto names = visit_.client.list_folder(folder.login, path);
  answered_ = names || std::holds_alternative<oar::Refused>(names.error());
  if (!answered_) return;
  std::vector<store::Attempt> in_use;
  visit_.database.transact([&](store::Transaction& transaction) { in_use = store::attempts_in(transaction, visit_.cluster.id, folder.launch); });
  std::vector<oar::PathOf> paths;
  std::size_t known = 0;
  if (names) {
    known = names->size();
    for (const auto& name : settled_files(*names, in_use)) paths.push_back({folder.login, path + "/" + name});
  }
  const auto gone = remove(paths);
  // Files of attempts in use may still come.
  const auto settled_left = static_cast<std::int64_t>(paths.size() - gone);
  const auto most = settled_left + kFilesPerAttempt * static_cast<std::int64_t>(in_use.size());
  visit_.database.transact([&](store::Transaction& transaction) { store::note_files(transaction, folder.launch, most); });
  cleaned_.files += static_cast<int>(gone);
  process::log::debug("folder thinned", {{"cluster", visit_.cluster.name}, {"launch", folder.launch}, {"files", known}, {"removed", gone}});
}

void Cleaning::clean_crowded() {
  std::vector<store::LaunchFolder> folders;
  grid::Instant now;
  visit_.database.transact([&](store::Transaction& transaction) {
    now = store::now(transaction);
    folders = store::crowded_folders(transaction, visit_.cluster.id, now - grid::kOrphanWatch);
  });
  for (auto first = folders.begin(); first != folders.end() && may_go_on();) {
    const auto last = std::ranges::find_if(first, folders.end(), [&](const auto& folder) { return folder.campaign != first->campaign; });
    const auto leavings = leavings_of({first, last}, now);
    remove_folders(leavings.remove);
    for (const auto& folder : leavings.thin) {
      if (may_go_on()) thin(folder);
    }
    first = last;
  }
}

Cleaned Cleaning::run() {
  clean_ended();
  if (may_go_on()) clean_crowded();
  return cleaned_;
}

}  // namespace

Cleaned clean(fleet::Visit& visit, const std::string& token) { return Cleaning{visit, token}.run(); }

}  // namespace gleaner::nikita
