#include "sim/wrapper/files.hpp"

#include <fcntl.h>
#include <fnmatch.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "lib/http/file_descriptor.hpp"

namespace gleaner::wrapper {

namespace fs = std::filesystem;

namespace {

bool write_to(const std::string& path, std::string_view content, int flags) {
  const http::FileDescriptor file{::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0666)};
  return file.valid() && ::write(file.get(), content.data(), content.size()) == static_cast<ssize_t>(content.size());
}

/// Expands the components of a pattern from the first one on.
class Expansion {
 public:
  Expansion(std::string folder, bool is_absolute) : folder_{std::move(folder)}, is_absolute_{is_absolute} {}

  void descend(const std::string& found, std::string_view rest) {
    if (rest.empty()) {
      if (exists(path_of(found))) names.push_back(found);
      return;
    }
    const auto end = std::min(rest.find('/'), rest.size());
    const std::string component{rest.substr(0, end)};
    const auto after = rest.substr(std::min(end + 1, rest.size()));
    if (component == "**" && end < rest.size()) descend(found, after);
    if (component.find_first_of("*?[") == std::string::npos) return descend(joined(found, without_marks(component)), after);
    std::vector<std::string> entries;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator{path_of(found), error}) entries.push_back(entry.path().filename().string());
    std::sort(entries.begin(), entries.end());
    for (const auto& entry : entries) {
      if (::fnmatch(component.c_str(), entry.c_str(), FNM_PERIOD) != 0) continue;
      const auto name = joined(found, entry);
      if (component == "**") {
        if (is_folder(path_of(name))) descend(name, rest);
        if (end == rest.size()) descend(name, {});
      } else if (end == rest.size() || is_folder(path_of(name))) {
        descend(name, after);
      }
    }
  }
  std::vector<std::string> names;

 private:
  static std::string without_marks(const std::string& component) {
    std::string plain;
    for (std::size_t at = 0; at < component.size(); ++at) {
      if (component[at] == '\\' && at + 1 < component.size()) ++at;
      plain += component[at];
    }
    return plain;
  }
  [[nodiscard]] std::string joined(const std::string& found, const std::string& name) const {
    if (found.empty()) return is_absolute_ ? "/" + name : name;
    return found + "/" + name;
  }
  [[nodiscard]] std::string path_of(const std::string& found) const {
    if (is_absolute_) return found.empty() ? "/" : found;
    return found.empty() ? folder_ : folder_ + "/" + found;
  }

  std::string folder_;
  bool is_absolute_;
};

}  // namespace

bool write_file(const std::string& path, std::string_view content, Create create) {
  return write_to(path, content, create == Create::new_only ? O_EXCL : O_TRUNC);
}

bool append_file(const std::string& path, std::string_view content) { return write_to(path, content, O_APPEND); }

bool make_link(const std::string& from, const std::string& to) { return ::link(from.c_str(), to.c_str()) == 0; }

bool rename_file(const std::string& from, const std::string& to) { return ::rename(from.c_str(), to.c_str()) == 0; }

bool make_folders(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  return !error && is_folder(path);
}

bool remove_all(const std::string& path) {
  std::error_code error;
  fs::remove_all(path, error);
  return !error;
}

bool exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

bool is_folder(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

bool is_file(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

bool has_content(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && status.st_size > 0;
}

bool has_files(const std::string& folder) {
  std::error_code error;
  return fs::directory_iterator{folder, error} != fs::directory_iterator{};
}

bool has_two_names(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && status.st_nlink == 2;
}

std::optional<std::string> content_of(const std::string& path) {
  std::ifstream file{path, std::ios::binary};
  if (!file) return std::nullopt;
  return std::string{std::istreambuf_iterator<char>{file}, {}};
}

std::vector<std::string> expand(const std::string& pattern, const std::string& folder) {
  const bool is_absolute = pattern.starts_with('/');
  Expansion expansion{folder, is_absolute};
  expansion.descend({}, std::string_view{pattern}.substr(is_absolute ? 1 : 0));
  return expansion.names;
}

}  // namespace gleaner::wrapper
