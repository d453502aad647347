#include "sim/wrapper/shell.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "lib/grid/exit_status.hpp"
#include "lib/text/numbers.hpp"
#include "sim/wrapper/files.hpp"

namespace gleaner::wrapper {

namespace {

std::int64_t number_of(const std::string& text) { return text::whole_number<std::int64_t>(text).value_or(0); }

std::string known_or_not(const std::string& word) { return word.empty() ? "?" : word; }

}  // namespace

Shell::Shell(Job& job, int worker, std::vector<std::string> words, std::string folder, std::string out, std::string err)
    : job_{job},
      script_{job.script()},
      worker_{worker},
      job_words_{std::move(words)},
      folder_{std::move(folder)},
      out_{std::move(out)},
      err_{std::move(err)} {
  take_words(job_words_);
}

Shell::~Shell() {
  if (timer_) job_.timeline().cancel(*timer_);
}

void Shell::begin() {
  course_ = worker_ == 0 ? carry_out_job() : take_pooled(0);
  sleep(course_.handle(), now());
}

int Shell::status() const {
  try {
    course_.await_resume();
  } catch (const Exit& exit) {
    return exit.status;
  }
  return status_;
}

Time Shell::now() const { return job_.timeline().now(); }

std::unique_ptr<Shell> Shell::make_worker(int worker) const {
  auto made = std::make_unique<Shell>(job_, worker, job_words_, folder_, out_, err_);
  made->pool_ = pool_;
  made->phase_ = Phase::trapping;
  return made;
}

std::string Shell::campaign_folder() const { return value_of_word(script_.folder_word, *this); }

std::string Shell::of(std::string_view variable) const {
  if (variable == script_.names->campaign_number) return std::to_string(script_.campaign);
  if (variable == "1" || variable == "2") return words_[variable == "1" ? 0 : 1];
  if (const auto bracket = variable.find('[');
      variable.substr(0, bracket) == script_.names->task_arguments && bracket != std::string_view::npos) {
    const auto place = static_cast<std::size_t>(number_of(std::string{variable.substr(bracket + 1, variable.size() - bracket - 2)}));
    return place < arguments_.size() ? arguments_[place] : std::string{};
  }
  return job_.variable(variable);
}

TaskRun Shell::run() const {
  return {.campaign = script_.campaign,
          .task = number_of(words_[0]),
          .attempt = static_cast<int>(number_of(words_[1])),
          .job = number_of(words_[2]),
          .remote_job = job_.id(),
          .fence = words_[3],
          .arguments = arguments_,
          .has_checkpoint = !script_.checkpoint_signal.empty() && has_files(campaign_folder() + "/checkpoints/" + words_[0])};
}

Shell::Before Shell::before(Step step) { return {*this, job_.fates().before(run(), step)}; }

void Shell::take_words(std::vector<std::string> words) {
  words_ = std::move(words);
  const auto remote = job_.variable("OAR_JOB_ID");
  fence_ = campaign_folder() + "/" + words_[3];
  claim_ = fmt::format("{}/{}.{}.claim", fence_, words_[0], words_[1]);
  own_ = fmt::format("{}/{}.{}.{}.{}", fence_, words_[0], words_[1], words_[2], remote.empty() ? "0" : remote);
  prefix_ = fmt::format("gleaner: task {}, attempt {}:", words_[0], words_[1]);
}

void Shell::say(std::string_view message) { (void)append_file(err_, fmt::format("{} {}\n", prefix_, message)); }

std::string Shell::own_line() const {
  const auto remote = job_.variable("OAR_JOB_ID");
  return fmt::format("{} {} {} {}\n", job_.date(), job_.host(), words_[2], remote.empty() ? "0" : remote);
}

bool Shell::write_own(bool is_new) { return write_file(own_ + ".s", own_line(), is_new ? Create::new_only : Create::any); }

Course Shell::carry_out_job() {
  auto claimed = claim();
  co_await claimed;
  phase_ = Phase::trapping;
  auto arguments = arguments_of(words_);
  if (!arguments) {
    auto quitting = note_and_quit('u', "cannot decode the arguments, nothing was run");
    co_await quitting;
  }
  arguments_ = std::move(*arguments);
  if (script_.enters_workdir) {
    auto entering = enter_folder();
    co_await entering;
  }
  if (script_.pool) begin_pool();
  auto task = carry_out_task();
  co_await task;
  if (script_.pool) {
    auto pooled = end_pool();
    co_await pooled;
  }
}

Course Shell::claim() {
  bool made = co_await before(Step::start_file);
  made = made && write_own(true);
  if (!made && !is_folder(fence_)) {
    bool works = co_await before(Step::make_folder);
    works = works && make_folders(fence_);
    if (works) {
      made = co_await before(Step::start_file);
      made = made && write_own(true);
    }
  }
  bool claimed = false;
  if (made) {
    claimed = co_await before(Step::claim);
    claimed = claimed && (make_link(own_ + ".s", claim_) || has_two_names(own_ + ".s"));
  }
  if (claimed) co_return;
  end_name_ = made ? "made" : "";
  if (exists(claim_)) {
    auto losing = lose();
    co_await losing;
  }
  if (!made && has_content(own_ + ".s")) {
    auto quitting = quit("begun before by this very job, nothing to run");
    co_await quitting;
  }
  end_name_ = "made";
  bool works = co_await before(Step::start_file);
  works = works && make_folders(fence_) && write_own(false);
  if (works) {
    works = co_await before(Step::claim);
    works = works && (make_link(own_ + ".s", claim_) || has_two_names(own_ + ".s"));
  }
  if (works) co_return;
  if (exists(claim_)) {
    auto losing = lose();
    co_await losing;
  }
  const bool noted = co_await before(Step::note_loss);
  if (noted && !rename_file(own_ + ".s", own_ + ".u")) (void)write_file(own_ + ".u", {}, Create::any);
  auto quitting = quit("cannot be claimed, nothing was run: No space left on device");
  co_await quitting;
}

/// end_if_claimed(): the claim is held.
Course Shell::lose() {
  auto line = split_at_blanks(content_of(claim_).value_or(""));
  line.resize(4);
  const bool noted = co_await before(Step::note_loss);
  if (noted && !end_name_.empty()) (void)rename_file(own_ + ".s", own_ + ".d." + (line[2].empty() ? "0" : line[2]));
  auto quitting = quit(fmt::format("claimed by job {} (OAR job {} on host {}), nothing to run", known_or_not(line[2]),
                                   known_or_not(line[3]), known_or_not(line[1])));
  co_await quitting;
}

Course Shell::note_and_quit(char mark, std::string message) {
  const bool noted = co_await before(Step::note_loss);
  if (noted) (void)rename_file(own_ + ".s", own_ + "." + mark);
  auto quitting = quit(std::move(message));
  co_await quitting;
}

Course Shell::quit(std::string message) {
  const bool works = co_await before(Step::say_why);
  if (works) say(message);
  if (worker_ == 0) {
    auto joining = join_workers();
    co_await joining;
  }
  throw Exit{grid::kRanNothing};
}

Course Shell::enter_folder() {
  const auto folder = value_of_word(script_.workdir_word, *this);
  if (is_folder(folder)) {
    folder_ = folder;
    co_return;
  }
  auto quitting =
      note_and_quit('f', fmt::format("its exec_directory {} cannot be used, nothing was run: No such file or directory", folder));
  co_await quitting;
}

Course Shell::open_streams() {
  const auto base = fmt::format("{}/OAR.cigri.{}.{}", folder_, script_.campaign, job_.variable("OAR_JOB_ID"));
  bool works = co_await before(Step::streams);
  works = works && append_file(base + ".stdout", {}) && append_file(base + ".stderr", {});
  if (!works) {
    auto quitting =
        note_and_quit('f', fmt::format("its exec_directory {} cannot be used, nothing was run: {}", folder_, "No space left on device"));
    co_await quitting;
  }
  out_ = base + ".stdout";
  err_ = base + ".stderr";
}

/// run_task(): carries out the claimed task, and notes its end.
Course Shell::carry_out_task() {
  if (!script_.input_words.empty()) {
    auto inputs = bring_inputs();
    co_await inputs;
  }
  if (!script_.checkpoint_signal.empty()) {
    auto folder = make_checkpoint_folder();
    co_await folder;
  }
  if (script_.gives) {
    auto file = make_given_file();
    co_await file;
  }
  if (!script_.output_word.empty()) {
    auto folder = open_output_folder();
    co_await folder;
  }
  if (script_.opens_streams && (!script_.pool || words_[2] == job_words_[2])) {
    auto streams = open_streams();
    co_await streams;
  }
  auto command = run_command();
  co_await command;
  phase_ = Phase::ignoring;
  if (!script_.output_patterns.empty()) {
    auto outputs = gather_outputs();
    co_await outputs;
  }
  auto end = note_end();
  co_await end;
  if (!script_.checkpoint_signal.empty() && status_ == 0) {
    auto clearing = clear_checkpoint();
    co_await clearing;
  }
}

Course Shell::make_checkpoint_folder() {
  bool works = co_await before(Step::checkpoint_folder);
  works = works && make_folders(campaign_folder() + "/checkpoints/" + words_[0]);
  if (works) co_return;
  auto quitting = note_and_quit('u', "its checkpoint folder cannot be made, nothing was run: No space left on device");
  co_await quitting;
}

std::string Shell::given_file() const { return fmt::format("{}/given/{}.{}", campaign_folder(), words_[0], words_[1]); }

Course Shell::make_given_file() {
  bool works = co_await before(Step::given_file);
  works = works && make_folders(campaign_folder() + "/given");
  if (works) works = co_await before(Step::given_file);
  works = works && write_file(given_file(), {}, Create::any);
  if (works) co_return;
  auto quitting = note_and_quit('u', "the file for what it gives cannot be made, nothing was run: No space left on device");
  co_await quitting;
}

Course Shell::clear_checkpoint() {
  const bool works = co_await before(Step::clear_checkpoint);
  if (works) (void)remove_all(campaign_folder() + "/checkpoints/" + words_[0]);
}

/// A task with checkpoints is not: GNU time would stand between the signal and the command.
bool Shell::is_run_by_time() const {
  return script_.measured && script_.checkpoint_signal.empty() && job_.fates().memory_by() == MemoryBy::gnu_time;
}

/// The job's cgroup shows that of one task only before another one has run in it.
bool Shell::knows_memory() const {
  if (job_.fates().memory_by() != MemoryBy::cgroup) return is_run_by_time();
  return script_.measured || (words_[2] == job_words_[2] && worker_ == 0 && job_.started_workers() == 0);
}

/// run_command(): the task is given its time.
Course Shell::run_command() {
  const bool by_time = is_run_by_time();
  if (by_time) {
    const bool works = co_await before(Step::memory_file);
    if (works) (void)write_file(own_ + ".m", "0\n", Create::any);
  }
  const auto begun = now();
  const auto begun_by_date = job_.seconds();
  last_plan_ = job_.fates().task(run());
  Running command{.plan = last_plan_, .end = begun + last_plan_.duration, .status = last_plan_.status};
  if (script_.pool) {
    const std::chrono::seconds walltime{script_.pool->task_walltime};
    constexpr std::chrono::seconds kGrace{30};
    if (last_plan_.duration >= walltime) {
      constexpr int kTimeout = 124;
      const bool stays = last_plan_.ignores_term && last_plan_.duration > walltime + kGrace;
      if (!last_plan_.ignores_term || stays) command.by_itself = false;
      command.end = begun + (stays ? walltime + kGrace : last_plan_.ignores_term ? last_plan_.duration : walltime);
      command.status = stays ? grid::kSignalled + SIGKILL : kTimeout;
    }
  }
  command_ = command;
  if (by_time) (void)write_file(own_ + ".m", {}, Create::any);
  do {
    co_await Sleep{*this, command_->end};
  } while (now() < command_->end);
  const auto ended = *std::exchange(command_, std::nullopt);
  if (ended.by_itself) {
    (void)append_file(out_, last_plan_.output);
    (void)append_file(err_, last_plan_.errors);
    if (script_.gives && !last_plan_.gives.empty()) {
      const bool works = co_await before(Step::given_file);
      if (works) (void)append_file(given_file(), last_plan_.gives + "\n");
    }
    for (const auto& file : last_plan_.files)
      (void)write_file(file.path.starts_with('/') ? file.path : folder_ + "/" + file.path, file.content, Create::any);
  }
  if (by_time) {
    (void)write_file(own_ + ".m", fmt::format("{}\n", last_plan_.memory), Create::any);
  } else if (ended.status == grid::kSignalled + SIGTERM && !ended.by_itself && script_.checkpoint_signal.empty()) {
    (void)append_file(err_, "Terminated\n");  // bash says so of the process that it waited for
  }
  status_ = ended.status;
  if (ended.by_itself) job_.fates().ended(run(), status_);
  took_ = std::chrono::duration_cast<std::chrono::milliseconds>(now() - begun);
  took_by_date_ = std::chrono::seconds{job_.seconds() - begun_by_date};
}

bool Shell::put_end() {
  return (script_.pool && write_file(end_name_, {}, Create::any)) || rename_file(own_ + ".s", end_name_) || exists(end_name_);
}

Course Shell::note_end() {
  std::string mark = fmt::format("e{}", status_);
  if (script_.pool) {
    const bool over_walltime = took_by_date_ >= std::chrono::seconds{script_.pool->task_walltime};
    if ((status_ == 124 || status_ == grid::kSignalled + SIGKILL) && over_walltime) {
      mark = "w";
      status_ = grid::kRanNothing;
    }
  }
  if (script_.pool || script_.measured) {
    mark += fmt::format(".{}.c{}", took_.count(), last_plan_.processor.count() / 10 * 10);
    if (knows_memory()) mark += fmt::format(".m{}", last_plan_.memory);
    // A task reads its program and writes a part of what it has in memory.
    mark += fmt::format(".i{}", last_plan_.memory / 8);
    if (is_run_by_time()) {
      const bool works = co_await before(Step::memory_file);
      if (works) (void)remove_all(own_ + ".m");
    }
  }
  if (script_.gives && status_ == 0) {
    auto given = content_of(given_file()).value_or("");
    while (given.ends_with('\n')) given.pop_back();
    std::ranges::replace(given, '\n', ',');
    if (!given.empty()) mark += ".g" + given;
  }
  end_name_ = own_ + "." + mark + error_words(mark);
  bool works = co_await before(Step::end);
  if (works && put_end()) co_return;
  if (const auto short_end = own_ + "." + mark; status_ != 0 && end_name_ != short_end) {
    end_name_ = short_end;
    works = co_await before(Step::end);
    if (works && put_end()) co_return;
  }
  works = co_await before(Step::end);
  works = works && make_folders(fence_) && write_own(false);
  if (!works) co_return;
  works = co_await before(Step::end);
  if (works && rename_file(own_ + ".s", end_name_)) (void)make_link(end_name_, claim_);
}

}  // namespace gleaner::wrapper
