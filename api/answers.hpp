#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/code.hpp"
#include "lib/http/message.hpp"
#include "lib/jdl/problem.hpp"
#include "lib/text/json_writer.hpp"

/// Answers whose shape is common to all routes.
namespace gleaner::api {

[[nodiscard]] http::Response answer(unsigned status, std::string json);
[[nodiscard]] inline http::Response answer(const text::JsonWriter& json) { return answer(200, json.text()); }

/// `{"status","code","title","message"}`; the title is the standard one of the code's status.
[[nodiscard]] http::Response error(Code code, std::string_view message);
/// The same with the admission rule that it is about.
[[nodiscard]] http::Response rule_error(Code code, std::string_view rule, std::string_view message);
/// With all problems of the user's input; the code is `bad_input`.
[[nodiscard]] http::Response error(std::string_view message, std::span<const jdl::Problem> problems);
struct Link {
  std::string_view rel;
  std::string href;
  std::string_view title{};
};
void write_links(text::JsonWriter& json, const std::vector<Link>& links);

/// 202, in the shape of an error; `count` is the number of affected objects. `next`: the request for what is left; empty: nothing is.
[[nodiscard]] http::Response accepted(std::string_view message, std::optional<std::int64_t> count = {}, std::string next = {});

}  // namespace gleaner::api
