#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <deque>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "sim/minioar/api.hpp"
#include "sim/minioar/pages.hpp"

namespace gleaner::minioar {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kBlock = 64 * 1024;
constexpr int kReadBit = S_IROTH;
constexpr int kWriteBit = S_IWOTH;

http::Response file_answer(unsigned status) {
  http::Response response;
  response.status = status;
  response.headers.add("Content-Type", "application/octet-stream; charset=ISO-8859-1");
  return response;
}

/// The offset at which the last `lines` lines begin.
std::streamoff tail_begin(std::ifstream& file, std::int64_t lines) {
  file.seekg(0, std::ios::end);
  std::streamoff at = file.tellg();
  const std::streamoff size = at;
  std::string block;
  std::int64_t seen = 0;
  while (at > 0) {
    const auto step = std::min<std::streamoff>(at, static_cast<std::streamoff>(kBlock));
    at -= step;
    block.resize(static_cast<std::size_t>(step));
    file.seekg(at);
    file.read(block.data(), step);
    for (auto end = block.rfind('\n'); end != std::string::npos; end = end > 0 ? block.rfind('\n', end - 1) : std::string::npos) {
      const auto newline = at + static_cast<std::streamoff>(end);
      if (newline != size - 1 && ++seen == lines) return newline + 1;
    }
  }
  return 0;
}

std::string link_type(const fs::directory_entry& entry) {
  std::error_code error;
  if (entry.is_symlink(error)) return "l " + fs::read_symlink(entry.path(), error).string();
  return entry.is_directory(error) ? "d" : "f";
}

/// False: it has gone.
bool write_entry(text::JsonWriter& json, const fs::directory_entry& entry) {
  struct stat status {};
  if (::lstat(entry.path().c_str(), &status) != 0) return false;
  // OAR reads the output of ls, where times have no seconds.
  constexpr std::int64_t kMinute = 60;
  json.begin_object().field("mode", static_cast<std::int64_t>(status.st_mode)).field("mtime", status.st_mtime / kMinute * kMinute);
  json.field("name", entry.path().filename().string());
  json.field("size", S_ISDIR(status.st_mode) ? std::optional<std::string>{} : std::to_string(status.st_size))
      .field("type", link_type(entry))
      .end_object();
  return true;
}

/// Replaces the content of a file by a body. As OAR does, it reports no failure of the disk, and leaves the file as it is if the body is
/// empty or `0`, which are false in its language.
std::optional<http::BodyError> write_body(http::Body& body, const std::string& file) {
  std::string begin;
  std::vector<char> block(kBlock);
  std::ofstream out;
  while (true) {
    const auto got = body.read(block);
    if (!got) return got.error();
    if (*got == 0) return std::nullopt;
    begin.append(block.data(), *got);
    if (begin == "0") continue;
    if (!out.is_open()) out.open(file, std::ios::binary);
    out.write(begin.data(), static_cast<std::streamsize>(begin.size()));
    begin.clear();
  }
}

}  // namespace

std::string Api::file_of(const Call& call, std::string_view path) const {
  auto file = "/" + std::string{path};
  if (const auto at = file.find("/~/"); at != std::string::npos) file.replace(at, 3, engine_.home_of(call.user) + "/");
  return file;
}

/// All users are one to the kernel, so files in another's home are accessible according to their mode for others.
bool Api::may(const std::string& user, const std::string& file, int others_bit) const {
  std::error_code error;
  const auto path = fs::weakly_canonical(file, error).string();
  const auto homes = fs::weakly_canonical(engine_.options().homes, error).string() + "/";
  if (path.starts_with(homes) && !(path + "/").starts_with(homes + user + "/")) {
    struct stat status {};
    return ::stat(file.c_str(), &status) == 0 && (static_cast<int>(status.st_mode) & others_bit) != 0;
  }
  return ::access(file.c_str(), others_bit == kWriteBit ? W_OK : R_OK) == 0;
}

http::Response Api::media(const Call& call) {
  if (call.user.empty()) return error_answer({401, "Permission denied", "A suitable authentication must be done before getting files"});
  const std::string_view rest = std::string_view{call.path_info}.substr(std::string_view{"/media/"}.size());
  const auto after = [&](std::string_view mark) { return rest.substr(mark.size()); };
  const auto& method = call.http.method;
  if (method == "GET" && rest.starts_with("ls/")) return media_list(call, file_of(call, after("ls/")));
  if (method == "GET") return media_read(call, file_of(call, rest));
  if (method == "POST" && rest.starts_with("chmod/")) return media_chmod(call, file_of(call, after("chmod/")));
  if (method == "POST" && rest.starts_with("force/")) return media_write(call, file_of(call, after("force/")), "force");
  if (method == "POST") return media_write(call, file_of(call, rest), {});
  if (method == "DELETE") return media_delete(file_of(call, rest), call);
  return error_answer({404, "Not found", "No way to handle your request " + call.path_info});
}

http::Response Api::media_read(const Call& call, const std::string& file) {
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return error_answer({404, "Not found", "File not found: " + file});
  if (!may(call.user, file, kReadBit)) return error_answer({403, "Forbidden", "File could not be read: " + file});
  auto stream = std::make_shared<std::ifstream>(file, std::ios::binary);
  const auto tail = call.number("tail").value_or(0);
  const auto begin = tail > 0 ? tail_begin(*stream, tail) : 0;
  stream->clear();
  stream->seekg(begin);
  auto response = file_answer(200);
  response.stream = [stream](http::Sink& sink) {
    std::string block(kBlock, '\0');
    while (stream->read(block.data(), static_cast<std::streamsize>(block.size())), stream->gcount() > 0) {
      if (!sink.write(std::string_view{block}.substr(0, static_cast<std::size_t>(stream->gcount())))) return false;
    }
    return true;
  };
  return response;
}

http::Response Api::media_list(const Call& call, const std::string& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return error_answer({404, "Not found", "Path not found: " + path});
  if (!may(call.user, path, kReadBit)) return error_answer({403, "Forbidden", "File could not be read: " + path});
  std::vector<fs::directory_entry> entries;
  for (fs::directory_iterator each{path, error}, end; !error && each != end; each.increment(error)) {
    if (!each->path().filename().string().starts_with(".")) entries.push_back(*each);
  }
  if (error) {
    return error_answer({400, "ls error",
                         fmt::format("ls command exited with status 512: ls: cannot open directory '{}': {}\n. (Command was: ls -l {}).",
                                     path, error.message(), path)});
  }
  std::sort(entries.begin(), entries.end());
  text::JsonWriter json;
  json.begin_array();
  for (const auto& entry : entries) {
    // OAR runs `ls -l`, which exits with 1 for a file that has gone, or has another name, since it read the folder.
    if (!write_entry(json, entry)) {
      return error_answer({400, "ls error",
                           fmt::format("ls command exited with status 256: ls: cannot access '{}': No such file or directory\n. "
                                       "(Command was: ls -l {}).",
                                       entry.path().string(), path)});
    }
  }
  json.end_array();
  Page page;
  page.total = static_cast<std::int64_t>(entries.size());
  page.items = json.text();
  return json_answer(200, page_json(call, page), "GET");
}

http::Response Api::media_write(const Call& call, const std::string& file, std::string_view force) {
  std::error_code error;
  if (fs::is_regular_file(file, error) && force.empty()) return error_answer({403, "File already exists", "The file already exists"});
  const auto parent = fs::path{file}.parent_path();
  fs::create_directories(parent, error);
  if (error) return error_answer({500, "mkpath error", "Problem while creating path: " + parent.string()});
  const auto type = call.http.headers.find("Content-Type").value_or("");
  if (type != "application/octet-stream") {
    return error_answer({406, "Bad content type", fmt::format("{} not allowed for file upload", type)});
  }
  if (!std::ofstream{file, std::ios::binary | std::ios::app} || !may(call.user, file, kWriteBit))
    return error_answer({500, "write error", "Error creating file: " + file});
  if (const auto wrong = write_body(*call.http.body, file)) return html_page(400, "Bad Request", http::describe(*wrong));
  text::JsonWriter json;
  json.begin_object().key("links").begin_array();
  write_link(json, call.link("media/" + file), "self");
  json.end_array().field("status", "created").field("success", "true").end_object();
  http::Response response;
  response.status = 201;
  response.headers.add("Content-Type", "text/html; charset=ISO-8859-1");
  response.headers.add("Location", "media/" + file);
  response.body = json.text() + "\n";
  return response;
}

http::Response Api::media_chmod(const Call& call, const std::string& file) {
  const auto body = call.http.body->read_all(kBlock);
  if (!body) return html_page(400, "Bad Request", http::describe(body.error()));
  const auto posted = read_mode(*body);
  if (!posted) return error_answer(posted.error());
  const bool word =
      std::all_of(posted->begin(), posted->end(), [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+'; });
  if (!word) return error_answer({401, "Permission denied", "Bad mode value: " + *posted});
  const auto refused = [&](std::string_view why) {
    return error_answer(
        {400, "chmod error",
         fmt::format("chmod command exited with status 256: chmod: {}\n. (Command was: /usr/lib/oar/oardodo/oardodo chmod {} {}).", why,
                     *posted, file)});
  };
  std::error_code error;
  if (!fs::exists(file, error)) return refused(fmt::format("cannot access '{}': No such file or directory", file));
  const bool octal = std::all_of(posted->begin(), posted->end(), [](char c) { return c >= '0' && c <= '7'; });
  if (!octal) return refused(fmt::format("invalid mode: '{}'", *posted));
  const auto home = fs::weakly_canonical(engine_.home_of(call.user), error).string() + "/";
  if (!fs::weakly_canonical(file, error).string().starts_with(home) ||
      ::chmod(file.c_str(), static_cast<mode_t>(std::stoul(*posted, nullptr, 8))) != 0) {
    return refused(fmt::format("changing permissions of '{}': Operation not permitted", file));
  }
  auto response = file_answer(202);
  response.headers.add("Location", "/media/" + file);
  return response;
}

http::Response Api::media_delete(const std::string& file, const Call& call) {
  std::error_code error;
  if (!fs::exists(file, error)) return error_answer({404, "Not found", "File not found: " + file});
  if (!may(call.user, file, kWriteBit)) return error_answer({403, "Forbidden", "File or directory is not writeable: " + file});
  fs::remove_all(file, error);
  http::Response response;
  response.status = 204;
  return response;
}

}  // namespace gleaner::minioar
