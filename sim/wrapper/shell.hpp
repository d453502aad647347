#pragma once
#include <optional>
#include <string>
#include <vector>

#include "sim/wrapper/course.hpp"
#include "sim/wrapper/job.hpp"

namespace gleaner::wrapper {

/// A shell of the wrapper: the first one, or a worker that takes pooled tasks beside it. Its functions are those of the script
/// (runner/command/command.cpp), and act on the same files in the same order.
class Shell final : public Values {
 public:
  /// @param worker  0: the first one
  /// @param words   the parameter line of the job
  Shell(Job& job, int worker, std::vector<std::string> words, std::string folder, std::string out, std::string err);
  ~Shell() override;
  Shell(const Shell&) = delete;
  Shell& operator=(const Shell&) = delete;

  void begin();
  [[nodiscard]] bool is_over() const { return course_.is_over(); }
  /// Its exit status. Throws Killed, or the fault of the model with which it ended.
  [[nodiscard]] int status() const;
  [[nodiscard]] int worker() const { return worker_; }

  enum class Effect { none, ends_it };
  /// A signal reaches the shell.
  [[nodiscard]] Effect receive(int signal);
  /// A signal reaches the command that it waits for.
  void command_receives(int signal);
  void stop();      ///< SIGSTOP
  void carry_on();  ///< SIGCONT
  /// A worker is over.
  void worker_ended();
  /// A worker like this shell, with what it has read.
  [[nodiscard]] std::unique_ptr<Shell> make_worker(int worker) const;

  [[nodiscard]] std::string of(std::string_view variable) const override;
  [[nodiscard]] std::string campaign_folder() const;
  [[nodiscard]] std::string given_file() const;
  [[nodiscard]] bool is_run_by_time() const;
  [[nodiscard]] bool knows_memory() const;

 private:
  /// Waits until a moment, or a call of wake().
  struct Sleep {
    Shell& shell;
    std::optional<Time> until;
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> waiting) const { shell.sleep(waiting, until); }
    void await_resume() const noexcept {}
  };
  /// Before an operation on files: whether it works. Throws Killed.
  struct Before {
    Shell& shell;
    Moment moment;
    [[nodiscard]] bool await_ready() const noexcept { return moment.pause.count() <= 0; }
    void await_suspend(std::coroutine_handle<> waiting) const { shell.sleep(waiting, shell.now() + moment.pause); }
    [[nodiscard]] bool await_resume() const {
      if (moment.outcome == Outcome::killed) throw Killed{};
      return moment.outcome == Outcome::works;
    }
  };
  /// The command that it waits for.
  struct Running {
    TaskPlan plan;
    Time end;
    int status;
    bool by_itself = true;
  };
  /// The end of a pooled task, beside the status of one that ended.
  static constexpr int kPassedBy = -1;  ///< another shell has it
  static constexpr int kStops = -2;     ///< the shell takes no other one
  enum class Phase { claiming, trapping, ignoring };

  void sleep(std::coroutine_handle<> waiting, std::optional<Time> until);
  void wake();
  void resume();
  [[nodiscard]] Time now() const;
  [[nodiscard]] Before before(Step step);
  [[nodiscard]] TaskRun run() const;
  void take_words(std::vector<std::string> words);
  void say(std::string_view message);
  [[nodiscard]] std::string own_line() const;
  [[nodiscard]] bool write_own(bool is_new);

  Course carry_out_job();
  Course claim();
  Course lose();
  Course note_and_quit(char mark, std::string message);
  Course quit(std::string message);
  Course enter_folder();
  Course open_streams();
  Course carry_out_task();
  Course bring_inputs();
  Course bring_input(const std::string& name, std::string& why);
  Course make_checkpoint_folder();
  Course make_given_file();
  Course open_output_folder();
  Course run_command();
  Course gather_outputs();
  Course gather(const std::string& file, int number);
  /// The words that follow the end `e<status>…` in its name.
  [[nodiscard]] std::string error_words(std::string_view end) const;
  bool put_end();
  Course note_end();
  Course clear_checkpoint();
  // shell_pool.cpp
  void begin_pool();
  Course take_pooled(int failures);
  Course take_one(std::vector<std::string> words, int& outcome);
  Course end_pool();
  Course join_workers();

  Job& job_;
  const Script& script_;
  const int worker_;
  const std::vector<std::string> job_words_;
  std::string folder_;  ///< in which it is
  std::string out_;
  std::string err_;
  std::vector<std::string> pool_;

  // The task that is carried out:
  std::vector<std::string> words_;
  std::vector<std::string> arguments_;
  std::string fence_;
  std::string claim_;
  std::string own_;
  std::string prefix_;
  std::string end_name_;
  std::string output_base_;
  int status_ = 0;
  std::chrono::milliseconds took_{0};
  std::chrono::seconds took_by_date_{0};  ///< as bash counts
  std::optional<Running> command_;
  TaskPlan last_plan_;

  Phase phase_ = Phase::claiming;
  bool signalled_ = false;  ///< T
  bool waits_for_workers_ = false;
  std::coroutine_handle<> waiting_;
  std::optional<Timeline::Id> timer_;
  std::optional<Time> left_at_stop_;
  bool stopped_ = false;
  Time stopped_at_{};
  Course course_;
};

}  // namespace gleaner::wrapper
