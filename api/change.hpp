#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "api/submission.hpp"
#include "lib/store/changes.hpp"

/// Code shared by appends to submitted campaigns and edits of them.
namespace gleaner::api {

/// A campaign that is to be changed, with its file, and the grid that it is checked against.
struct Changeable {
  store::SubmittedCampaign stored;
  jdl::CampaignFile file;
  Surroundings surroundings;
};

/// Reads the campaign; the answer instead: there is none, it is another user's, its file cannot be read (500).
[[nodiscard]] Asked<Changeable> load_changeable(const Call& call, store::Transaction& transaction, grid::CampaignId id);

/// A file, as an admission rule changed it, with all clusters of the stored one: those that the rule took away get no job any more
/// (max_jobs 0), as the campaign may have jobs there.
[[nodiscard]] jdl::CampaignFile with_clusters_of(const jdl::CampaignFile& before, jdl::CampaignFile after);

/// Whether the requests of the campaign's tasks would have to be computed anew, which is not possible.
[[nodiscard]] bool needs_new_requests(const Changeable& before, const jdl::CampaignFile& after);

/// Stores the file, as admitted, in place of the stored one. False: somebody changed or ended the campaign meanwhile, or a cluster is gone;
/// the transaction must be abandoned.
[[nodiscard]] bool store_file(store::Transaction& transaction, grid::CampaignId id, const Changeable& before,
                              const jdl::CampaignFile& after);

/// The differences of two files, as the user would write them.
[[nodiscard]] std::vector<rules::Change> changes_of(const jdl::CampaignFile& before, const jdl::CampaignFile& after);
[[nodiscard]] std::string changes_json(const std::vector<rules::Change>& changes);

}  // namespace gleaner::api
