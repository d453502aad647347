#include "sim/minioar/job.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace gleaner::minioar {

namespace {

std::string shown_properties(const Submission& submission) {
  auto inner = submission.property.empty() ? std::string{} : fmt::format("({})", submission.property);
  if (submission.best_effort()) inner = fmt::format("({}besteffort = 'YES')", inner.empty() ? "" : inner + " AND ");
  return fmt::format("({}desktop_computing = 'NO') AND drain='NO'", inner.empty() ? "" : inner + " AND ");
}

std::string first_message(const Submission& submission, std::size_t resources) {
  auto text = fmt::format("R={},W={},J={}", resources, walltime_text(submission.moldables.front().walltime),
                          submission.not_before != 0 ? "R" : "B");
  if (submission.name) text += ",N=" + *submission.name;
  if (submission.project != "default") text += ",P=" + submission.project;
  std::vector<std::string> types;
  for (const auto& type : submission.types) types.push_back(type.substr(0, type.find('=')));
  if (!types.empty()) text += fmt::format(",T={}", fmt::join(types, "|"));
  return text;
}

tl::unexpected<RequestError> bad_resources(const std::string& why) {
  return tl::unexpected{RequestError{RequestError::Kind::resource, fmt::format("Bad resource request (ERROR:  {})", why)}};
}

}  // namespace

std::optional<std::int64_t> Job::planned_start() const {
  return queued(state) && submission->not_before != 0 ? submission->not_before : scheduled_start;
}

std::int64_t Job::shown_start() const { return queued(state) && submission->not_before != 0 ? submission->not_before : start_time; }

bool Submission::has_type(std::string_view type) const { return std::find(types.begin(), types.end(), type) != types.end(); }

tl::expected<void, RequestError> complete(Submission& submission, const std::vector<Resource>& resources) {
  if (submission.resources.empty()) submission.resources.emplace_back("/core=1");
  for (const auto& text : submission.resources) {
    auto moldable = parse_moldable(text);
    if (!moldable) {
      if (moldable.error().kind == RequestError::Kind::resource) return bad_resources(moldable.error().message);
      return tl::unexpected{moldable.error()};
    }
    submission.moldables.push_back(std::move(*moldable));
  }
  if (!submission.property.empty()) {
    auto condition = Condition::parse(submission.property);
    if (!condition) return bad_resources(condition.error());
    submission.condition = std::move(*condition);
  }
  std::optional<std::size_t> count;
  Choice whole{resources, std::vector<bool>(resources.size(), true), {}};
  if (submission.best_effort()) keep_best_effort(whole);
  for (const auto& moldable : submission.moldables) {
    if (const auto places = place(moldable, submission.condition, whole); places && !count) count = places->size();
    submission.wanted += wanted_resources(moldable);
  }
  if (!count) return tl::unexpected{RequestError{RequestError::Kind::resource, "There are not enough resources for your request"}};
  submission.properties = shown_properties(submission);
  submission.message = first_message(submission, *count);
  return {};
}

std::optional<std::int64_t> Job::walltime() const {
  if (!moldable) return std::nullopt;
  return submission->moldables.at(static_cast<std::size_t>(*moldable)).walltime;
}

std::string Job::file_name(std::string_view pattern) const {
  constexpr std::string_view kMark = "%jobid%";
  std::string out{pattern};
  for (auto at = out.find(kMark); at != std::string::npos; at = out.find(kMark, at)) out.replace(at, kMark.size(), std::to_string(id));
  return out;
}

}  // namespace gleaner::minioar
