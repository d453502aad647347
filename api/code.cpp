#include "api/code.hpp"

#include <array>
#include <cstddef>

namespace gleaner::api {
namespace {

struct Line {
  Code code;
  std::string_view word;
  unsigned status;
};

constexpr std::array kCodes{
    Line{Code::bad_value, "bad_value", 400},
    Line{Code::bad_input, "bad_input", 400},
    Line{Code::unknown_key, "unknown_key", 400},
    Line{Code::not_http, "not_http", 400},
    Line{Code::unknown_caller, "unknown_caller", 401},
    Line{Code::not_yours, "not_yours", 403},
    Line{Code::administrators_only, "administrators_only", 403},
    Line{Code::only_reads, "only_reads", 403},
    Line{Code::rule_refused, "rule_refused", 403},
    Line{Code::too_many_tasks, "too_many_tasks", 403},
    Line{Code::too_many_campaigns, "too_many_campaigns", 403},
    Line{Code::refused_user, "refused_user", 403},
    Line{Code::refused_by_cluster, "refused_by_cluster", 403},
    Line{Code::no_such_path, "no_such_path", 404},
    Line{Code::no_such_campaign, "no_such_campaign", 404},
    Line{Code::no_such_task, "no_such_task", 404},
    Line{Code::no_such_job, "no_such_job", 404},
    Line{Code::no_such_cluster, "no_such_cluster", 404},
    Line{Code::no_such_event, "no_such_event", 404},
    Line{Code::no_such_output, "no_such_output", 404},
    Line{Code::no_such_subscription, "no_such_subscription", 404},
    Line{Code::no_such_token, "no_such_token", 404},
    Line{Code::no_such_limit, "no_such_limit", 404},
    Line{Code::no_such_share, "no_such_share", 404},
    Line{Code::not_on_cluster, "not_on_cluster", 404},
    Line{Code::wrong_method, "wrong_method", 405},
    Line{Code::timed_out, "timed_out", 408},
    Line{Code::wrong_state, "wrong_state", 409},
    Line{Code::key_reused, "key_reused", 409},
    Line{Code::changed_meanwhile, "changed_meanwhile", 409},
    Line{Code::no_longer_kept, "no_longer_kept", 410},
    Line{Code::outdated, "outdated", 412},
    Line{Code::too_large, "too_large", 413},
    Line{Code::wrong_media_type, "wrong_media_type", 415},
    Line{Code::head_too_large, "head_too_large", 431},
    Line{Code::internal, "internal", 500},
    Line{Code::rule_broken, "rule_broken", 500},
    Line{Code::cluster_unavailable, "cluster_unavailable", 502},
    Line{Code::busy, "busy", 503},
    Line{Code::unavailable, "unavailable", 503},
};

constexpr bool is_in_order() {
  for (std::size_t i = 0; i < kCodes.size(); ++i) {
    if (static_cast<std::size_t>(kCodes[i].code) != i) return false;
  }
  return true;
}
static_assert(is_in_order() && kCodes.back().code == Code::unavailable, "the table has each code, in their order");

const Line& line_of(Code code) { return kCodes.at(static_cast<std::size_t>(code)); }

}  // namespace

std::string_view word_of(Code code) { return line_of(code).word; }

unsigned status_of(Code code) { return line_of(code).status; }

std::vector<std::string_view> all_code_words() {
  std::vector<std::string_view> words;
  for (const auto& line : kCodes) words.push_back(line.word);
  return words;
}

}  // namespace gleaner::api
