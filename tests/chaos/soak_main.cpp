#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <random>
#include <string_view>

#include "lib/text/numbers.hpp"
#include "tests/chaos/soak_run.hpp"

namespace {

constexpr int kUsage = 2;

[[noreturn]] void usage() {
  std::cerr << "soak [--minutes M] [--seed S]: bad programs and faults of every kind on three minioars (docs/reliability.md)\n";
  std::exit(kUsage);
}

std::uint64_t number(std::string_view text) {
  const auto value = gleaner::text::whole_number<std::uint64_t>(text);
  if (!value) usage();
  return *value;
}

}  // namespace

int main(int argc, char** argv) {
  std::uint64_t minutes = 2;
  std::uint64_t seed = std::random_device{}();
  for (int i = 1; i < argc; i += 2) {
    const std::string_view option{argv[i]};
    if (i + 1 == argc) usage();
    if (option == "--minutes") minutes = number(argv[i + 1]);
    else if (option == "--seed") seed = number(argv[i + 1]);
    else usage();
  }
  std::cout << "seed " << seed << ", " << minutes << " min" << std::endl;
  const auto figures = gleaner::tests::soak::run(std::chrono::minutes{minutes}, seed);
  std::cout << figures;
  return figures.is_clean() ? 0 : 1;
}
