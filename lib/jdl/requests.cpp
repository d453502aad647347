#include "lib/jdl/requests.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "lib/grid/resource_fit.hpp"
#include "lib/grid/walltime.hpp"
#include "lib/jdl/inputs.hpp"
#include "lib/jdl/named_words.hpp"
#include "lib/jdl/resource_template.hpp"
#include "lib/jdl/text.hpp"
#include "lib/text/numbers.hpp"

namespace gleaner::jdl {
namespace {

constexpr double kMostMegabytes = 1e9;

tl::expected<double, std::string> number_of(std::string_view name, std::size_t word, const Arguments& words) {
  if (word > words.size())
    return tl::unexpected{fmt::format("it has no {}: it has {} word{}", name, words.size(), words.size() == 1 ? "" : "s")};
  const auto& written = words[word - 1];
  const auto value = text::real_number(written);
  if (!value) return tl::unexpected{fmt::format("its {} is '{}', not a number", name, excerpt(written))};
  return *value;
}

/// One task while its request is computed.
struct Task {
  Arguments words;
  std::optional<double> input_mb;
  const grid::Given* given = nullptr;
};

enum class Zero { refused, allowed };

/// An expression with the sources of its values.
class Formula {
 public:
  Formula(std::string what, Expression expression, const CampaignFile& file)
      : what_{std::move(what)}, expression_{std::move(expression)}, assumed_{file.given} {
    const auto& names = file.parameter_names;
    for (const auto& name : expression_.names()) {
      const auto named = std::ranges::find(names, name);
      words_.push_back(name == kInput || assumed_.contains(name) ? 0
                       : named != names.end()                    ? static_cast<std::size_t>(named - names.begin()) + 1
                                                                 : word_number(name));
    }
    values_.resize(words_.size());
  }

  [[nodiscard]] bool uses_input() const { return std::ranges::find(expression_.names(), kInput) != expression_.names().end(); }

  /// The value, if it is at most `most`, and greater than 0 or, if allowed, equal to 0.
  tl::expected<double, std::string> value(const Task& task, double most, Zero zero = Zero::refused) {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      if (words_[i] == 0) {
        values_[i] = number_without_word(expression_.names()[i], task);
        continue;
      }
      const auto number = number_of(expression_.names()[i], words_[i], task.words);
      if (!number) return wrong(number.error());
      values_[i] = *number;
    }
    const auto result = expression_.evaluate(values_);
    if (!result) return wrong(result.error());
    if (*result < 0 || (*result == 0 && zero == Zero::refused))
      return wrong(fmt::format("it gives {:g}, and must give {}", *result, zero == Zero::allowed ? "0 or more" : "more than 0"));
    if (*result > most) return wrong(fmt::format("it gives {:g}, and the most is {:g}", *result, most));
    return *result;
  }

 private:
  /// The input, or what another task gave.
  [[nodiscard]] double number_without_word(const std::string& name, const Task& task) const {
    const auto assumed = assumed_.find(name);
    if (assumed == assumed_.end()) return task.input_mb.value_or(0);
    if (task.given == nullptr) return assumed->second;
    const auto given = task.given->find(name);
    return given == task.given->end() ? assumed->second : given->second;
  }

  tl::unexpected<std::string> wrong(const std::string& why) const {
    return tl::unexpected{fmt::format("{} '{}': {}", what_, excerpt(expression_.text()), why)};
  }

  std::string what_;
  Expression expression_;
  grid::Given assumed_;             ///< what other tasks give, and the numbers where they give none
  std::vector<std::size_t> words_;  ///< for each of its names, the word's number from 1; 0: the input, or what another task gives
  std::vector<double> values_;
};

/// One task's request on one cluster.
struct Wanted {
  std::string resources;
  std::optional<int> resources_per_job;
  std::optional<std::int64_t> memory_mb;
  grid::Seconds walltime{};
};

}  // namespace

struct Requests::Implementation {
  struct Section {
    const ClusterSection* file = nullptr;
    ClusterLimits limits;
    std::optional<Formula> walltime, memory;
    std::optional<ResourceTemplate> resources;
    std::vector<Formula> counts;
    std::map<std::string, std::optional<int>> counted;  ///< resources of a job by request, for the requests so far
    std::map<std::string, int> shapes;
  };

  tl::expected<void, Problem> prepare();
  tl::expected<Task, std::string> read(const Parameter& parameter, const grid::Given& given);
  tl::expected<int, std::string> request_of(const Task& task);
  void resume(const std::vector<TaskRequest>& stored);
  /// The task's requests to each cluster.
  tl::expected<std::vector<Wanted>, std::string> wanted(const Task& task);
  tl::expected<Wanted, std::string> wanted(Section& section, const Task& task);
  tl::expected<std::string, std::string> fill(Section& section, const Task& task);
  void add(std::size_t cluster, const Wanted& wanted);
  static std::string shape_of(const std::string& resources, std::optional<std::int64_t> memory_mb);

  CampaignFile file;
  std::vector<ClusterLimits> limits;
  std::optional<Formula> input;
  const KnownInputs* known_inputs = nullptr;
  std::vector<Section> sections;
  std::map<std::string, int> numbers;  ///< of the different requests, by their content
  int last = 0;                        ///< the greatest of these numbers
  std::vector<TaskRequest> different;
  double input_sum = 0;
  std::int64_t inputs = 0;
};

namespace {

/// MB of the biggest node: as the administrator states it, else as the nodes state it (a job's condition is on whole units).
std::optional<std::int64_t> most_memory(const ClusterSection& section, const ClusterLimits& limits) {
  if (limits.memory_max_mb) return limits.memory_max_mb;
  // The memory of nodes that are reserved for such jobs is not known.
  if (section.kind != JobKind::best_effort && limits.reserved_resources > 0) return std::nullopt;
  const auto most = limits.memory.most();
  if (!most) return std::nullopt;
  return *most * std::max(1, limits.memory_unit_mb);
}

/// Why a cluster cannot hold it; empty: it can.
std::optional<std::string> too_big(const Wanted& wanted, const ClusterSection& section, const ClusterLimits& limits) {
  if (const auto request = grid::ResourceRequest::parse(wanted.resources)) {
    if (auto wide = grid::too_wide(*request, limits.name, limits.nodes, limits.levels)) return std::move(wide->why);
  }
  if (wanted.resources_per_job && limits.max_resources > 0 && *wanted.resources_per_job > limits.max_resources)
    return fmt::format("{} takes {} resources, and {} has {}", wanted.resources, *wanted.resources_per_job, limits.name,
                       limits.max_resources);
  if (const auto most = most_memory(section, limits); wanted.memory_mb && most && *wanted.memory_mb > *most)
    return fmt::format("memory_mb gives {}, and the nodes of {} have {} MB", *wanted.memory_mb, limits.name, *most);
  if (section.max_walltime && wanted.walltime > *section.max_walltime)
    return fmt::format("walltime gives {}, and max_walltime is {} on {}", grid::format_walltime(wanted.walltime),
                       grid::format_walltime(*section.max_walltime), limits.name);
  return std::nullopt;
}

/// The same text for the same request on a cluster, and another one for a request that it cannot hold.
std::string key_of(const std::string& resources, std::optional<std::int64_t> memory_mb, grid::Seconds walltime) {
  return fmt::format("{}\n{}\n{}\n", resources, memory_mb.value_or(0), walltime.count());
}
constexpr std::string_view kNotThere{"-\n"};

/// Asks for as many cores of a node as its memory is shared by.
void raise_for_memory(Wanted& wanted, const ClusterLimits& limits) {
  const auto cores = limits.memory.resources_for(std::ceil(static_cast<double>(*wanted.memory_mb) / std::max(1, limits.memory_unit_mb)));
  if (!cores) return;
  const auto request = grid::ResourceRequest::parse(wanted.resources);
  auto raised = request ? grid::with_node_resources(*request, *cores) : std::nullopt;
  if (!raised) return;
  wanted.resources = std::move(*raised);
  wanted.resources_per_job = grid::ResourceRequest::parse(wanted.resources).value().resources();
}

/// The problem of a campaign whose resources none of its clusters can hold.
std::optional<Problem> held_nowhere(const CampaignFile& file, const std::vector<ClusterLimits>& limits) {
  const auto sections = too_wide_sections(file, limits);
  if (sections.empty() || sections.size() < file.clusters.size()) return std::nullopt;
  std::vector<std::string> reasons;
  for (const auto& section : sections) reasons.push_back(section.why);
  const auto& first = file.clusters.front();
  const auto path = file.clusters.size() == 1 ? fmt::format("clusters.{}.resources", first.name) : std::string{"resources"};
  return Problem{first.place, path, first.resources_text(), fmt::format("no job of it would ever start: {}", fmt::join(reasons, "; "))};
}

/// Names the key, not a task, because the problem is the same for all tasks.
Problem problem(const ClusterSection& section, std::string_view key, const std::string& text, const std::string& why) {
  return {section.place, fmt::format("clusters.{}.{}", section.name, key), text, why};
}

}  // namespace

tl::expected<void, Problem> Requests::Implementation::prepare() {
  const auto names = expression_names(file, has_input(file));
  if (!file.input_mb.empty()) {
    auto read = Expression::compile(file.input_mb, expression_names(file, false));
    if (!read) return tl::unexpected{Problem{{}, std::string{kInput}, file.input_mb, read.error()}};
    input.emplace(std::string{kInput}, std::move(*read), file);
  }
  for (std::size_t i = 0; i < file.clusters.size(); ++i) {
    auto& section = sections.emplace_back();
    section.file = &file.clusters[i];
    section.limits = limits[i];
    const auto& from = *section.file;
    if (!from.walltime_expression.empty()) {
      auto read = Expression::compile(from.walltime_expression, names);
      if (!read) return tl::unexpected{problem(from, "walltime", from.walltime_expression, read.error())};
      section.walltime.emplace("walltime", std::move(*read), file);
    }
    if (!from.memory_mb.empty()) {
      if (!section.limits.has_memory_property)
        return tl::unexpected{problem(
            from, "memory_mb", from.memory_mb,
            fmt::format(
                "the cluster '{}' does not report the memory of its nodes: leave memory_mb out there, or ask the administrator (gridctl cluster edit {} --memory-property NAME)",
                from.name, from.name))};
      auto read = Expression::compile(from.memory_mb, names);
      if (!read) return tl::unexpected{problem(from, "memory_mb", from.memory_mb, read.error())};
      section.memory.emplace("memory_mb", std::move(*read), file);
    }
    if (from.resources_expression.empty()) continue;
    auto read = ResourceTemplate::compile(from.resources_expression, names);
    if (!read) return tl::unexpected{problem(from, "resources", from.resources_expression, read.error())};
    for (auto& count : read->counts()) section.counts.emplace_back("resources", std::move(count), file);
    section.resources = std::move(*read);
  }
  return {};
}

tl::expected<std::string, std::string> Requests::Implementation::fill(Section& section, const Task& task) {
  if (!section.resources) return section.file->resources.text();
  std::vector<std::int64_t> numbers_of_it;
  for (auto& count : section.counts) {
    const auto value = count.value(task, grid::kMostResources);
    if (!value) return tl::unexpected{value.error()};
    numbers_of_it.push_back(static_cast<std::int64_t>(std::ceil(*value)));
  }
  return section.resources->filled(numbers_of_it);
}

tl::expected<Wanted, std::string> Requests::Implementation::wanted(Section& section, const Task& task) {
  Wanted wanted;
  auto resources = fill(section, task);
  if (!resources) return tl::unexpected{std::move(resources.error())};
  wanted.resources = std::move(*resources);
  const auto seen = section.counted.find(wanted.resources);
  if (seen != section.counted.end()) {
    wanted.resources_per_job = seen->second;
  } else {
    const auto request = grid::ResourceRequest::parse(wanted.resources);
    if (!request)
      return tl::unexpected{fmt::format("resources '{}' gives '{}': {}", excerpt(section.file->resources_expression),
                                        excerpt(wanted.resources), request.error())};
    wanted.resources_per_job = grid::resources_on(*request, section.limits.nodes, section.limits.levels);
    section.counted.emplace(wanted.resources, wanted.resources_per_job);
  }
  wanted.walltime = section.file->walltime;
  if (section.walltime) {
    const auto seconds = section.walltime->value(task, grid::kLongestWalltime.count());
    if (!seconds) return tl::unexpected{seconds.error()};
    const grid::Seconds exact{static_cast<std::int64_t>(std::ceil(*seconds))};
    wanted.walltime = grid::round_up_walltime(exact);
    // Rounding alone must not exceed the maximum.
    if (const auto most = section.file->max_walltime; most && exact <= *most) wanted.walltime = std::min(wanted.walltime, *most);
  }
  if (section.memory) {
    const auto megabytes = section.memory->value(task, kMostMegabytes);
    if (!megabytes) return tl::unexpected{megabytes.error()};
    wanted.memory_mb = static_cast<std::int64_t>(std::ceil(*megabytes));
    raise_for_memory(wanted, section.limits);
  }
  return wanted;
}

std::string Requests::Implementation::shape_of(const std::string& resources, std::optional<std::int64_t> memory_mb) {
  return fmt::format("{}\n{}", resources, memory_mb.value_or(0));
}

void Requests::Implementation::add(std::size_t cluster, const Wanted& wanted) {
  auto& shapes = sections[cluster].shapes;
  const auto shape = shapes.emplace(shape_of(wanted.resources, wanted.memory_mb), static_cast<int>(shapes.size()) + 1).first->second;
  different.push_back({cluster, last, shape, wanted.resources, wanted.resources_per_job, wanted.memory_mb, wanted.walltime});
}

tl::expected<std::vector<Wanted>, std::string> Requests::Implementation::wanted(const Task& task) {
  std::vector<Wanted> all;
  for (auto& section : sections) {
    auto one = wanted(section, task);
    if (!one) return tl::unexpected{std::move(one.error())};
    all.push_back(std::move(*one));
  }
  return all;
}

tl::expected<int, std::string> Requests::Implementation::request_of(const Task& task) {
  const auto all = wanted(task);
  if (!all) return tl::unexpected{all.error()};
  std::string key;
  std::vector<std::string> reasons;
  for (std::size_t i = 0; i < all->size(); ++i) {
    auto reason = too_big((*all)[i], *sections[i].file, sections[i].limits);
    key += reason ? kNotThere : key_of((*all)[i].resources, (*all)[i].memory_mb, (*all)[i].walltime);
    if (reason) reasons.push_back(std::move(*reason));
  }
  if (reasons.size() == all->size())
    return tl::unexpected{fmt::format("it is too big for each of its clusters: {}", fmt::join(reasons, "; "))};
  const auto known = numbers.find(key);
  if (known != numbers.end()) return known->second;
  if (last == kMost)
    return tl::unexpected{fmt::format(
        "the expressions give more than {} different requests: make them coarser, such as memory_mb = ceil(x/1024)*1024", kMost)};
  numbers.emplace(std::move(key), ++last);
  for (std::size_t i = 0; i < all->size(); ++i) {
    if (!too_big((*all)[i], *sections[i].file, sections[i].limits)) add(i, (*all)[i]);
  }
  return last;
}

void Requests::Implementation::resume(const std::vector<TaskRequest>& stored) {
  std::map<int, std::vector<std::string>> keys;
  for (const auto& one : stored) {
    last = std::max(last, one.request);
    sections[one.cluster].shapes.emplace(shape_of(one.resources, one.memory_mb), one.shape);
    auto& key = keys.try_emplace(one.request, sections.size(), std::string{kNotThere}).first->second;
    key[one.cluster] = key_of(one.resources, one.memory_mb, one.walltime);
  }
  for (const auto& [number, key] : keys) numbers.emplace(fmt::format("{}", fmt::join(key, "")), number);
}

tl::expected<Task, std::string> Requests::Implementation::read(const Parameter& parameter, const grid::Given& given) {
  auto words = arguments_of(parameter);
  if (!words) return tl::unexpected{words.error().message};
  Task task{.words = std::move(*words), .input_mb = {}, .given = &given};
  if (!input) {
    if (known_inputs != nullptr) task.input_mb = known_inputs->megabytes(file, parameter);
    return task;
  }
  const auto megabytes = input->value(task, kMostMegabytes, Zero::allowed);
  if (!megabytes) return tl::unexpected{megabytes.error()};
  task.input_mb = *megabytes;
  return task;
}

std::vector<TooWideSection> too_wide_sections(const CampaignFile& file, const std::vector<ClusterLimits>& limits) {
  std::vector<TooWideSection> found;
  for (std::size_t i = 0; i < file.clusters.size(); ++i) {
    const auto& section = file.clusters[i];
    if (!section.resources_expression.empty()) continue;
    if (auto wide = grid::too_wide(section.resources, section.name, limits[i].nodes, limits[i].levels))
      found.push_back({i, std::move(wide->why)});
  }
  return found;
}

Requests::Requests(std::unique_ptr<Implementation> implementation) : implementation_{std::move(implementation)} {}
Requests::Requests(Requests&&) noexcept = default;
Requests& Requests::operator=(Requests&&) noexcept = default;
Requests::~Requests() = default;

tl::expected<std::optional<Requests>, Problem> Requests::of(const CampaignFile& file, std::vector<ClusterLimits> limits) {
  if (auto wrong = held_nowhere(file, limits)) return tl::unexpected{std::move(*wrong)};
  const bool any = (!file.input_mb.empty() && !constant_input_mb(file)) ||
                   std::ranges::any_of(file.clusters, [](const ClusterSection& section) { return section.has_expressions(); });
  if (!any) return std::optional<Requests>{};
  auto made = std::make_unique<Implementation>();
  made->file = file;
  made->file.parameters = {};
  made->limits = std::move(limits);
  if (auto prepared = made->prepare(); !prepared) return tl::unexpected{std::move(prepared.error())};
  return std::optional{Requests{std::move(made)}};
}

void Requests::know_inputs(const KnownInputs& inputs) { implementation_->known_inputs = &inputs; }

bool Requests::lacks_inputs() const {
  if (implementation_->input || implementation_->known_inputs != nullptr) return false;
  const auto uses = [](const std::optional<Formula>& formula) { return formula && formula->uses_input(); };
  return std::ranges::any_of(implementation_->sections, [&](const auto& section) {
    return uses(section.walltime) || uses(section.memory) || std::ranges::any_of(section.counts, &Formula::uses_input);
  });
}

tl::expected<int, std::string> Requests::request_of(std::int64_t task, const Parameter& parameter, const grid::Given& given) {
  const auto named = [&](const std::string& why) {
    return tl::unexpected{fmt::format("task {}, parameter {}: {}", task, quoted_parameter(parameter), why)};
  };
  const auto values = implementation_->read(parameter, given);
  if (!values) return named(values.error());
  if (values->input_mb && implementation_->input) {
    implementation_->input_sum += *values->input_mb;
    ++implementation_->inputs;
  }
  auto request = implementation_->request_of(*values);
  if (!request) return named(request.error());
  return *request;
}

void Requests::resume(const std::vector<TaskRequest>& stored) { implementation_->resume(stored); }

const std::vector<TaskRequest>& Requests::different() const { return implementation_->different; }

std::optional<double> Requests::mean_input_mb() const {
  if (implementation_->inputs == 0) return std::nullopt;
  return implementation_->input_sum / static_cast<double>(implementation_->inputs);
}

}  // namespace gleaner::jdl
