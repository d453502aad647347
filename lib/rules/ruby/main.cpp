// Runs the admission rules on one campaign, in a process that a rule may crash. gridapi and gridctl start it, write to its stdin, and read
// the answer from its stdout. It has no configuration and no option.
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <iostream>
#include <iterator>
#include <string_view>

#include "lib/rules/ruby/worker.hpp"

namespace {

void write_line(std::string_view line) {
  while (!line.empty()) {
    const auto written = ::write(STDOUT_FILENO, line.data(), line.size());
    if (written < 0) throw std::runtime_error{"stdout cannot be written"};
    line.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace

int main() {
  try {
    gleaner::rules::ruby::answer({std::istreambuf_iterator<char>{std::cin}, {}}, write_line);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "admission: %s\n", error.what());
    ::_exit(2);
  }
  ::_exit(0);  // no cleanup is left, and no file can be opened for it
}
