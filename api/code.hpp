#pragma once
#include <string_view>
#include <vector>

/// The code of an error, for programs.
namespace gleaner::api {

/// Each has one word, which stays the same, and one status of HTTP. The schema ErrorCode of api/openapi.json explains them.
enum class Code {
  bad_value,
  bad_input,
  unknown_key,
  not_http,
  unknown_caller,
  not_yours,
  administrators_only,
  only_reads,
  rule_refused,
  too_many_tasks,
  too_many_campaigns,
  refused_user,
  refused_by_cluster,
  no_such_path,
  no_such_campaign,
  no_such_task,
  no_such_job,
  no_such_cluster,
  no_such_event,
  no_such_output,
  no_such_subscription,
  no_such_token,
  no_such_limit,
  no_such_share,
  not_on_cluster,
  wrong_method,
  timed_out,
  wrong_state,
  key_reused,
  changed_meanwhile,
  no_longer_kept,
  outdated,
  too_large,
  wrong_media_type,
  head_too_large,
  internal,
  rule_broken,
  cluster_unavailable,
  busy,
  unavailable,
};

/// `no_such_campaign`.
[[nodiscard]] std::string_view word_of(Code code);
[[nodiscard]] unsigned status_of(Code code);

/// All words, in the order of the codes.
[[nodiscard]] std::vector<std::string_view> all_code_words();

}  // namespace gleaner::api
