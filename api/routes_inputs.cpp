// Routes of input files: what is in the spool, and uploads into it.
#include <array>
#include <chrono>
#include <vector>

#include <fmt/format.h>
#include <rapidjson/document.h>

#include "api/router.hpp"
#include "api/task_intake.hpp"
#include "lib/inputs/spool.hpp"
#include "lib/process/failpoint.hpp"
#include "lib/process/log.hpp"
#include "lib/process/values.hpp"
#include "lib/store/inputs.hpp"

namespace gleaner::api {
namespace {

constexpr std::size_t kPieceOfInput = 64 * 1024;
/// Contents that nobody uses, and those of campaigns that are over, stay so long.
constexpr std::chrono::hours kKept{24 * 7};
/// The same where the spool is full.
constexpr std::chrono::hours kKeptWhenFull{1};

http::Response no_inputs() { return error(Code::bad_input, "this grid takes no input files: its administrator would set input_spool"); }

http::Response not_a_sum(std::string_view text) {
  return error(Code::bad_value, fmt::format("'{}' is not a SHA-256, 64 digits 0-9 and a-f", jdl::excerpt(text)));
}

http::Response full(const Call& call, std::string_view why) {
  process::log::warning("no room for an input file", {{"user", call.caller.user}, {"why", why}});
  auto response =
      error(Code::busy, fmt::format("the grid has no room for this input file now ({}): nothing was stored; what campaigns that "
                                    "are over do not need any more is removed after a time, so try again later",
                                    why));
  response.headers.add("Retry-After", "600");
  return response;
}

http::Response too_large_input(const Call& call) {
  return error(Code::too_large,
               fmt::format("an input file has {} at most (input_max): put a larger one where the clusters can reach it, and "
                           "fetch it in a prologue",
                           process::format_size(call.config.input_max)));
}

/// Makes room, if need be. False: there is none.
bool has_room(const Call& call, store::Transaction& transaction, const inputs::Spool& spool, std::int64_t bytes) {
  const auto most = static_cast<std::int64_t>(call.config.input_spool_max);
  if (store::bytes_of_inputs(transaction) + bytes <= most) return true;
  spool.keep_only(store::forget_inputs(transaction, call.now - kKeptWhenFull), kKeptWhenFull);
  return store::bytes_of_inputs(transaction) + bytes <= most;
}

Asked<void> receive(const Call& call, inputs::Arrival& arrival) {
  std::vector<char> piece(kPieceOfInput);
  while (true) {
    const auto size = call.request.body->read(piece);
    if (!size) return tl::unexpected{broken_body(size.error())};
    if (*size == 0) return {};
    if (arrival.bytes() + static_cast<std::int64_t>(*size) > static_cast<std::int64_t>(call.config.input_max))
      return tl::unexpected{too_large_input(call)};
    if (const auto added = arrival.add({piece.data(), *size}); !added) return tl::unexpected{full(call, added.error())};
  }
}

http::Response stored(std::string_view sha256, std::int64_t bytes) {
  text::JsonWriter json;
  json.object([&] {
    json.field("sha256", sha256);
    json.field("bytes", bytes);
  });
  return answer(json);
}

http::Response put_input(const Call& call) {
  const auto& sha256 = call.parts[0];
  if (call.config.input_spool.empty()) return no_inputs();
  if (!grid::is_sha256(sha256)) return not_a_sum(sha256);
  const inputs::Spool spool{call.config.input_spool};
  auto arrival = inputs::Arrival::begin(spool);
  if (!arrival) return full(call, arrival.error());
  if (const auto received = receive(call, *arrival); !received) return received.error();
  const auto found = arrival->finish();
  if (!found) return full(call, found.error());
  if (*found != sha256)
    return error(Code::bad_input,
                 fmt::format("the content that came has the SHA-256 {}: it is not the file {}, or was changed while it was sent; "
                             "nothing was stored",
                             *found, sha256));
  process::failpoint("gridapi.before_place");
  auto answer = call.connections.write([&](store::Transaction& transaction) -> http::Response {
    store::lock_inputs(transaction);
    if (!store::has_input(transaction, sha256) && !has_room(call, transaction, spool, arrival->bytes()))
      return full(call, fmt::format("input_spool_max is {}", process::format_size(call.config.input_spool_max)));
    // The file first: a row stands for a whole file.
    if (const auto placed = arrival->place(spool, sha256); !placed) return full(call, placed.error());
    process::failpoint("gridapi.after_place");
    store::add_input(transaction, {.user = call.caller.user, .sha256 = sha256, .bytes = arrival->bytes()}, call.now);
    return stored(sha256, arrival->bytes());
  });
  process::failpoint("gridapi.after_row");
  return answer;
}

/// The strings of a JSON array of SHA-256. Empty: it is none.
std::optional<std::vector<std::string>> sums_of(const std::string& body) {
  rapidjson::Document document;
  document.Parse<rapidjson::kParseIterativeFlag>(body.data(), body.size());
  if (document.HasParseError() || !document.IsArray() || document.Size() > grid::kMostInputFiles + 1) return std::nullopt;
  std::vector<std::string> sums;
  for (const auto& one : document.GetArray()) {
    if (!one.IsString()) return std::nullopt;
    sums.emplace_back(one.GetString(), one.GetStringLength());
    if (!grid::is_sha256(sums.back())) return std::nullopt;
  }
  return sums;
}

http::Response post_missing(const Call& call) {
  if (call.config.input_spool.empty()) return no_inputs();
  constexpr std::size_t kLongest = 100 * (grid::kMostInputFiles + 1);
  const auto body = call.request.body->read_all(kLongest);
  if (!body) return broken_body(body.error());
  const auto sums = sums_of(*body);
  if (!sums)
    return error(Code::bad_input,
                 fmt::format("the body is not a JSON array of up to {} SHA-256, each 64 digits 0-9 and a-f", grid::kMostInputFiles + 1));
  const inputs::Spool spool{call.config.input_spool};
  const auto known = call.connections.write([&](store::Transaction& transaction) {
    store::lock_inputs(transaction);
    auto found = store::use_inputs(transaction, call.caller.user, *sums, call.now);
    spool.keep_only(store::forget_inputs(transaction, call.now - kKept));
    return found;
  });
  text::JsonWriter json;
  json.object([&] {
    json.key("missing").begin_array();
    for (const auto& sum : *sums) {
      std::error_code ignored;
      if (!known.contains(sum) || !std::filesystem::exists(spool.path_of(sum), ignored)) json.value(sum);
    }
    json.end_array();
  });
  return answer(json);
}

}  // namespace

std::span<const Route> input_routes() {
  static constexpr std::array kRoutes{Route{"PUT", "/v1/inputs/:sha256", Access::identified, put_input},
                                      Route{"POST", "/v1/inputs/missing", Access::identified, post_missing}};
  return kRoutes;
}

}  // namespace gleaner::api
