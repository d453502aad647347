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

/// A campaign that can be submitted: its file is valid, and the source of its parameters is known.
struct Submission {
  jdl::CampaignFile file;  ///< as changed by the admission rules, after admit()
  std::vector<std::string> warnings;
  rules::Setting setting;            ///< the rules and their input
  std::vector<rules::Step> steps{};  ///< the result of each rule
  bool is_admitted = false;
  bool is_changed = false;                   ///< by an admission rule
  std::optional<std::string> broken_rule{};  ///< for the administrators: the error of a rule
  std::vector<jdl::ClusterLimits> limits{};  ///< limits of every cluster
};

/// Checks the file against the existing clusters. `may_follow`: parameters may be streamed after the head; `in_the_file`: they must be in
/// the file or the head.
enum class Parameters { in_the_file, may_follow };
[[nodiscard]] Asked<Submission> check_submission(const Call& call, const SubmissionHead& head, Parameters parameters);

/// Evaluates the requests of the campaign's tasks. Empty: all tasks request the same.
[[nodiscard]] Asked<std::optional<jdl::Requests>> requests_of(const Submission& submission);

/// The row to store for a section of one cluster.
[[nodiscard]] store::NewCampaignCluster stored_section(const jdl::ClusterSection& section, grid::CampaignId campaign);

}  // namespace gleaner::api
