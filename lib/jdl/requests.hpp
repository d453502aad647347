#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "lib/grid/given.hpp"
#include "lib/grid/level_sizes.hpp"
#include "lib/grid/node_memory.hpp"
#include "lib/grid/node_sizes.hpp"
#include "lib/jdl/campaign_file.hpp"
#include "lib/jdl/expression.hpp"
#include "lib/jdl/parameter.hpp"

namespace gleaner::jdl {

class KnownInputs;

/// Known limits of a cluster.
struct ClusterLimits {
  std::string name;
  int max_resources = 0;                      ///< that may be used some day; 0: unknown
  bool has_memory_property = false;           ///< whether its resources state the memory of a node
  std::optional<std::int64_t> memory_max_mb;  ///< of the biggest node; empty: unknown
  grid::NodeSizes nodes = {};
  grid::NodeMemory memory = {};
  int memory_unit_mb = 1;         ///< what one of `memory` is
  grid::NodeSizes reserved = {};  ///< beside `nodes`, for jobs that are not best-effort
  int reserved_resources = 0;     ///< beside `max_resources`, for these
  grid::LevelSizes levels = {};
};

/// One of the different requests of a campaign, in the form for one cluster.
struct TaskRequest {
  std::size_t cluster = 0;  ///< index of its section in the campaign's file
  int request = 1;          ///< from 1, the same on every cluster
  int shape = 1;            ///< equal where only the walltime differs
  std::string resources;
  std::optional<int> resources_per_job;
  std::optional<std::int64_t> memory_mb;
  grid::Seconds walltime{};
};

/// Computes the request of each task from the expressions of its campaign's file. Walltimes are rounded up (grid::round_up_walltime), so
/// that there are few different requests.
class Requests {
 public:
  /// The greatest number of different requests of one campaign.
  static constexpr int kMost = 1000;

  /// Empty when the campaign's file has no expression: all its tasks have the same request.
  /// @param limits  of each of the file's clusters, in the file's order
  /// @return or an error of the file that does not depend on the tasks: an expression, or resources that none of its clusters can hold
  [[nodiscard]] static tl::expected<std::optional<Requests>, Problem> of(const CampaignFile& file, std::vector<ClusterLimits> limits);

  Requests(Requests&&) noexcept;
  Requests& operator=(Requests&&) noexcept;
  ~Requests();

  /// Where the file states no input_mb, expressions use the sizes of each task's input files instead. To be called before anything else.
  /// @param inputs  must outlive this object
  void know_inputs(const KnownInputs& inputs);
  /// Whether an expression uses these sizes, and they are not known.
  [[nodiscard]] bool lacks_inputs() const;

  /// The number of the task's request, from 1; or a sentence that names the task, the expression and the error: no number, not more than 0,
  /// too big for each cluster.
  /// @param given  the numbers that other tasks gave to it; those of CampaignFile::given that are missing have the file's values
  [[nodiscard]] tl::expected<int, std::string> request_of(std::int64_t task, const Parameter& parameter, const grid::Given& given = {});

  /// Continues with the requests of a campaign that was stored before: a task with one of them gets its number, and others are numbered
  /// after the last. To be called before the first request_of.
  /// @param stored  the stored requests; of each, its number of resources does not matter
  void resume(const std::vector<TaskRequest>& stored);

  /// The different requests so far, without those of resume(); those that a cluster cannot hold are left out there.
  [[nodiscard]] const std::vector<TaskRequest>& different() const;
  /// The mean of the tasks' input_mb so far, if the file states it, without those of resume().
  [[nodiscard]] std::optional<double> mean_input_mb() const;

 private:
  struct Implementation;
  explicit Requests(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation_;
};

/// A section that requests more than its cluster can ever hold.
struct TooWideSection {
  std::size_t cluster = 0;  ///< index in the file
  std::string why;
};
/// The sections of this kind whose resources are the same for all tasks, in the file's order.
/// @param limits  of each of the file's clusters, in the file's order
[[nodiscard]] std::vector<TooWideSection> too_wide_sections(const CampaignFile& file, const std::vector<ClusterLimits>& limits);

}  // namespace gleaner::jdl
