#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "api/call.hpp"
#include "api/submission_head.hpp"
#include "lib/grid/campaign_type.hpp"
#include "lib/jdl/campaign_file.hpp"
#include "lib/jdl/requests.hpp"
#include "lib/rules/admission.hpp"
#include "lib/store/campaigns.hpp"

namespace gleaner::api {

/// A campaign that may be submitted: its file is right, and where its parameters come from is clear.
struct Submission {
  jdl::CampaignFile file;  ///< as the admission rules have made it, once they were asked
  std::vector<std::string> warnings;
  rules::Setting setting;            ///< the rules, and what they see
  std::vector<rules::Step> steps{};  ///< what each did
  bool is_admitted = false;
  bool is_changed = false;                   ///< by a rule
  std::optional<std::string> broken_rule{};  ///< for the administrators: what is wrong with a rule
  std::vector<jdl::ClusterLimits> limits{};  ///< of every cluster
};

/// Checks the file against the clusters that there are. `streamed`: parameters may follow; without
/// it, they must be in the file or the head.
enum class Parameters { in_the_file, may_follow };
[[nodiscard]] Asked<Submission> check_submission(const Call& call, const SubmissionHead& head, Parameters parameters);

/// What works out the requests of its tasks; nothing when they all ask the same.
[[nodiscard]] Asked<std::optional<jdl::Requests>> requests_of(const Submission& submission);

/// What is stored of one cluster's section.
[[nodiscard]] store::NewCampaignCluster stored_section(const jdl::ClusterSection& section, grid::CampaignId campaign);

}  // namespace gleaner::api
