#pragma once
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "api/call.hpp"
#include "api/parameter_body.hpp"
#include "lib/jdl/campaign_file.hpp"
#include "lib/jdl/parameter.hpp"
#include "lib/jdl/requests.hpp"
#include "lib/store/campaigns.hpp"

namespace gleaner::api {

/// Where the tasks of a campaign go: into the database, or, when all is only checked, nowhere.
class TaskIntake {
 public:
  /// @param writer    null: only counts
  /// @param requests  works out what each task asks for; null: they all ask the same
  /// @param most      tasks that it takes; more are refused
  TaskIntake(const jdl::CampaignFile& file, store::TaskWriter* writer, jdl::Requests* requests, std::int64_t most);

  /// Takes the parameters of the file itself, then those of `following` (null: none follow), which
  /// may be there only when the file has none. Wrong parameters, and none at all, become answers.
  [[nodiscard]] Asked<std::int64_t> take_all(ParameterBody* following);

 private:
  void add(const jdl::Parameter& parameter);
  void write(const jdl::Parameter& parameter, std::optional<int> request);
  void take_own();
  [[nodiscard]] Asked<void> take_following(ParameterBody& body);
  /// A test campaign has one task for each cluster: the first parameters, again when they are fewer.
  void write_test_tasks();

  const jdl::CampaignFile& file_;
  store::TaskWriter* writer_;
  jdl::Requests* requests_;
  std::int64_t most_;
  std::optional<http::Response> wrong_request_;                      // of the first task that has one
  std::vector<std::pair<jdl::Parameter, std::optional<int>>> kept_;  // of a test campaign, with their requests
  std::int64_t count_ = 0;
};

/// What is answered to a body that did not come whole.
[[nodiscard]] http::Response broken_body(http::BodyError error);

}  // namespace gleaner::api
