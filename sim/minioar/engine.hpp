#pragma once
#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <tl/expected.hpp>

#include "sim/minioar/dialect.hpp"
#include "sim/minioar/executor.hpp"
#include "sim/minioar/ledger.hpp"

namespace gleaner::minioar {

class ProcessExecutor;

struct EngineOptions {
  std::string state_directory;
  std::string homes;  ///< the home of USER is HOMES/USER
  ClusterShape shape;
  double start_rate = 0;                     ///< jobs started per second; 0: unlimited
  std::chrono::milliseconds start_delay{0};  ///< between the scheduler's decision and the start
  /// From the decision until a job starts on a node that was Absent, and that OAR wakes for it (energy saving). Empty: such nodes get no
  /// job.
  std::optional<std::chrono::milliseconds> wake_delay = {};
  std::chrono::milliseconds kill_grace{1000};           ///< between SIGTERM and SIGKILL
  std::chrono::milliseconds exterminate_after{20'000};  ///< between the first kill of a job that has no process and its end
  bool kill_jobs_on_exit = false;
  const Dialect* dialect = &oar_2_5();  ///< the version of OAR that it plays; never null
  bool groups_meet = false;             ///< as Choice has it
  std::function<std::chrono::system_clock::time_point()> clock = [] { return std::chrono::system_clock::now(); };
};

/// Why an action on a job was refused.
enum class Refusal { wrong_user, unknown_job, not_running, already_killed, wrong_state };
using Done = tl::expected<void, Refusal>;

/// The engine of the cluster: schedules, starts, supervises and kills jobs. Thread-safe.
class Engine {
 public:
  using Clock = std::chrono::system_clock;

  /// Continues from the state directory, jobs that still run included. Jobs are processes; a thread of the engine's own drives it.
  [[nodiscard]] static tl::expected<std::unique_ptr<Engine>, std::string> start(EngineOptions options);
  /// The same without a thread and without a wait: the caller drives it with step_to(), in the time of options.clock, and the same calls at
  /// the same times give the same jobs, states and log. `executor` outlives the engine; it may know jobs of an earlier one.
  [[nodiscard]] static tl::expected<std::unique_ptr<Engine>, std::string> start_driven(EngineOptions options, Executor& executor);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  [[nodiscard]] bool is_driven() const { return !processes_; }
  /// The next event of an engine that its caller drives: the next moment at which something happens by itself. Empty: there is none.
  [[nodiscard]] std::optional<Clock::time_point> next_event();
  /// Carries out all that is due until `now`, each at its own moment. To be called before a request at `now`.
  void step_to(Clock::time_point now);

  /// Starts no more jobs; running ones continue, unless kill_jobs_on_exit.
  void stop();

  /// Calls a reader on the jobs and resources, which do not change meanwhile.
  template <class Reader>
  auto read(Reader reader) {
    const std::lock_guard lock{mutex_};
    return reader(*ledger_);
  }
  /// Jobs whose processes go on although OAR gave them up, or forgot them: nothing ends them but they themselves.
  [[nodiscard]] std::vector<JobNumber> strays();

  /// The ids of the new jobs.
  [[nodiscard]] tl::expected<std::vector<JobNumber>, RequestError> submit(Submission submission, std::vector<std::string> commands);
  /// Adds a job like that one.
  [[nodiscard]] tl::expected<JobNumber, Refusal> resubmit(const std::string& user, JobNumber id);
  Done kill(const std::string& user, JobNumber id);
  Done checkpoint(const std::string& user, JobNumber id);
  Done signal(const std::string& user, JobNumber id, int signal);
  Done hold(const std::string& user, JobNumber id);
  Done suspend(const std::string& user, JobNumber id);
  Done resume(const std::string& user, JobNumber id);

  /// Kills best-effort jobs as if a normal one needed their resources: that one, or the `count` youngest. Returns their ids.
  std::vector<JobNumber> preempt(std::optional<JobNumber> id, int count);
  /// False: there is no such node.
  bool set_node_state(const std::string& node, ResourceState state);

  // engine_crash.cpp
  /// Simulates the death of OAR's server: until it starts, nothing is scheduled, started, killed or recorded. Jobs continue; submissions
  /// and deletions are registered.
  void server_dies(const ServerState& dead);
  void server_starts();
  [[nodiscard]] bool server_lives();
  /// The clock of its host steps: ahead, or back. Dates follow it, and jobs end at their walltimes by it, as in OAR. All else that waits
  /// does so by a clock that nobody sets.
  void step_clock(Clock::duration by);
  /// Makes the next launches fail; 0: none of them, from now on.
  void spoil_launches(LaunchFate fate, int count);
  /// Makes the next jobs that end by themselves Terminated without an exit code.
  void lose_exit_codes(int count);
  /// The name that an admission rule gives to each new job; empty: none does.
  void rename_jobs(const std::string& name);
  /// Forgets the jobs above this id; new jobs get their ids.
  void forget_after(JobNumber last, Processes processes);
  /// Keeps jobs whose names begin so Waiting, until they are released. The release returns when those that fit run, after at most 5 s.
  /// A driven engine does not wait.
  void hold_starts(const std::string& prefix);
  void release_starts(const std::string& prefix);

  [[nodiscard]] const EngineOptions& options() const { return options_; }
  [[nodiscard]] const Dialect& dialect() const { return *options_.dialect; }
  [[nodiscard]] std::string home_of(const std::string& user) const { return options_.homes + "/" + user; }
  /// Appends a line to the execution log.
  void log(const std::string& line);
  /// By its clock; while a driven engine carries out what is due, the moment at which it was.
  [[nodiscard]] Clock::time_point now();
  /// The time of day of its host, in seconds since 1970.
  [[nodiscard]] std::int64_t date() { return date_at(now()); }
  /// For the name of a temporary file. A driven engine gives the same ones each time.
  [[nodiscard]] std::string random_suffix();

 private:
  static constexpr std::chrono::milliseconds kPassInterval{10};  ///< so that simultaneous requests share one pass of the scheduler

  struct Running {
    std::optional<Clock::time_point> walltime_end;
    std::optional<Clock::time_point> checkpoint_at;
    std::optional<Clock::time_point> preempt_at;  ///< signalled because a local job waits for its resources: until then it runs on
    bool kill_sent = false;
    bool unseen = false;  ///< Launching to OAR, which enforces no walltime then
  };
  /// A job without a process that OAR takes to exist.
  struct Ghost {
    std::optional<Clock::time_point> walltime_end;  ///< of a Running one
    std::optional<Clock::time_point> reports_at;    ///< when its end is reported again
    Clock::duration next_wait{};                    ///< from that report to the next one
    std::optional<Clock::time_point> killed_at;     ///< the first time
    int kills = 0;
    bool was_killed = false;  ///< before its end
  };
  struct Launch {
    JobNumber job;
    Clock::time_point not_before;
  };

  Engine(EngineOptions options, std::unique_ptr<ProcessExecutor> processes, Executor& executor);
  tl::expected<void, std::string> open();
  void recover(Job& job);
  void loop();
  void wake();
  [[nodiscard]] std::optional<Clock::time_point> next_due() const;
  void step(Clock::time_point now, std::vector<Execution>& orders);
  void enforce_times(Clock::time_point now);
  void schedule_pass(std::int64_t now);
  void begin(const Start& start, std::int64_t now);
  void wake_nodes(const Job& job);
  void launch_due(Clock::time_point now, std::vector<Execution>& orders);
  [[nodiscard]] Execution order_for(const Job& job) const;
  void launch(const Execution& order);
  void launched(const Execution& order, const tl::expected<void, std::string>& begun);
  void watch(const Job& job, Clock::time_point started);
  void reap(JobKey key);
  void finish(Job& job, const JobEnding& ending, bool kill_sent);
  void finish_badly(Job& job, std::string type, std::string description, std::int64_t now);
  void resubmit_if_idempotent(Job& job, bool preempted, std::int64_t now);
  void frag(Job& job, const std::string& who, std::int64_t now);
  void carry_out_deletions();
  void carry_out_deletion(Job& job);
  void send_kill(Job& job);
  void expire(Job& job, std::int64_t now);
  void note_walltime(Job& job, std::int64_t now);
  void note_kill(Job& job, std::int64_t now);
  [[nodiscard]] std::int64_t date_at(Clock::time_point moment) const { return seconds_of(moment + ahead_); }
  [[nodiscard]] Clock::time_point moment_of(std::int64_t date) const { return Clock::from_time_t(date) - ahead_; }
  [[nodiscard]] JobEnding ending_of(const Job& job);
  [[nodiscard]] bool is_held(const Submission& submission) const;
  // engine_crash.cpp
  void haunt(Job& job, Missed missed, Clock::time_point since);
  void miss_end(Job& job, const JobEnding& ending, bool kill_sent);
  void recover_ghost(Job& job);
  void step_ghosts(Clock::time_point now);
  void kill_ghost(Job& job, Ghost& ghost, Clock::time_point now);
  void exterminate(Job& job, std::int64_t now);
  [[nodiscard]] bool launch_badly(Job& job, Clock::time_point now);
  void fail_hook(Job& job, std::int64_t now);
  void give_up(Job& job, std::string type, std::string description, std::int64_t now);
  void preempt_one(Job& job, std::int64_t now);
  /// The same, but after its signal and the time of its submission's checkpoint, if it has one.
  void preempt_for_local(Job& job, std::int64_t now);
  /// OAR itself sends the signal of the job's submission.
  void signal_checkpoint(Job& job, std::string_view module, std::int64_t now);
  [[nodiscard]] std::string first_node(const Job& job) const;
  [[nodiscard]] tl::expected<Job*, Refusal> own(const std::string& user, JobNumber id);
  [[nodiscard]] tl::expected<Job*, Refusal> own_running(const std::string& user, JobNumber id);

  EngineOptions options_;
  std::unique_ptr<ProcessExecutor> processes_;  ///< null: the caller drives it
  Executor& executor_;
  std::mutex mutex_;
  Clock::duration ahead_{0};  ///< of the time of day, to the clock of the options
  std::unique_ptr<Ledger> ledger_;
  std::unique_ptr<Journal> log_;
  std::map<JobNumber, Running> running_;
  std::map<JobNumber, Ghost> ghosts_;
  std::set<JobKey> strays_;  ///< executed, and unknown to OAR
  std::deque<Launch> launches_;
  std::vector<JobNumber> predicted_;
  Clock::time_point next_launch_{};
  Clock::time_point last_pass_{};
  std::deque<LaunchFate> fates_;
  std::set<JobNumber> given_up_;   ///< given up by OAR, and executed all the same
  std::vector<std::string> held_;  ///< prefixes of names
  int exit_codes_to_lose_ = 0;
  std::string name_of_jobs_;  ///< by an admission rule; empty: their own
  bool dirty_ = true;
  bool draining_ = false;  ///< no more jobs start
  bool stopping_ = false;
  Clock::time_point at_{};  ///< of a driven engine
  bool stepping_ = false;
  std::mt19937 suffixes_;
  std::thread thread_;
};

}  // namespace gleaner::minioar
