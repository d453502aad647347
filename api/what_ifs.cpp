#include "api/what_ifs.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "api/what_if/played.hpp"
#include "lib/grid/clock.hpp"
#include "lib/process/child.hpp"
#include "lib/process/log.hpp"

namespace gleaner::api {
namespace {

http::Response ask_later(std::string_view message) {
  auto response = error(Code::busy, message);
  response.headers.add("Retry-After", "5");
  return response;
}

}  // namespace

/// A place in the queue; its destructor leaves it.
class WhatIfs::Turn {
 public:
  explicit Turn(WhatIfs& all) : all_{all} {
    const std::lock_guard lock{all_.turns_mutex_};
    all_.turns_.push_back(this);
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn() {
    const std::lock_guard lock{all_.turns_mutex_};
    std::erase(all_.turns_, this);
    all_.turns_changed_.notify_all();
  }
  /// False: its turn does not come within the patience.
  [[nodiscard]] bool comes() {
    std::unique_lock lock{all_.turns_mutex_};
    return all_.turns_changed_.wait_for(lock, all_.options_.patience, [&] { return all_.turns_.front() == this; });
  }

 private:
  WhatIfs& all_;
};

Asked<std::shared_ptr<void>> WhatIfs::ask(const std::string& user) {
  auto place = askers_.take(user);
  if (place != nullptr) return place;
  return tl::unexpected{ask_later(
      fmt::format("the grid is being played forward for {} questions, the most, or for {} of yours: ask again when one is answered, or run "
                  "gridsub --what-if, which simulates on your own machine",
                  options_.askers, kOfUser))};
}

std::shared_ptr<const WhatIfs::Picture> WhatIfs::picture(const std::function<Picture()>& read) {
  const std::lock_guard lock{picture_mutex_};
  const auto now = grid::SteadyClock::now();
  if (picture_ == nullptr || now - picture_read_ >= options_.picture_lasts) {
    picture_ = nullptr;  // a failure leaves none, and two would take twice the memory
    auto fresh = std::make_shared<Picture>(read());
    fresh->number = ++pictures_;
    picture_ = std::move(fresh);
    picture_read_ = now;
  }
  return picture_;
}

Asked<gridsim::Prospects> WhatIfs::play(const std::string& question, const std::function<std::string()>& scenario, int runs) {
  const auto text = answers_.answer(question, [&]() -> Asked<std::string> {
    Turn turn{*this};
    if (!turn.comes())
      return tl::unexpected{
          ask_later("the grid is being played forward for others: ask again in a moment, or run gridsub --what-if, which "
                    "simulates on your own machine")};
    return run(scenario(), runs);
  });
  if (!text) return tl::unexpected{text.error()};
  auto answer = what_if::read_answer(**text);
  if (!answer) return tl::unexpected{error(Code::internal, fmt::format("the simulation failed: {}", answer.error()))};
  if (answer->wrong) return tl::unexpected{error(Code::bad_value, *answer->wrong)};
  return std::move(answer->prospects);
}

Asked<std::string> WhatIfs::run(const std::string& scenario, int runs) {
  process::Exchange exchange{.input = scenario, .errors = process::Exchange::Errors::apart};
  const auto played = process::capture(
      {.arguments = {options_.program.string(), std::to_string(runs), std::to_string(options_.time.count())}}, options_.most, exchange);
  if (!played) {
    process::log::warning("what-if failed", {{"why", played.error()}});
    return tl::unexpected{
        ask_later("the simulation could not be played: this machine is too busy, or the program what-if is missing; its log says "
                  "which. gridsub --what-if simulates on your own machine")};
  }
  if (!played->end.succeeded()) {
    process::log::warning("what-if failed", {{"end", played->end.text()}, {"why", played->errors}});
    return tl::unexpected{ask_later(
        fmt::format("the simulation takes more than the {} MiB of memory or the time that it may have here: run gridsub --what-if, which "
                    "simulates on your own machine",
                    what_if::kMemory >> 20U))};
  }
  return played->output;
}

}  // namespace gleaner::api
