#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/grid/id.hpp"
#include "lib/grid/time.hpp"
#include "lib/oar/submit_request.hpp"

/// The texts that go to OAR: paths, queries and bodies. Pure functions.
namespace gleaner::oar {

/// Why OAR would act as somebody else, or nobody: it keeps the first run of word letters of a name.
[[nodiscard]] std::optional<std::string> wrong_user(std::string_view user);

/// Why the request must not be sent as it is; nothing when all is well.
[[nodiscard]] std::optional<std::string> wrong_request(const SubmitRequest& request);

/// How many jobs the request makes.
[[nodiscard]] std::size_t jobs_of(const SubmitRequest& request);

/// The body of POST /jobs, ASCII only.
[[nodiscard]] std::string submission_body(const SubmitRequest& request);

/// The ids in texts `1:2:3` of at most `bytes` bytes (at least one id each), sorted, each id once.
[[nodiscard]] std::vector<std::string> id_chunks(std::span<const grid::RemoteJobId> ids, std::size_t bytes);

/// Which jobs a question is about: OAR's administrators keep some resources from best-effort ones.
enum class Effort { best, normal };

/// Why properties cannot be asked for as one condition: a parenthesis or a quote that is not closed, a `;`, a comment.
[[nodiscard]] std::optional<std::string> wrong_properties(std::string_view properties);

/// The path of the question how many resources, alive or woken when a job wants them at `now`, have these properties: `total` is one
/// more than that, as OAR takes a count of 0 for an error.
[[nodiscard]] std::string matching_path(std::string_view properties, Effort effort, grid::Instant now);

/// Why a path is not for /media: OAR gives it to a shell without quotes, so only plain letters may
/// be in it, and it must be absolute or start with `~/`.
[[nodiscard]] std::optional<std::string> wrong_path(std::string_view path);

/// `/media/~/a%2Cb`, from `~/a,b` or an absolute path that is not wrong.
[[nodiscard]] std::string media_path(std::string_view path);
/// ...where the names in it are asked for.
[[nodiscard]] std::string listing_path(std::string_view path);

}  // namespace gleaner::oar
