#include "clients/gridsub/input_from.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <span>

#include "clients/gridget/listing.hpp"
#include "clients/gridget/local_tree.hpp"
#include "clients/gridget/progress.hpp"
#include "clients/gridsub/problems.hpp"
#include "lib/jdl/input_from.hpp"
#include "lib/jdl/inputs.hpp"
#include "lib/terminal/text.hpp"
#include "lib/text/suggest.hpp"

namespace gleaner::gridsub {
namespace {

using clients::ApiClient;
using clients::gridget::Fetcher;
using clients::gridget::LocalTree;
using clients::gridget::RemoteOutput;
using clients::gridget::SourceCampaign;
using process::Error;
using process::ExitCode;
using terminal::printable;

constexpr std::string_view kDone = "done";

/// An input file, as the campaign file names it.
struct Wanted {
  std::string path;
  std::int64_t reader = 0;  ///< the first task that reads it
  std::int64_t task = 0;    ///< of the other campaign
  std::string within{};     ///< its path in the folder of that campaign, in full
};
using WantedBySource = std::map<grid::CampaignId, std::vector<Wanted>>;

Error cannot(const Campaign& campaign, ExitCode code, std::string_view why) {
  return {code, fmt::format("{}: {}: input_from: {}", kNothingSubmitted, campaign.source, why)};
}

/// The paths that are outputs, and the first task that reads each.
WantedBySource wanted_of(const Campaign& campaign, const std::map<std::string, std::int64_t>& readers) {
  WantedBySource all;
  for (const auto& [path, reader] : readers) {
    const auto output = jdl::output_path(campaign.file, path);
    if (!output) continue;
    auto named = clients::gridget::named_output(output->within);
    if (!named)
      throw cannot(campaign, ExitCode::usage,
                   fmt::format("task {} reads '{}', which names no output of a task: gridget fetches {}/7.out, {}/7.err and {}/7/FILE",
                               reader, printable(path), jdl::outputs_folder(output->campaign), jdl::outputs_folder(output->campaign),
                               jdl::outputs_folder(output->campaign)));
    all[output->campaign].push_back({.path = path, .reader = reader, .task = named->task, .within = std::move(named->path)});
  }
  for (auto& [id, wanted] : all) std::ranges::stable_sort(wanted, {}, &Wanted::task);
  return all;
}

/// The path as users write it: without an attempt, it is of the one that did the task.
std::string plain_path(grid::TaskOutput output) {
  output.attempt = 0;
  return clients::gridget::local_path(output).string();
}

/// Finds the outputs of one other campaign.
class Search {
 public:
  Search(ApiClient& api, Campaign& campaign, grid::CampaignId id, const std::vector<Wanted>& wanted)
      : api_{api}, campaign_{campaign}, id_{id.value()}, folder_{jdl::outputs_folder(id)}, wanted_{wanted} {}

  void run() {
    ask();
    check_tasks();
    for (const auto& one : wanted_) take(one);
  }

 private:
  /// An error of the API, with the key that it is about.
  template <class Ask>
  auto asked(const Ask& ask) const {
    try {
      return ask();
    } catch (const Error& error) {
      throw cannot(campaign_, error.code(), error.what());
    }
  }

  void ask() {
    source_ = asked([&] { return clients::gridget::source_campaign(api_, id_); });
    std::vector<text::Range> ranges;
    for (const auto& one : wanted_) {
      if (one.task >= source_.tasks)
        throw cannot(campaign_, ExitCode::usage,
                     fmt::format("task {} reads '{}', and campaign {} has no task {}: {}", one.reader, printable(one.path), id_, one.task,
                                 source_.tasks == 0 ? "it has none" : fmt::format("its tasks are 0 to {}", source_.tasks - 1)));
      if (!ranges.empty() && one.task <= ranges.back().last + 1) ranges.back().last = one.task;
      else ranges.push_back({one.task, one.task});
    }
    for (const auto& part : clients::gridget::parts_of(ranges)) {
      auto listing = asked([&] { return clients::gridget::list(api_, id_, part); });
      if (!listing.errors.empty()) throw cannot(campaign_, ExitCode::unavailable, listing.errors.front());
      for (auto& one : listing.outputs) listed_[one.output.task].push_back(std::move(one));
    }
  }

  [[nodiscard]] bool is_done(std::int64_t task) const {
    const auto found = listed_.find(task);
    return found != listed_.end() && found->second.front().state == kDone;
  }

  void check_tasks() const {
    std::set<std::int64_t> others;
    for (const auto& one : wanted_) {
      if (!is_done(one.task)) others.insert(one.task);
    }
    if (others.empty()) return;
    const auto& first = *std::ranges::find(wanted_, *others.begin(), &Wanted::task);
    const auto found = listed_.find(first.task);
    const auto state = found != listed_.end() ? found->second.front().state : asked([&] {
      return api_.get(fmt::format("/v1/campaigns/{}/tasks/{}", id_, first.task)).json["state"].text();
    });
    const auto more = std::ssize(others) - 1;
    throw cannot(
        campaign_, ExitCode::usage,
        fmt::format("task {} reads '{}', and task {} of campaign {} is {}{}{}: {}", first.reader, printable(first.path), first.task, id_,
                    state, state == kDone ? ", and its files are not known any more" : "",
                    more == 0 ? "" : fmt::format("; nor can {} more {} be read", more, more == 1 ? "task" : "tasks"), remedy_of(state)));
  }

  /// The key by which the campaign comes after the other one; empty: it does not.
  [[nodiscard]] std::string_view dependency() const {
    for (const auto& one : campaign_.file.dependencies) {
      const auto* const id = std::get_if<grid::CampaignId>(&one.on);
      if (id != nullptr ? id->value() == id_ : std::get<std::string>(one.on) == source_.name) return name_of(one.kind);
    }
    return {};
  }

  [[nodiscard]] std::string remedy_of(std::string_view state) const {
    if (state == kDone)
      return fmt::format("if {} has all files, leave out input_from; else run these tasks again in another campaign", folder_);
    if (state == "failed")
      return fmt::format("'gridsub --retry {}' runs its failed tasks again; or leave out the tasks that read theirs", id_);
    if (state == "cancelled") return "leave out the tasks that read the files of cancelled ones";
    const auto wait = fmt::format("'gridwait {}' waits for its end: submit then", id_);
    const auto key = dependency();
    return key.empty() ? wait
                       : fmt::format(
                             "input_from fetches at the submission, which {} does not delay: {}; or, where both run on clusters "
                             "with the same homes, keep {}, leave out input_from, and read the files in their output_directory",
                             key, wait, key);
  }

  void take(const Wanted& wanted) {
    const auto& outputs = listed_.at(wanted.task);
    const auto found = std::ranges::find_if(outputs, [&](const auto& one) {
      return plain_path(one.output) == wanted.within || clients::gridget::local_path(one.output) == wanted.within;
    });
    if (found == outputs.end()) throw no_such_output(wanted, outputs);
    if (found->is_missing)
      throw cannot(campaign_, ExitCode::usage,
                   fmt::format("task {} reads '{}', and that file of campaign {} is not on {} any more: if {} has all files, leave out "
                               "input_from",
                               wanted.reader, printable(wanted.path), id_, printable(found->cluster), folder_));
    campaign_.outputs.insert_or_assign(
        wanted.path,
        OutputAsInput{
            .source = source_, .output = *found, .file = campaign_.folder / folder_ / clients::gridget::local_path(found->output)});
  }

  [[nodiscard]] Error no_such_output(const Wanted& wanted, const std::vector<RemoteOutput>& outputs) const {
    std::vector<std::string> paths;
    for (const auto& one : outputs) paths.push_back(folder_ + "/" + plain_path(one.output));
    const std::vector<std::string_view> known{paths.begin(), paths.end()};
    return cannot(campaign_, ExitCode::usage,
                  fmt::format("task {} reads '{}', and task {} of campaign {} left no such file{}; 'gridget {} --list --task {}' lists its "
                              "files, and output_files says which ones a task leaves",
                              wanted.reader, printable(wanted.path), wanted.task, id_,
                              printable(text::did_you_mean(folder_ + "/" + wanted.within, known)), id_, wanted.task));
  }

  ApiClient& api_;
  Campaign& campaign_;
  std::int64_t id_;
  std::string folder_;
  const std::vector<Wanted>& wanted_;
  SourceCampaign source_;
  std::map<std::int64_t, std::vector<RemoteOutput>> listed_;  ///< by task
};

void find(ApiClient& api, Campaign& campaign, const std::map<std::string, std::int64_t>& readers) {
  const auto all = wanted_of(campaign, readers);
  for (const auto& [id, wanted] : all) Search{api, campaign, id, wanted}.run();
}

// ------------------------------------------------------------------ fetching

/// The outputs of one other campaign, each once, in the order of its tasks.
struct Batch {
  SourceCampaign source;
  std::vector<RemoteOutput> outputs;
  std::int64_t present = 0;  ///< of these, the files that are here, whole
  std::int64_t bytes = 0;    ///< of the others, as far as their sizes are known
};

bool is_here(const OutputAsInput& input) {
  std::error_code absent;
  const auto size = std::filesystem::file_size(input.file, absent);
  return !absent && (!input.output.size || std::cmp_equal(size, *input.output.size));
}

std::vector<Batch> batches_of(const Campaign& campaign) {
  std::map<std::int64_t, Batch> batches;
  std::set<std::filesystem::path> files;
  for (const auto& [path, input] : campaign.outputs) {
    if (!files.insert(input.file).second) continue;
    auto& batch = batches[input.source.campaign];
    batch.source = input.source;
    batch.outputs.push_back(input.output);
    if (is_here(input)) ++batch.present;
    else batch.bytes += input.output.size.value_or(0);
  }
  std::vector<Batch> all;
  for (auto& [id, batch] : batches) {
    std::ranges::stable_sort(batch.outputs, {}, [](const auto& one) { return one.output.task; });
    all.push_back(std::move(batch));
  }
  return all;
}

void report_unfetched(const Campaign& campaign, terminal::Output& output) {
  for (const auto& batch : batches_of(campaign)) {
    const auto count = std::ssize(batch.outputs) - batch.present;
    output.report(fmt::format(
        "gridsub: note: {} would be fetched from campaign {} into {} ({}); {} there", terminal::counted(count, "file"),
        batch.source.campaign, printable((campaign.folder / jdl::outputs_folder(grid::CampaignId{batch.source.campaign})).string()),
        clients::gridget::size_text(batch.bytes), batch.present == 1 ? "1 is" : fmt::format("{} are", batch.present)));
  }
}

clients::gridget::Progress::Show show_of(const process::Context& context, const terminal::Screen& screen) {
  if (context.arguments.has("quiet")) return clients::gridget::Progress::Show::nothing;
  return screen.is_terminal ? clients::gridget::Progress::Show::bar : clients::gridget::Progress::Show::lines;
}

/// Fetches a few files at a time, so that the progress counts tasks.
void fetch_in_steps(Fetcher& fetcher, clients::gridget::Progress& progress, std::span<const RemoteOutput> outputs) {
  constexpr std::size_t kStep = 64;
  std::int64_t tasks = 0;
  std::int64_t last = -1;
  for (std::size_t begin = 0; begin < outputs.size(); begin += kStep) {
    const auto step = outputs.subspan(begin, std::min(kStep, outputs.size() - begin));
    fetcher.fetch(step);
    for (const auto& one : step) {
      if (std::exchange(last, one.output.task) != one.output.task) ++tasks;
    }
    progress.set_tasks(tasks);
  }
}

LocalTree tree_of(const Campaign& campaign, const SourceCampaign& source, const std::filesystem::path& folder) {
  try {
    return LocalTree{folder, source.identity};
  } catch (const Error& error) {
    if (error.code() != ExitCode::refused) throw cannot(campaign, error.code(), error.what());
    throw cannot(campaign, error.code(),
                 fmt::format("{} holds other files than the outputs of campaign {} ({}): move it away, and submit again",
                             printable(folder.string()), source.campaign, source.identity));
  }
}

void fetch_batch(const process::Context& context, const Campaign& campaign, const Batch& batch) {
  const auto& source = batch.source;
  const auto folder = campaign.folder / jdl::outputs_folder(grid::CampaignId{source.campaign});
  const auto tree = tree_of(campaign, source, folder);
  std::set<std::int64_t> tasks;
  for (const auto& one : batch.outputs) tasks.insert(one.output.task);
  const auto screen = terminal::screen_of(STDERR_FILENO);
  clients::gridget::Progress progress{show_of(context, screen), std::ssize(tasks), screen.width, "gridsub"};
  // The bounds of input files apply when they are uploaded.
  Fetcher fetcher{context.config,
                  source.campaign,
                  tree,
                  progress,
                  std::numeric_limits<std::int64_t>::max(),
                  {.again = "submit again", .room = "make room there, or move the campaign file to another folder"}};
  try {
    fetch_in_steps(fetcher, progress, batch.outputs);
  } catch (const Error& error) {
    throw cannot(campaign, error.code(), error.what());
  }
  const auto tally = fetcher.tally();
  if (const auto lacking = tally.failed + tally.missing; lacking > 0)
    throw cannot(campaign, fetcher.has_given_up() ? ExitCode::unavailable : ExitCode::failure,
                 fmt::format("{} of {} of campaign {} did not come, as reported above: submit again; those that are in {} are not fetched "
                             "twice",
                             lacking, terminal::counted(std::ssize(batch.outputs), "file"), source.campaign, printable(folder.string())));
}

void fetch(const process::Context& context, const Campaign& campaign, terminal::Output* output) {
  for (const auto& batch : batches_of(campaign)) {
    const auto count = std::ssize(batch.outputs) - batch.present;
    if (count > 0 && output != nullptr)
      output->report(fmt::format("gridsub: fetching {} of campaign {} ({})", terminal::counted(count, "file"), batch.source.campaign,
                                 clients::gridget::size_text(batch.bytes)));
    fetch_batch(context, campaign, batch);
  }
}

}  // namespace

void bring_outputs(const process::Context& context, ApiClient& api, std::vector<Campaign>& campaigns, terminal::Output& output) {
  for (auto& campaign : campaigns) find(api, campaign, campaign.readers);
  const bool fetches = !context.arguments.has("dry-run") && !context.arguments.has("what-if");
  for (const auto& campaign : campaigns) {
    if (fetches) fetch(context, campaign, &output);
    else report_unfetched(campaign, output);
  }
}

void bring_outputs_of_task(const process::Context& context, Campaign& campaign, std::int64_t task, const jdl::Parameter& parameter) {
  if (campaign.file.input_from.empty()) return;
  std::map<std::string, std::int64_t> readers;
  for (const auto& path : jdl::input_paths(campaign.file, task, parameter).value_or(std::vector<std::string>{}))
    readers.emplace(path, task);
  ApiClient api{context.config};
  find(api, campaign, readers);
  fetch(context, campaign, nullptr);
}

}  // namespace gleaner::gridsub
