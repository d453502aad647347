// Shows single tasks: their attempts, and the ends of their outputs.
#include <fmt/format.h>

#include <chrono>
#include <set>
#include <thread>

#include "clients/asked.hpp"
#include "clients/gridstat/followed_file.hpp"
#include "clients/gridstat/gridstat.hpp"
#include "lib/terminal/text.hpp"
#include "lib/text/ranges.hpp"

namespace gleaner::gridstat {
namespace {

using clients::Json;
using process::Error;
using process::ExitCode;

constexpr std::int64_t kMostTasks = 1000;
constexpr std::int64_t kUsualLines = 20;
constexpr std::int64_t kMostLines = 10'000;
/// Lines that --follow reads each time.
constexpr std::int64_t kFollowedLines = 500;
constexpr std::chrono::seconds kFollowPeriod{2};

/// The numbers of the option --task; `*` is the campaign's last task.
std::vector<std::int64_t> asked_tasks(const Run& run, std::int64_t campaign) {
  std::vector<std::int64_t> tasks;
  for (const auto& list : clients::task_lists(run.context.arguments, {campaign})) {
    const auto ranges = text::parse_ranges(list);
    for (auto [first, last] : *ranges) {
      if (last == text::kOpenEnd) last = run.api.get(fmt::format("/v1/campaigns/{}", campaign)).json["total_tasks"].integer() - 1;
      if (last - first >= kMostTasks || static_cast<std::int64_t>(tasks.size()) >= kMostTasks)
        throw Error{ExitCode::usage, fmt::format("--task: at most {} tasks are shown at once; --full lists all", kMostTasks)};
      for (auto task = first; task <= last; ++task) tasks.push_back(task);
    }
  }
  if (tasks.empty()) throw Error{ExitCode::not_found, fmt::format("campaign {} has no such task", campaign)};
  return tasks;
}

std::string task_path(std::int64_t campaign, std::int64_t task) { return fmt::format("/v1/campaigns/{}/tasks/{}", campaign, task); }

/// A task or a job whose output is shown.
struct Source {
  std::string path;  ///< of the task or the job
  bool is_job = false;
};

std::string output_path(const Run& run, const Source& source, std::string_view stream, std::int64_t lines) {
  auto path = fmt::format("{}/{}?lines={}", source.path, stream, lines);
  if (run.has("attempt")) path += fmt::format("&attempt={}", clients::number_of(run.context.arguments, "attempt", 0, 0, 1'000'000));
  return path;
}

std::string where(const Json& output) {
  std::string hosts;
  for (const auto& host : output["hosts"].items()) hosts += ", " + terminal::printable(host.text());
  return fmt::format("task {}, attempt {} on {} (OAR job {}{})", output["task"].integer(), output["attempt"].integer(),
                     terminal::printable(output["cluster_name"].text()), output["remote_id"].integer(), hosts);
}

void tell_source(const Run& run, const Json& output) {
  const auto file = terminal::printable(output["path"].text());
  const bool is_empty = output["output"].text().empty();
  auto what = output["is_whole"].is_true() ? std::string{"all"} : terminal::counted(output["lines"].integer(), "last line");
  if (is_empty) what = "nothing";
  run.output.report(fmt::format("gridstat: {}: {} {} {}", where(output), what, is_empty ? "is in" : "of", file));
  if (output["is_cut"].is_true()) run.output.report("gridstat: its last line is too long: this is the beginning of it");
}

std::string with_line_end(std::string text) {
  if (!text.empty() && !text.ends_with('\n')) text += '\n';
  return text;
}

std::vector<std::string> asked_streams(const Run& run) {
  std::vector<std::string> streams;
  if (run.has("stdout")) streams.emplace_back("stdout");
  if (run.has("stderr")) streams.emplace_back("stderr");
  return streams;
}

/// One that has no output does not stop the others. Returns the last error's code.
ExitCode show_outputs(const Run& run, const std::vector<Source>& sources) {
  const auto lines = clients::number_of(run.context.arguments, "lines", kUsualLines, 1, kMostLines);
  const auto streams = asked_streams(run);
  auto code = ExitCode::ok;
  std::vector<Json> documents;
  for (const auto& source : sources) {
    for (const auto& stream : streams) {
      try {
        documents.push_back(run.api.get(output_path(run, source, stream, lines)).json);
      } catch (const Error& error) {
        if (error.code() != ExitCode::not_found || sources.size() * streams.size() == 1) throw;
        code = error.code();
        run.output.report(fmt::format("gridstat: {}", error.what()));
        continue;
      }
      if (run.form == terminal::Form::json) continue;
      tell_source(run, documents.back());
      run.output.show({.text = with_line_end(documents.back()["output"].text())});
      documents.pop_back();
    }
  }
  if (run.form != terminal::Form::json) return code;
  const bool is_one = sources.size() * streams.size() == 1;
  const auto whole = is_one ? documents[0] : Json::of(std::vector<Json::Member>{{"items", Json::of(std::move(documents))}});
  run.output.show({.json = run.document(whole)});
  return code;
}

/// The state after which nothing more is written.
std::optional<ExitCode> end_of(const Source& source, const std::string& state) {
  static const std::set<std::string> over{"done", "failed", "cancelled"};
  static const std::set<std::string> job_over{"terminated", "error", "killed"};
  if (!(source.is_job ? job_over : over).contains(state)) return std::nullopt;
  return state == "done" || state == "terminated" ? ExitCode::ok : ExitCode::failure;
}

/// Follows the output of a task from one attempt to the next, or that of one job.
class Follower {
 public:
  Follower(const Run& run, Source source, std::string stream) : run_{run}, source_{std::move(source)}, stream_{std::move(stream)} {}

  ExitCode follow() {
    while (true) {
      if (const auto end = read()) return *end;
      is_first_ = false;
      std::this_thread::sleep_for(kFollowPeriod);
    }
  }

 private:
  std::optional<ExitCode> read() {
    try {
      const auto output = run_.api.get(output_path(run_, source_, stream_, kFollowedLines)).json;
      show(output);
      return end_of(source_, output[source_.is_job ? "job_state" : "task_state"].text());
    } catch (const Error& error) {
      if (error.code() == ExitCode::unavailable && !is_first_) {
        tell_once(error.what());
        return std::nullopt;
      }
      if (error.code() != ExitCode::not_found) throw;
      const auto state = run_.api.get(source_.path).json["state"].text();
      if (end_of(source_, state)) throw;
      tell_once(error.what());
      return std::nullopt;
    }
  }

  void show(const Json& output) {
    const auto job = output["job_id"].integer();
    const bool is_new = job != job_;
    if (is_new) {
      job_ = job;
      file_ = FollowedFile{};
      run_.output.report(fmt::format("gridstat: {}: {} of {}", where(output), stream_, terminal::printable(output["path"].text())));
    }
    told_.clear();
    auto news = file_.read(output["output"].text(), output["is_whole"].is_true());
    if (news.lacks_lines) run_.output.report("gridstat: more was written than can be followed: lines are left out here");
    if (is_new && is_first_) {
      const auto lines = clients::number_of(run_.context.arguments, "lines", kUsualLines, 1, kMostLines);
      news.text = last_lines(news.text, static_cast<std::size_t>(lines));
    }
    if (!news.text.empty()) run_.output.show({.text = news.text});
  }

  void tell_once(const std::string& what) {
    if (what == told_) return;
    run_.output.report("gridstat: " + what);
    told_ = what;
  }

  const Run& run_;
  const Source source_;
  const std::string stream_;
  FollowedFile file_;
  std::int64_t job_ = 0;
  bool is_first_ = true;
  std::string told_;
};

process::ExitCode outputs_of(const Run& run, const std::vector<Source>& sources) {
  const auto streams = asked_streams(run);
  if (run.form == terminal::Form::csv || run.form == terminal::Form::quiet)
    throw Error{ExitCode::usage, "an output is printed as text, or as JSON: --csv and --quiet do not go with it"};
  if (!run.has("follow")) return show_outputs(run, sources);
  if (sources.size() != 1 || streams.size() != 1)
    throw Error{ExitCode::usage, "--follow follows one output of one task: gridstat 12 --task 7 -O --follow"};
  if (run.form != terminal::Form::human) throw Error{ExitCode::usage, "--follow prints text: no other form goes with it"};
  return Follower{run, sources[0], streams[0]}.follow();
}

}  // namespace

process::ExitCode show_tasks(const Run& run, std::int64_t campaign) {
  const auto tasks = asked_tasks(run, campaign);
  if (!asked_streams(run).empty()) {
    std::vector<Source> sources;
    for (const auto task : tasks) sources.push_back({task_path(campaign, task)});
    return outputs_of(run, sources);
  }
  std::vector<Json> documents;
  terminal::Answer answer;
  for (const auto task : tasks) {
    auto json = run.api.get(task_path(campaign, task) + "?hosts=1").json;
    answer.text += (answer.text.empty() ? "" : "\n") + task_view(json, run.setting());
    answer.ids.push_back(fmt::format("{}", task));
    documents.push_back(std::move(json));
  }
  answer.table = attempts_table(documents, run.setting());
  if (run.form == terminal::Form::json)
    answer.json = run.document(documents.size() == 1 ? documents[0] : Json::of(std::vector<Json::Member>{{"items", Json::of(documents)}}));
  run.output.show(answer);
  return ExitCode::ok;
}

process::ExitCode show_job_outputs(const Run& run, std::int64_t job) {
  return outputs_of(run, {{.path = fmt::format("/v1/jobs/{}", job), .is_job = true}});
}

}  // namespace gleaner::gridstat
