#include "api/task_intake.hpp"

#include <fmt/format.h>

#include <utility>

#include "api/limits.hpp"
#include "lib/jdl/parameter_array.hpp"
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

http::Response wrong_task(const std::string& sentence) {
  const jdl::Problem problem{{}, "parameters", {}, sentence};
  return error(problem.message, std::span{&problem, 1});
}

}  // namespace

TaskIntake::TaskIntake(const jdl::CampaignFile& file, store::TaskWriter* writer, jdl::Requests* requests, std::int64_t most,
                       std::int64_t first, jdl::KnownInputs* inputs)
    : file_{file}, writer_{writer}, requests_{requests}, most_{most}, first_{first}, inputs_{inputs}, placement_{file} {}

std::vector<std::string> TaskIntake::warnings() const {
  std::vector<std::string> warnings;
  if (placement_.note()) warnings.push_back(*placement_.note());
  const auto tests = std::ssize(file_.clusters);
  if (file_.type == grid::CampaignType::test && count_ > tests)
    warnings.push_back(
        fmt::format("this is a test, with one task on each cluster: {} of its {} tasks are left out, from the parameter of task {} on",
                    count_ - tests, count_, tests));
  return warnings;
}

Asked<std::int64_t> TaskIntake::take_all(ParameterBody* following, ParameterBodyForm form) {
  take_own();
  if (following != nullptr) {
    auto taken = form == ParameterBodyForm::array ? take_array(*following) : take_following(*following);
    if (!taken) return tl::unexpected{std::move(taken.error())};
  }
  if (auto wrong = obstacle()) return tl::unexpected{std::move(*wrong)};
  const auto* const stated = std::get_if<jdl::Count>(&file_.parameters);
  if (count_ == 0 && stated != nullptr) return 0;  // "nb_jobs": 0, of which the reader warned
  if (count_ == 0) return tl::unexpected{none()};
  if (file_.type != grid::CampaignType::test) return count_;
  write_test_tasks();
  return std::ssize(file_.clusters);
}

void TaskIntake::add(const jdl::Parameter& parameter) {
  const auto number = first_ + count_++;
  if (first_ + count_ > most_) return;
  if (!first_parameter_) first_parameter_ = parameter;
  if (auto wrong = wrong_task_ ? std::nullopt : placement_.wrong(number, parameter)) wrong_task_ = wrong_task(*wrong);
  if (!wrong_task_ && inputs_ != nullptr) {
    if (const auto read = inputs_->read_by(file_, number, parameter); !read) wrong_task_ = wrong_task(read.error());
  }
  std::optional<int> request;
  if (requests_ != nullptr && !wrong_task_) {
    const auto worked_out = requests_->request_of(number, parameter);
    if (worked_out) request = *worked_out;
    else wrong_task_ = wrong_task(worked_out.error());
  }
  if (wrong_task_) return;
  if (file_.type == grid::CampaignType::test) {
    if (kept_.size() < file_.clusters.size()) kept_.emplace_back(parameter, request);
  } else if (writer_ != nullptr) {
    write(parameter, request);
  }
}

void TaskIntake::write(const jdl::Parameter& parameter, std::optional<int> request) {
  const auto put = [&](store::ParameterForm form, std::string_view text) {
    return request ? writer_->add(form, text, *request) : writer_->add(form, text);
  };
  if (const auto* line = std::get_if<std::string>(&parameter)) return put(store::ParameterForm::line, *line);
  std::string json;
  jdl::append_ndjson(json, parameter);
  json.pop_back();  // the end of the line
  put(store::ParameterForm::arguments, json);
}

void TaskIntake::take_own() {
  if (const auto* params = std::get_if<jdl::Params>(&file_.parameters)) {
    for (const auto& parameter : params->values) add(parameter);
  } else if (const auto* count = std::get_if<jdl::Count>(&file_.parameters)) {
    const bool needed = (writer_ != nullptr && file_.type != grid::CampaignType::test) || requests_ != nullptr || inputs_ != nullptr;
    const auto wanted = needed ? count->tasks : std::min(count->tasks, std::ssize(file_.clusters));
    for (std::int64_t i = 0; i < wanted && !wrong_task_ && first_ + i <= most_; ++i) add(std::to_string(first_ + i));
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
    if (auto wrong = obstacle()) return tl::unexpected{std::move(*wrong)};
    if (piece->empty()) return {};
  }
}

Asked<void> TaskIntake::take_array(ParameterBody& body) {
  std::optional<http::Response> broken;
  const auto next = [&]() -> std::string_view {
    const auto piece = body.next();
    if (piece) return *piece;
    broken = broken_body(piece.error());
    return {};
  };
  const auto read = jdl::read_parameter_array(next, [&](jdl::Parameter&& parameter) {
    add(parameter);
    return !wrong_task_ && first_ + count_ <= most_;
  });
  if (broken) return tl::unexpected{std::move(*broken)};
  if (!read) return tl::unexpected{wrong_parameters(read.error())};
  return {};
}

std::optional<http::Response> TaskIntake::obstacle() {
  if (first_ + count_ > most_) return too_many_tasks(most_);
  return std::exchange(wrong_task_, std::nullopt);
}

void TaskIntake::write_test_tasks() {
  if (writer_ == nullptr) return;
  for (std::size_t i = 0; i < file_.clusters.size(); ++i) {
    const auto& [parameter, request] = kept_[i % kept_.size()];
    // Its files are known: the parameter was taken before.
    if (inputs_ != nullptr) static_cast<void>(inputs_->read_by(file_, static_cast<std::int64_t>(i), parameter));
    write(parameter, request);
  }
}

std::optional<http::Response> wrong_numbers(const jdl::CampaignFile& file) {
  if (!std::holds_alternative<jdl::Count>(file.parameters)) return std::nullopt;
  const auto wrong = jdl::PlacementCheck{file}.wrong(0, std::string{"0"});
  return wrong ? std::optional{wrong_task(*wrong)} : std::nullopt;
}

http::Response broken_body(http::BodyError failure) {
  const auto message = fmt::format("{}: nothing was stored", http::describe(failure));
  switch (failure) {
    case http::BodyError::too_large: return error(Code::too_large, message);
    case http::BodyError::timed_out: return error(Code::timed_out, message);
    case http::BodyError::broken: break;
  }
  return error(Code::bad_input, message);
}

}  // namespace gleaner::api
