#include "sim/minioar/faults.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <rapidjson/document.h>

#include "sim/minioar/pages.hpp"

namespace gleaner::minioar {

namespace {

constexpr std::array<std::pair<std::string_view, FaultMode>, 11> kModes{{{"none", FaultMode::none},
                                                                         {"500", FaultMode::error},
                                                                         {"html", FaultMode::html},
                                                                         {"truncate", FaultMode::truncate},
                                                                         {"cut", FaultMode::cut},
                                                                         {"empty", FaultMode::empty},
                                                                         {"reset", FaultMode::reset},
                                                                         {"hang", FaultMode::hang},
                                                                         {"refuse", FaultMode::refuse},
                                                                         {"403", FaultMode::forbidden},
                                                                         {"404", FaultMode::not_found}}};
constexpr std::chrono::hours kForever{24 * 365};

std::optional<FaultMode> mode_of(std::string_view name) {
  const auto* found = std::find_if(kModes.begin(), kModes.end(), [&](const auto& mode) { return mode.first == name; });
  if (found == kModes.end()) return std::nullopt;
  return found->second;
}

}  // namespace

tl::expected<void, std::string> Faults::add(const std::string& json) {
  rapidjson::Document document;
  document.Parse<rapidjson::kParseIterativeFlag>(json.data(), json.size());
  if (document.HasParseError() || !document.IsObject()) return tl::unexpected{std::string{"a fault is a JSON object"}};
  Fault fault;
  for (const auto& [key, value] : document.GetObject()) {
    const std::string name{key.GetString()};
    if (name == "mode" && value.IsString()) {
      const auto mode = mode_of(value.GetString());
      if (!mode) return tl::unexpected{fmt::format("unknown mode {}", value.GetString())};
      fault.mode = *mode;
    } else if (name == "match" && value.IsString()) {
      fault.match = value.GetString();
    } else if (name == "count" && value.IsInt64()) {
      fault.count = value.GetInt64();
    } else if (name == "after_commit" && value.IsBool()) {
      fault.after_commit = value.GetBool();
    } else if (name == "latency_ms" && value.IsInt64()) {
      fault.latency = std::chrono::milliseconds{value.GetInt64()};
    } else if (name == "delay_ms" && value.IsInt64()) {
      fault.delay = std::chrono::milliseconds{value.GetInt64()};
    } else {
      return tl::unexpected{fmt::format("unknown field or wrong type: {}", name)};
    }
  }
  const std::lock_guard lock{mutex_};
  faults_.push_back(std::move(fault));
  return {};
}

void Faults::clear() {
  const std::lock_guard lock{mutex_};
  faults_.clear();
  latency_ = {};
}

void Faults::set_latency(std::chrono::milliseconds latency) {
  const std::lock_guard lock{mutex_};
  latency_ = latency;
}

std::chrono::milliseconds Faults::latency() {
  const std::lock_guard lock{mutex_};
  return latency_;
}

void Faults::hold(HeldStart held) {
  const std::lock_guard lock{mutex_};
  held_.push_back(std::move(held));
}

std::vector<std::string> Faults::starts_after(const std::string& method_and_path) {
  const std::lock_guard lock{mutex_};
  std::vector<std::string> names;
  for (auto& held : held_) {
    if (method_and_path.starts_with(held.match) && --held.count <= 0) names.push_back(held.name);
  }
  std::erase_if(held_, [](const HeldStart& held) { return held.count <= 0; });
  return names;
}

void Faults::stop() {
  {
    const std::lock_guard lock{mutex_};
    stopping_ = true;
  }
  stopped_.notify_all();
}

std::optional<Fault> Faults::take(const std::string& method_and_path) {
  const std::lock_guard lock{mutex_};
  for (auto& fault : faults_) {
    if (fault.count == 0 || !method_and_path.starts_with(fault.match)) continue;
    if (fault.count > 0) --fault.count;
    return fault;
  }
  return std::nullopt;
}

void Faults::wait(const Fault& fault) {
  if (fault.delay.count() <= 0) return;
  std::unique_lock lock{mutex_};
  stopped_.wait_for(lock, fault.delay, [this] { return stopping_; });
}

bool carries_out(const Fault& fault) {
  return fault.after_commit || fault.mode == FaultMode::none || fault.mode == FaultMode::truncate || fault.mode == FaultMode::cut;
}

http::Response spoil(const Fault& fault, http::Response response) {
  using Ending = http::Mishap::Ending;
  switch (fault.mode) {
    case FaultMode::none: break;
    case FaultMode::error: response = error_answer({500, "Oar server error", "injected fault"}); break;
    case FaultMode::html: response = html_page(200, "OK", "This is no JSON."); break;
    case FaultMode::refuse:
      response = html_page(503, "Service Unavailable", "The server is temporarily unable to service your request.");
      break;
    case FaultMode::forbidden: response = error_answer({403, "Forbidden", "File could not be read: injected fault"}); break;
    case FaultMode::not_found: response = error_answer({404, "Not found", "File not found: injected fault"}); break;
    case FaultMode::truncate: response.body.resize(response.body.size() / 2); break;
    case FaultMode::cut:
      // Chunked, and the last chunk never comes.
      response.stream = [half = response.body.substr(0, response.body.size() / 2)](http::Sink& sink) { return sink.write(half) && false; };
      break;
    case FaultMode::empty: response.mishap = {.delay = {}, .only_first_bytes = 0, .ending = Ending::close}; break;
    case FaultMode::reset: response.mishap = {.delay = {}, .only_first_bytes = 0, .ending = Ending::reset}; break;
    case FaultMode::hang: response.mishap = {.delay = kForever, .only_first_bytes = 0, .ending = Ending::close}; break;
  }
  response.mishap.delay += fault.latency;
  return response;
}

}  // namespace gleaner::minioar
