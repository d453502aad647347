#include "sim/minioar/pages.hpp"

#include <fmt/format.h>

#include "lib/text/json_writer.hpp"

namespace gleaner::minioar {

http::Response json_answer(unsigned status, std::string_view json, std::string_view allow) {
  http::Response response;
  response.status = status;
  response.headers.add("Content-Type", "application/json; charset=ISO-8859-1");
  if (!allow.empty()) response.headers.add("Allow", std::string{allow});
  response.body = fmt::format("{}\n\n", json);
  return response;
}

http::Response error_answer(const ApiError& error) {
  if (error.title.empty()) return html_page(error.code, "Internal Server Error", "The server encountered an internal error.");
  text::JsonWriter json;
  json.begin_object().field("code", std::int64_t{error.code}).field("message", error.message).field("title", error.title).end_object();
  return json_answer(error.code, json.text());
}

http::Response no_identity(std::string_view doing) {
  return error_answer({401, "Permission denied", fmt::format("A suitable authentication must be done before {}", doing)});
}

http::Response html_page(unsigned status, std::string_view title, std::string_view text) {
  http::Response response;
  response.status = status;
  response.headers.add("Content-Type", "text/html; charset=iso-8859-1");
  response.body = fmt::format(
      "<!DOCTYPE HTML PUBLIC \"-//W3C//DTD HTML 4.01//EN\" \"http://www.w3.org/TR/html4/strict.dtd\">\n<html><head>\n<title>{0} "
      "{1}</title>\n</head><body>\n<h1>{1}</h1>\n<p>{2}</p>\n</body></html>\n",
      status, title, text);
  return response;
}

http::Response password_page(std::string_view realm) {
  auto response = html_page(401, "Unauthorized", "This server could not verify that you are authorized to access the document requested.");
  response.headers.add("WWW-Authenticate", fmt::format("Basic realm=\"{}\"", realm));
  return response;
}

}  // namespace gleaner::minioar
