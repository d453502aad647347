#pragma once
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "api/call.hpp"
#include "api/parameter_body.hpp"
#include "lib/jdl/campaign_file.hpp"
#include "lib/jdl/inputs.hpp"
#include "lib/jdl/parameter.hpp"
#include "lib/jdl/placement.hpp"
#include "lib/jdl/requests.hpp"
#include "lib/store/campaigns.hpp"

namespace gleaner::api {

/// The parameters of a body: NDJSON, or one JSON array.
enum class ParameterBodyForm { lines, array };

/// Takes the tasks of a campaign: writes them to the database, or only counts them for a check.
class TaskIntake {
 public:
  /// @param writer    null: tasks are only counted
  /// @param requests  evaluates what each task requests; null: all request the same
  /// @param most      the most tasks of the campaign; more are refused
  /// @param first     number of the first of these tasks: how many the campaign has already
  /// @param inputs    the campaign's input files, which get the tasks that read them; null: what tasks need of them is not checked
  TaskIntake(const jdl::CampaignFile& file, store::TaskWriter* writer, jdl::Requests* requests, std::int64_t most, std::int64_t first = 0,
             jdl::KnownInputs* inputs = nullptr);

  /// Takes the parameters of the file itself, then those of `following` (null: none), which are allowed only if the file has none. Returns
  /// the number of tasks. Errors: answers to wrong parameters, and to none at all.
  [[nodiscard]] Asked<std::int64_t> take_all(ParameterBody* following, ParameterBodyForm form = ParameterBodyForm::lines);

  /// Sentences about what was taken, for the user.
  [[nodiscard]] std::vector<std::string> warnings() const;
  /// The parameter of the first task; empty: no task was taken.
  [[nodiscard]] const std::optional<jdl::Parameter>& first_parameter() const { return first_parameter_; }

 private:
  void add(const jdl::Parameter& parameter);
  void write(const jdl::Parameter& parameter, std::optional<int> request);
  void take_own();
  [[nodiscard]] Asked<void> take_following(ParameterBody& body);
  [[nodiscard]] Asked<void> take_array(ParameterBody& body);
  /// The answer to parameters that cannot be taken, as soon as that is known.
  [[nodiscard]] std::optional<http::Response> obstacle();
  /// A test campaign has one task per cluster: the first parameters, repeated if there are fewer than clusters.
  void write_test_tasks();

  const jdl::CampaignFile& file_;
  store::TaskWriter* writer_;
  jdl::Requests* requests_;
  std::int64_t most_;
  std::int64_t first_;
  jdl::KnownInputs* inputs_;
  jdl::PlacementCheck placement_;
  std::optional<jdl::Parameter> first_parameter_;
  std::optional<http::Response> wrong_task_;                         // the answer to the first task whose words or request are wrong
  std::vector<std::pair<jdl::Parameter, std::optional<int>>> kept_;  // parameters of a test campaign, with their requests
  std::int64_t count_ = 0;
};

/// The answer to tasks whose parameters are their numbers, if a placeholder has no word among these. Empty: each has one, or the parameters
/// are others.
[[nodiscard]] std::optional<http::Response> wrong_numbers(const jdl::CampaignFile& file);

/// The answer to a body that was not received whole.
[[nodiscard]] http::Response broken_body(http::BodyError error);

}  // namespace gleaner::api
