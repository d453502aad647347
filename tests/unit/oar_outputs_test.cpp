#include "lib/oar/outputs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/oar_fake.hpp"

/// Files of clusters, read piece by piece.
namespace gleaner::oar {
namespace {

using ::testing::ElementsAre;

Response a_file(std::string body) {
  Response response;
  response.headers.add("Content-Type", "application/octet-stream; charset=ISO-8859-1");
  response.body = std::move(body);
  return response;
}

Result<std::string> whole(const Result<FileStream>& opened, std::size_t* longest = nullptr) {
  if (!opened) return tl::unexpected(opened.error());
  auto& file = const_cast<FileStream&>(*opened);
  std::string all;
  while (true) {
    auto bytes = file.next();
    if (!bytes || bytes->empty()) return bytes ? Result<std::string>{all} : bytes;
    if (longest != nullptr) *longest = std::max(*longest, bytes->size());
    all += *bytes;
  }
}

TEST(OarFileStream, AFileArrivesWhole_InPiecesOfBoundedSize) {
  constexpr std::size_t kBlocks = 300;
  const std::string block(100'000, 'x');
  FakeOar oar{[&](const http::Request&) {
    auto response = a_file("");
    response.stream = [&](http::Sink& sink) {
      for (std::size_t i = 0; i < kBlocks; ++i) {
        if (!sink.write(block)) return false;
      }
      return true;
    };
    return response;
  }};
  std::size_t longest = 0;
  const auto read = whole(FileStream::open(oar.access(), short_limits(), "ada", "~/a"), &longest);
  ASSERT_TRUE(read) << describe(read.error());
  EXPECT_EQ(read->size(), kBlocks * block.size());
  EXPECT_LT(longest, kBlocks * block.size() / 2);
}

TEST(OarFileStream, AnEmptyFile_IsNoError) {
  FakeOar oar{[](const http::Request&) { return a_file(""); }};
  EXPECT_EQ(whole(FileStream::open(oar.access(), short_limits(), "ada", "~/a")).value_or("failed"), "");
}

TEST(OarFileStream, ABrokenTransfer_IsAFailure_AfterItsBeginning) {
  FakeOar oar{[](const http::Request&) {
    auto response = a_file("");
    response.stream = [](http::Sink& sink) { return sink.write("beginning") && false; };
    return response;
  }};
  auto file = FileStream::open(oar.access(), short_limits(), "ada", "~/a");
  ASSERT_TRUE(file) << describe(file.error());
  EXPECT_EQ(file->next().value_or("failed"), "beginning");
  expect<NoAnswer>(file->next());
}

TEST(OarFileStream, OnlyOarItselfReportsThatAFileIsMissing) {
  FakeOar oar{[](const http::Request& request) {
    if (request.path.ends_with("missing")) return json(404, R"({"code":404,"message":"File not found","title":"Not found"})");
    if (request.path.ends_with("forbidden")) return json(403, R"({"code":403,"message":"could not be read","title":"Forbidden"})");
    return html(404, "<html>nginx</html>");
  }};
  const auto open = [&](const std::string& path) { return FileStream::open(oar.access(), short_limits(), "ada", path); };
  expect<Refused>(open("~/missing"));
  expect<Refused>(open("~/forbidden"));
  expect<NoAnswer>(open("~/proxy"));
  expect<Refused>(open("~/a b"));
  EXPECT_EQ(oar.requests().size(), 3U);
}

TEST(OarFileStream, AFailureOfTheWebServer_IsTriedAgainOnce) {
  int asked = 0;
  FakeOar oar{[&](const http::Request&) { return ++asked == 1 ? html(500, "<html>") : a_file("text"); }};
  EXPECT_EQ(whole(FileStream::open(oar.access(), short_limits(), "ada", "~/a")).value_or("failed"), "text");
}

TEST(OarFileListing, HasTheFilesWithTheirSizes_AndNoFolders) {
  FakeOar oar{[](const http::Request&) {
    return json(200, R"({"items":[{"name":"a","size":"6","type":"f"},{"name":"b","size":null,"type":"d"},
                                  {"name":"c","size":"3","type":"l a"}],"total":3})");
  }};
  const auto files = list_files(oar.access(), short_limits(), "ada", "~/r");
  ASSERT_TRUE(files) << describe(files.error());
  ASSERT_EQ(files->size(), 2U);
  EXPECT_EQ((*files)[0].name, "a");
  EXPECT_EQ((*files)[0].size, 6);
  EXPECT_EQ((*files)[1].size, std::nullopt);
  EXPECT_THAT(oar.requests(), ElementsAre("GET /oarapi/media/ls/~/r"));
}

TEST(OarFileListing, OneThatIsNotWhole_IsNoAnswer) {
  FakeOar oar{[](const http::Request&) { return json(200, R"({"items":[{"name":"a","size":"6","type":"f"}],"total":3})"); }};
  expect<NoAnswer>(list_files(oar.access(), short_limits(), "ada", "~/r"));
}

}  // namespace
}  // namespace gleaner::oar
