#pragma once
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "sim/minioar/crash.hpp"
#include "sim/minioar/job.hpp"
#include "sim/minioar/journal.hpp"

namespace gleaner::minioar {

/// All jobs, and the resources. Every change is written to disk before it becomes visible. Not thread-safe.
class Ledger {
 public:
  /// Reads the journal that an earlier process left in `path`.
  [[nodiscard]] static tl::expected<std::unique_ptr<Ledger>, std::string> open(const std::string& path, std::vector<Resource> resources);

  /// Adds one job per command, in one array, in the order of the commands.
  std::vector<Job*> add(Submission submission, std::vector<std::string> commands);
  /// Adds a job like an old one, which it replaces.
  Job& add_again(const Job& old, std::int64_t now);

  /// Null: there is none.
  [[nodiscard]] Job* find(JobNumber id);
  [[nodiscard]] const std::deque<Job>& jobs() const { return jobs_; }  ///< by id, from 1
  /// The ids of the jobs that are not over.
  [[nodiscard]] const std::set<JobNumber>& unfinished() const { return unfinished_; }
  /// The ids of the jobs of an array.
  [[nodiscard]] std::vector<JobNumber> array(JobNumber array_id) const;

  [[nodiscard]] const std::vector<Resource>& resources() const { return resources_; }
  void set_state(Resource& resource, ResourceState state);
  [[nodiscard]] Resource& resource(int place) { return resources_.at(static_cast<std::size_t>(place)); }

  [[nodiscard]] const ServerState& server() const { return server_; }
  void set_server(const ServerState& server);
  /// Forgets the jobs above this id, like a restored database: the next job gets the id after it.
  void forget_after(JobNumber last);
  /// How many times jobs were forgotten: an id may denote one job in each of these eras.
  [[nodiscard]] int era() const { return era_; }

  /// Writes what has changed in the job.
  void save(const Job& job);
  void add_event(Job& job, std::string type, std::string description, std::int64_t now);

 private:
  explicit Ledger(std::vector<Resource> resources) : resources_{std::move(resources)} {}
  bool apply(std::string_view line);
  Job* insert(Job job, std::shared_ptr<const Submission> submission);
  void index(const Job& job);
  void erase_after(JobNumber last);

  std::vector<Resource> resources_;
  std::deque<Job> jobs_;
  std::set<JobNumber> unfinished_;
  std::multimap<JobNumber, JobNumber> arrays_;
  std::int64_t last_event_ = 0;
  ServerState server_;
  int era_ = 0;
  std::unique_ptr<Journal> journal_;
};

}  // namespace gleaner::minioar
