#pragma once
#include <cstdint>
#include <vector>

#include "api/parameter_body.hpp"
#include "api/call.hpp"
#include "lib/jdl/campaign_file.hpp"
#include "lib/jdl/parameter.hpp"
#include "lib/store/campaigns.hpp"

namespace gleaner::api {

/// Where the tasks of a campaign go: into the database, or, when all is only checked, nowhere.
class TaskIntake {
 public:
  /// @param writer  null: only counts
  TaskIntake(const jdl::CampaignFile& file, store::TaskWriter* writer);

  /// Takes the parameters of the file itself, then those of `following` (null: none follow), which
  /// may be there only when the file has none. Wrong parameters, and none at all, become answers.
  [[nodiscard]] Asked<std::int64_t> take_all(ParameterBody* following);

 private:
  void add(const jdl::Parameter& parameter);
  void take_own();
  [[nodiscard]] Asked<void> take_following(ParameterBody& body);
  /// A test campaign has one task for each cluster: the first parameters, again when they are fewer.
  void write_test_tasks();

  const jdl::CampaignFile& file_;
  store::TaskWriter* writer_;
  std::vector<jdl::Parameter> kept_;  // of a test campaign
  std::int64_t count_ = 0;
};

/// What is answered to a body that did not come whole.
[[nodiscard]] http::Response broken_body(http::BodyError error);

}  // namespace gleaner::api
