#include "api/task_intake.hpp"

#include <fmt/format.h>

#include "lib/jdl/parameter_stream.hpp"

namespace gleaner::api {
namespace {

bool has_own_parameters(const jdl::CampaignFile& file) {
  return std::holds_alternative<jdl::Params>(file.parameters) || std::holds_alternative<jdl::Count>(file.parameters);
}

http::Response wrong_parameters(jdl::Problem problem) {
  problem.path = "parameters";
  return error(fmt::format("parameter line {}: {}", problem.place.line, problem.message), std::span{&problem, 1});
}

http::Response twice() {
  const jdl::Problem problem{{}, "params", {}, "the parameters are given twice: in the campaign file (params or nb_jobs), and after it"};
  return error(problem.message, std::span{&problem, 1});
}

http::Response none() {
  const jdl::Problem problem{{}, "params", {}, "there are no parameters: a campaign has at least one task"};
  return error(problem.message, std::span{&problem, 1});
}

void write(store::TaskWriter& writer, const jdl::Parameter& parameter) {
  if (const auto* line = std::get_if<std::string>(&parameter)) return writer.add(store::ParameterForm::line, *line);
  std::string json;
  jdl::append_ndjson(json, parameter);
  json.pop_back();  // the end of the line
  writer.add(store::ParameterForm::arguments, json);
}

}  // namespace

TaskIntake::TaskIntake(const jdl::CampaignFile& file, store::TaskWriter* writer) : file_{file}, writer_{writer} {}

Asked<std::int64_t> TaskIntake::take_all(ParameterBody* following) {
  take_own();
  if (following != nullptr) {
    if (auto taken = take_following(*following); !taken) return tl::unexpected{std::move(taken.error())};
  }
  if (count_ == 0) return tl::unexpected{none()};
  if (file_.type != grid::CampaignType::test) return count_;
  write_test_tasks();
  return std::ssize(file_.clusters);
}

void TaskIntake::add(const jdl::Parameter& parameter) {
  ++count_;
  if (file_.type == grid::CampaignType::test) {
    if (kept_.size() < file_.clusters.size()) kept_.push_back(parameter);
  } else if (writer_ != nullptr) {
    write(*writer_, parameter);
  }
}

void TaskIntake::take_own() {
  if (const auto* params = std::get_if<jdl::Params>(&file_.parameters)) {
    for (const auto& parameter : params->values) add(parameter);
  } else if (const auto* count = std::get_if<jdl::Count>(&file_.parameters)) {
    const bool needed = writer_ != nullptr && file_.type != grid::CampaignType::test;
    const auto wanted = needed ? count->tasks : std::min(count->tasks, std::ssize(file_.clusters));
    for (std::int64_t i = 0; i < wanted; ++i) add(std::to_string(i));
    count_ = count->tasks;
  }
}

Asked<void> TaskIntake::take_following(ParameterBody& body) {
  const bool own = has_own_parameters(file_);
  bool conflict = false;
  jdl::ParameterStream stream{[&](jdl::Parameter&& parameter) {
    conflict = conflict || own;
    if (!own) add(parameter);
  }};
  while (true) {
    const auto piece = body.next();
    if (!piece) return tl::unexpected{broken_body(piece.error())};
    const auto read = piece->empty() ? stream.finish() : stream.feed(*piece);
    if (!read) return tl::unexpected{wrong_parameters(read.error())};
    if (conflict) return tl::unexpected{twice()};
    if (piece->empty()) return {};
  }
}

void TaskIntake::write_test_tasks() {
  if (writer_ == nullptr) return;
  for (std::size_t i = 0; i < file_.clusters.size(); ++i) write(*writer_, kept_[i % kept_.size()]);
}

http::Response broken_body(http::BodyError failure) {
  const auto message = fmt::format("{}: nothing was stored", http::describe(failure));
  switch (failure) {
    case http::BodyError::too_large: return error(413, message);
    case http::BodyError::timed_out: return error(408, message);
    case http::BodyError::broken: break;
  }
  return error(400, message);
}

}  // namespace gleaner::api
