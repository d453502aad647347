#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/grid/id.hpp"
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

/// Why a path is not for /media: OAR gives it to a shell without quotes, so only plain letters may
/// be in it, and it must be absolute or start with `~/`.
[[nodiscard]] std::optional<std::string> wrong_path(std::string_view path);

/// `/media/~/a%2Cb`, from `~/a,b` or an absolute path that is not wrong.
[[nodiscard]] std::string media_path(std::string_view path);

}  // namespace gleaner::oar
