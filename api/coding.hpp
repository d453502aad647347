#pragma once
#include "api/router.hpp"
#include "lib/http/message.hpp"

/// The form in which an answer is sent: with an ETag, or as a 304; compressed, or as it is.
namespace gleaner::api {

enum class Coding { identity, gzip };

/// The coding of an answer: gzip for a text of 1 kB to 4 MB that a GET or HEAD is answered with, whole, if its route allows that and the
/// client takes it. So codes and tokens, which POST answers with, are never compressed, nor streams, nor files of tasks.
[[nodiscard]] Coding coding_of(const http::Request& request, const Route& route, const http::Response& response);

/// Adds an answer's ETag, its coding and what it varies with, and makes it a 304 if the client has it. Returns the coding that its body is
/// to get after all other changes.
[[nodiscard]] Coding choose_form(const http::Request& request, const Route& route, http::Response& response);

}  // namespace gleaner::api
