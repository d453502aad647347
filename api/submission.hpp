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
#include "lib/store/database.hpp"

namespace gleaner::api {

/// The grid, as a campaign is checked against it.
struct Surroundings {
  rules::Setting setting;                    ///< the rules and their input
  std::vector<jdl::ClusterLimits> limits{};  ///< of every cluster
};
[[nodiscard]] Surroundings load_surroundings(store::Transaction& transaction, const std::string& user);

/// A campaign that can be submitted: its file is valid, and the source of its parameters is known.
struct Submission {
  jdl::CampaignFile file;  ///< as changed by the admission rules, after admit()
  std::vector<std::string> warnings;
  rules::Setting setting;            ///< the rules and their input
  std::vector<rules::Step> steps{};  ///< the result of each rule
  bool is_admitted = false;
  bool is_changed = false;                             ///< by an admission rule
  std::optional<std::string> broken_rule{};            ///< for the administrators: the error of a rule
  std::vector<jdl::ClusterLimits> limits{};            ///< limits of every cluster
  std::string_view refusal = "nothing was submitted";  ///< the beginning of a rule's refusal
};

/// A submission of a valid file, with the warnings about it.
[[nodiscard]] Submission submission_of(const Call& call, jdl::CampaignFile file, Surroundings surroundings);

/// Checks the file against the existing clusters. `may_follow`: parameters may be streamed after the head; `in_the_file`: they must be in
/// the file or the head; `on_this_machine`: or in a file that it names.
enum class Parameters { in_the_file, on_this_machine, may_follow };
[[nodiscard]] Asked<Submission> check_submission(const Call& call, const SubmissionHead& head, Parameters parameters);

/// Evaluates the requests of the campaign's tasks. Empty: all tasks request the same.
[[nodiscard]] Asked<std::optional<jdl::Requests>> requests_of(const Submission& submission);

/// The text from which the requests of a file's tasks are computed.
[[nodiscard]] std::string asking(const jdl::CampaignFile& file);

/// The header Idempotency-Key. Empty: there is none.
[[nodiscard]] Asked<std::optional<std::string>> idempotency_key(const Call& call);

/// Bytes for reading a campaign file of that size: its text several times, its tree, its parameters.
[[nodiscard]] std::uint64_t memory_of_file(std::uint64_t bytes);

}  // namespace gleaner::api
