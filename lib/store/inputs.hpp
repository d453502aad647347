#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/grid/id.hpp"
#include "lib/grid/input_files.hpp"
#include "lib/grid/time.hpp"
#include "lib/store/database.hpp"

/// Input files of campaigns: what is in the spool, what a campaign has, and what is on each cluster.
namespace gleaner::store {

// The spool.

/// Waits until no other transaction changes the spool, and keeps others from it until this one ends.
void lock_inputs(Transaction& transaction);
/// The same, unless another one changes it now: false.
[[nodiscard]] bool try_lock_inputs(Transaction& transaction);
struct InputBytes {
  std::int64_t of_all = 0;  ///< a content of several users counts once
  std::int64_t of_user = 0;
};
/// Bytes of the contents in the spool. Cost: O(1).
[[nodiscard]] InputBytes bytes_of_inputs(Transaction& transaction, std::string_view user);
/// Whether a content is in the spool, whoever uploaded it.
[[nodiscard]] bool has_input(Transaction& transaction, std::string_view sha256);

struct NewInput {
  std::string_view user;
  std::string_view sha256;
  std::int64_t bytes = 0;
};
void add_input(Transaction& transaction, const NewInput& input, grid::Instant now);
/// Those of these contents that the user has uploaded, with their bytes. They stay for some days from now on.
[[nodiscard]] std::map<std::string, std::int64_t> use_inputs(Transaction& transaction, std::string_view user,
                                                             std::span<const std::string> contents, grid::Instant now);
struct Forgotten {
  std::vector<std::string> contents;  ///< that no user has any more
  bool is_all = true;                 ///< there are no further old ones
};
/// Forgets contents that were not used since then and that no campaign needs, of the `most` oldest. `lock_inputs` comes first. Cost:
/// O(most).
[[nodiscard]] Forgotten forget_inputs(Transaction& transaction, grid::Instant before, std::int64_t most, grid::Instant now);
/// Those of these contents that some user has.
[[nodiscard]] std::set<std::string> known_inputs(Transaction& transaction, std::span<const std::string> contents);

// Campaigns.

/// Writes the files of a new campaign; they have their sizes, places and readers.
/// @param patterns  one a line
/// @param tasks     those of which the readers are
void attach_inputs(Transaction& transaction, grid::CampaignId campaign, std::string_view patterns, std::span<const grid::InputFile> files,
                   std::int64_t tasks);
/// Bytes of the input files of a user's campaigns in treatment or paused.
[[nodiscard]] std::int64_t input_bytes_of_user(Transaction& transaction, std::string_view user);
[[nodiscard]] std::vector<grid::InputFile> inputs_of(Transaction& transaction, grid::CampaignId campaign);

// Clusters.

struct InputsToSend {
  grid::CampaignId campaign{0};
  std::string login;      ///< in whose home they are to be
  std::int64_t sent = 0;  ///< pieces that are there
  std::string user{};
  int priority = 0;     ///< of the campaign; the smallest goes first
  bool shares = false;  ///< a cluster with the same homes has further pieces in this login's home: a listing proves it here, too
};
struct WantedInputs {
  grid::CampaignId campaign;
  grid::ClusterId cluster;
  std::int64_t tasks;
};
/// So many tasks of these campaigns would go to these clusters if their input files were there.
void want_inputs(Transaction& transaction, std::span<const WantedInputs> pairs, grid::Instant now);
/// The campaigns whose input files are to be brought to a cluster, as tasks are to go there. The user comes first whose files went there
/// least lately; the campaigns of each user are in the order of their priorities, then likewise.
[[nodiscard]] std::vector<InputsToSend> inputs_to_send(Transaction& transaction, grid::ClusterId cluster, grid::Instant now);

// Each of these returns false or empty, and changes nothing, when the campaign is over, or its files are to be sent again.

/// The state of a campaign's files on a cluster, before anything is sent.
struct BegunInputs {
  std::int64_t sent = 0;            ///< pieces that are there
  std::vector<grid::Range> there;   ///< their numbers
  std::vector<grid::Range> shared;  ///< further pieces that a cluster with the same homes has
  std::int64_t tasks = 0;           ///< with which the campaign was submitted
  std::int64_t ahead = 0;           ///< the number of tasks that need files next
  std::vector<grid::Range> next;    ///< these tasks
  bool for_all = false;             ///< the files of all others follow
};
[[nodiscard]] std::optional<BegunInputs> begin_inputs(Transaction& transaction, grid::ClusterId cluster, const InputsToSend& inputs);

/// The state after further pieces were brought.
struct SentInputs {
  std::vector<grid::Range> pieces = {};   ///< those that were brought
  std::vector<grid::Range> lacking = {};  ///< tasks that lack files
  std::int64_t missing = 0;               ///< bytes that the next tasks lack
  bool wanted = false;                    ///< more is to be brought
  std::int64_t ahead = 0;                 ///< as of BegunInputs
};
/// `inputs.sent` pieces were there before. Wakes the conductor up when tasks may go there that could not before.
[[nodiscard]] bool note_inputs_sent(Transaction& transaction, grid::ClusterId cluster, const InputsToSend& inputs, const SentInputs& sent,
                                    grid::Instant now);
/// All is there.
[[nodiscard]] bool note_inputs_complete(Transaction& transaction, grid::ClusterId cluster, const InputsToSend& inputs, grid::Instant now);

/// Has all input files of a campaign brought to a cluster again.
void send_inputs_again(Transaction& transaction, grid::CampaignId campaign, grid::ClusterId cluster);
/// Files reached the cluster at this rate.
void note_input_rate(Transaction& transaction, grid::ClusterId cluster, double mb_s);

}  // namespace gleaner::store
