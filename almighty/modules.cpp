#include "almighty/modules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <filesystem>

#include "lib/grid/clock.hpp"
#include "lib/process/helper.hpp"
#include "lib/process/turns.hpp"

namespace gleaner::almighty {
namespace {

using Clock = grid::SteadyClock;
constexpr std::chrono::milliseconds kHeartbeat{500};
constexpr std::chrono::seconds kFirstBackOff{5};
constexpr int kMostDoublings = 5;
constexpr int kFailuresTolerated = 3;

std::string program_of(const process::Config& config, const std::string& module) {
  return config.bin_directory.empty() ? process::helper_program(module) : config.bin_directory / module;
}

}  // namespace

std::string_view name_of(ModuleRun::Result result) {
  switch (result) {
    case ModuleRun::Result::succeeded: return "succeeded";
    case ModuleRun::Result::failed: return "failed";
    case ModuleRun::Result::timed_out: return "timed_out";
    case ModuleRun::Result::left_running: return "left_running";
    case ModuleRun::Result::skipped: return "skipped";
  }
  return "failed";
}

Modules::Modules(const process::Config& config) : config_{config} {}

std::chrono::milliseconds Modules::age(const Running& running) const {
  return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - running.started);
}

bool Modules::is_beside(const Running& running) const {
  return std::ranges::any_of(left_,
                             [&](const Running& other) { return other.module == running.module && other.started < running.started; });
}

void Modules::note(const ModuleRun& run) {
  auto& failures = failures_[run.module];
  if (run.result == ModuleRun::Result::succeeded) {
    if (!run.is_beside) failures = {};
    return;
  }
  if (++failures.in_a_row < kFailuresTolerated) return;
  const auto wait = kFirstBackOff * (1 << std::min(failures.in_a_row - kFailuresTolerated, kMostDoublings));
  failures.not_before = Clock::now() + wait;
}

tl::expected<process::Child, std::string> Modules::begin(const std::string& module, store::Term term) {
  const auto turn = std::to_string(term);
  if (auto kept = kept_.extract(module); !kept.empty()) {
    auto& child = kept.mapped();
    if (!child.wait(process::Duration{0}) && child.send(turn)) return std::move(child);
  }
  auto child = process::Child::start(
      {.arguments = {program_of(config_, module)}, .environment = {{process::kTurnsVariable, "1"}}, .conversation = true});
  // If the process is already over, end_within() reports how it ended.
  if (child) static_cast<void>(child->send(turn));
  return child;
}

std::optional<ModuleRun> Modules::end_within(Running& running, process::Duration limit) {
  ModuleRun run{
      .module = running.module, .result = ModuleRun::Result::succeeded, .detail = {}, .duration = {}, .is_beside = is_beside(running)};
  if (running.child.receive(limit)) {
    kept_.try_emplace(running.module, std::move(running.child));
  } else if (const auto end = running.child.wait(process::Duration{0})) {
    if (!end->succeeded()) {
      run.result = ModuleRun::Result::failed;
      run.detail = end->text();
    }
  } else {
    return std::nullopt;
  }
  run.duration = age(running);
  note(run);
  return run;
}

ModuleRun Modules::run(std::string_view module, store::Term term, const std::function<void()>& alive) {
  const std::string name{module};
  const auto& failures = failures_[name];
  if (failures.in_a_row >= kFailuresTolerated && Clock::now() < failures.not_before)
    return {.module = name,
            .result = ModuleRun::Result::skipped,
            .detail = fmt::format("it failed {} times in a row", failures.in_a_row),
            .duration = {}};
  const auto started = Clock::now();
  auto child = begin(name, term);
  if (!child) {
    ModuleRun run{.module = name, .result = ModuleRun::Result::failed, .detail = child.error(), .duration = {}};
    note(run);
    return run;
  }
  Running running{name, std::move(*child), started};
  while (age(running) < config_.module_patience) {
    const auto left = std::max<process::Duration>(config_.module_patience - age(running), process::Duration{1});
    if (auto ended = end_within(running, std::min<process::Duration>(kHeartbeat, left))) return *ended;
    alive();
  }
  ModuleRun run{.module = name, .result = ModuleRun::Result::left_running, .detail = {}, .duration = age(running)};
  left_.push_back(std::move(running));
  return run;
}

std::vector<ModuleRun> Modules::collect() {
  std::vector<ModuleRun> over;
  for (auto it = left_.begin(); it != left_.end();) {
    if (auto ended = end_within(*it, process::Duration{0})) {
      over.push_back(std::move(*ended));
      it = left_.erase(it);
    } else if (age(*it) >= config_.module_time_limit) {
      it->child.stop(process::Duration{1000});
      ModuleRun run{.module = it->module,
                    .result = ModuleRun::Result::timed_out,
                    .detail = fmt::format("killed after {} s", age(*it).count() / 1000),
                    .duration = age(*it)};
      note(run);
      over.push_back(run);
      it = left_.erase(it);
    } else {
      ++it;
    }
  }
  return over;
}

void Modules::stop() {
  constexpr process::Duration kPatience{5000};
  for (const auto& running : left_) running.child.signal_group(SIGTERM);
  for (const auto& [module, child] : kept_) child.signal_group(SIGTERM);
  for (auto& running : left_) running.child.stop(kPatience);
  for (auto& [module, child] : kept_) child.stop(kPatience);
  left_.clear();
  kept_.clear();
}

}  // namespace gleaner::almighty
