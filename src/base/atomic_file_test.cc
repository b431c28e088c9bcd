#include "base/atomic_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/unfinished_files.h"

namespace airlot::base {
namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

std::string ReadAll(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void WriteAll(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

// Writes and commits, and returns the message of the first error, or "".
std::string Save(const std::string& path, std::string_view text) {
  Result<AtomicFile> file = AtomicFile::Create(path);
  if (!file) return file.error().message;
  file->Append(text);
  const Status status = file->Commit();
  return status.ok() ? "" : status.error().message;
}

// Every part of the text is different, so that a lost or repeated piece shows.
std::string LongText(std::size_t size) {
  std::string text;
  for (int i = 0; text.size() < size; ++i) text += std::to_string(i) + "\n";
  return text;
}

// Runs `work` in a process of its own, so that it can change limits, streams and the like.
bool TrueInChild(const std::function<bool()>& work) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(work() ? 0 : 1);
  int status = -1;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

class AtomicFileTest : public ::testing::Test {
 protected:
  AtomicFileTest() : folder_(::testing::TempDir() + "/atomic_file_XXXXXX") {
    EXPECT_NE(::mkdtemp(folder_.data()), nullptr);
  }
  ~AtomicFileTest() override { fs::remove_all(folder_); }

  std::string In(const std::string& name) const { return folder_ + "/" + name; }
  // Lists what is in the folder, sorted.
  Names List() const {
    Names names;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      names.push_back(entry.path().filename());
    }
    std::sort(names.begin(), names.end());
    return names;
  }
  mode_t Permissions(const std::string& name) const {
    struct stat status {};
    EXPECT_EQ(::stat(In(name).c_str(), &status), 0);
    return status.st_mode & 0777;
  }

  std::string folder_;
};

TEST_F(AtomicFileTest, AppearsWholeOnCommit) {
  Result<AtomicFile> file = AtomicFile::Create(In("plan.csv"));
  ASSERT_TRUE(file.ok());
  file->Append("a,b\n");
  file->Append("1,2\n");
  EXPECT_FALSE(fs::exists(In("plan.csv")));
  EXPECT_TRUE(file->Commit().ok());
  EXPECT_EQ(ReadAll(In("plan.csv")), "a,b\n1,2\n");
  EXPECT_EQ(List(), Names{"plan.csv"});
}

TEST_F(AtomicFileTest, MayBeEmpty) {
  EXPECT_EQ(Save(In("plan.csv"), ""), "");
  EXPECT_EQ(fs::file_size(In("plan.csv")), 0U);
}

TEST_F(AtomicFileTest, KeepsTheOrderOfShortAndLongPieces) {
  const std::string text = LongText(5 << 20);
  Result<AtomicFile> file = AtomicFile::Create(In("plan.csv"));
  ASSERT_TRUE(file.ok());
  std::size_t begin = 0;
  for (std::size_t length = 1; begin < text.size(); begin += length, length = length * 3 + 1) {
    file->Append(text.substr(begin, length));
  }
  EXPECT_TRUE(file->Commit().ok());
  EXPECT_EQ(ReadAll(In("plan.csv")), text);
}

TEST_F(AtomicFileTest, LeavesNothingWhereAbandoned) {
  {
    Result<AtomicFile> file = AtomicFile::Create(In("plan.csv"));
    ASSERT_TRUE(file.ok());
    file->Append(LongText(3 << 20));
    ASSERT_EQ(List().size(), 1U);  // the temporary file is beside the target
    EXPECT_TRUE(List()[0].starts_with(".plan.csv.tmp-" + std::to_string(::getpid()) + "-"));
  }
  EXPECT_EQ(List(), Names{});
}

TEST_F(AtomicFileTest, LeavesNothingWhereInterrupted) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const pid_t child = ::fork();
    if (child == 0) {
      RemoveUnfinishedFilesOnInterrupt();
      Result<AtomicFile> file = AtomicFile::Create(In("plan.csv"));
      if (List().size() == 1) ::raise(signal);
      ::_exit(1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal);
    EXPECT_EQ(List(), Names{});
  }
}

TEST_F(AtomicFileTest, LeavesTheOldFileWhereAbandoned) {
  WriteAll(In("plan.csv"), "old");
  {
    Result<AtomicFile> file = AtomicFile::Create(In("plan.csv"));
    ASSERT_TRUE(file.ok());
    file->Append(LongText(3 << 20));
  }
  EXPECT_EQ(ReadAll(In("plan.csv")), "old");
  EXPECT_EQ(List(), Names{"plan.csv"});
}

TEST_F(AtomicFileTest, CanBeMovedHalfWritten) {
  Result<AtomicFile> first = AtomicFile::Create(In("plan.csv"));
  ASSERT_TRUE(first.ok());
  first->Append("one ");
  {
    AtomicFile second = *std::move(first);
    second.Append("two");
    EXPECT_TRUE(second.Commit().ok());
  }
  EXPECT_EQ(ReadAll(In("plan.csv")), "one two");
}

TEST_F(AtomicFileTest, LastOfTwoWritersWins) {
  Result<AtomicFile> first = AtomicFile::Create(In("plan.csv"));
  Result<AtomicFile> second = AtomicFile::Create(In("plan.csv"));
  ASSERT_TRUE(first.ok() && second.ok());
  second->Append("second");
  first->Append("first");
  EXPECT_TRUE(second->Commit().ok());
  EXPECT_TRUE(first->Commit().ok());
  EXPECT_EQ(ReadAll(In("plan.csv")), "first");
  EXPECT_EQ(List(), Names{"plan.csv"});
}

TEST_F(AtomicFileTest, SparesWhatACrashLeftBehind) {
  const std::string prefix = ".plan.csv.tmp-" + std::to_string(::getpid()) + "-";
  int number = 0;
  {
    Result<AtomicFile> probe = AtomicFile::Create(In("plan.csv"));
    ASSERT_EQ(List().size(), 1U);
    number = std::stoi(List()[0].substr(prefix.size()));
  }
  const std::string leftover = prefix + std::to_string(number + 1);
  WriteAll(In(leftover), "leftover");
  EXPECT_EQ(Save(In("plan.csv"), "new"), "");
  EXPECT_EQ(ReadAll(In("plan.csv")), "new");
  EXPECT_EQ(ReadAll(In(leftover)), "leftover");
}

TEST_F(AtomicFileTest, NewFileObeysTheMask) {
  const mode_t mask = ::umask(027);
  EXPECT_EQ(Save(In("plan.csv"), "new"), "");
  ::umask(mask);
  EXPECT_EQ(Permissions("plan.csv"), 0640U);
}

TEST_F(AtomicFileTest, ReplacedFileKeepsItsPermissions) {
  for (const mode_t mode : {0600, 0666, 0751}) {
    WriteAll(In("plan.csv"), "old");
    ASSERT_EQ(::chmod(In("plan.csv").c_str(), mode), 0);
    EXPECT_EQ(Save(In("plan.csv"), "new"), "");
    EXPECT_EQ(ReadAll(In("plan.csv")), "new");
    EXPECT_EQ(Permissions("plan.csv"), mode);
  }
}

TEST_F(AtomicFileTest, TakesTheLongestName) {
  const std::string name(255, 'x');
  EXPECT_EQ(Save(In(name), "new"), "");
  EXPECT_EQ(List(), Names{name});
}

TEST_F(AtomicFileTest, TakesAPathWithoutFolder) {
  EXPECT_TRUE(TrueInChild(
      [&] { return ::chdir(folder_.c_str()) == 0 && Save("plan.csv", "new").empty(); }));
  EXPECT_EQ(ReadAll(In("plan.csv")), "new");
  EXPECT_EQ(List(), Names{"plan.csv"});
}

TEST_F(AtomicFileTest, FollowsALink) {
  fs::create_directory(In("real"));
  WriteAll(In("real/plan.csv"), "old");
  fs::create_symlink("real/plan.csv", In("inner"));
  fs::create_symlink(In("inner"), In("outer"));
  EXPECT_EQ(Save(In("outer"), "new"), "");
  EXPECT_TRUE(fs::is_symlink(In("outer")));
  EXPECT_TRUE(fs::is_symlink(In("inner")));
  EXPECT_EQ(ReadAll(In("real/plan.csv")), "new");
  EXPECT_EQ(List(), (Names{"inner", "outer", "real"}));
}

TEST_F(AtomicFileTest, FollowsALinkToWhatDoesNotExistYet) {
  fs::create_symlink("plan.csv", In("link"));
  EXPECT_EQ(Save(In("link"), "new"), "");
  EXPECT_TRUE(fs::is_symlink(In("link")));
  EXPECT_EQ(ReadAll(In("plan.csv")), "new");
}

TEST_F(AtomicFileTest, SaysWhyItCannotBeCreated) {
  WriteAll(In("file"), "");
  fs::create_symlink("loop", In("loop"));
  EXPECT_EQ(Save(In("out/plan.csv"), "x"),
            In("out/plan.csv") + ": cannot write: No such file or directory");
  EXPECT_EQ(Save(In("file/plan.csv"), "x"),
            In("file/plan.csv") + ": cannot write: Not a directory");
  EXPECT_EQ(Save(In("loop"), "x"),
            In("loop") + ": cannot write: Too many levels of symbolic links");
  EXPECT_EQ(Save(In(std::string(256, 'x')), "x"),
            In(std::string(256, 'x')) + ": cannot write: File name too long");
  EXPECT_EQ(Save(folder_, "x"), folder_ + ": is a directory");
  EXPECT_EQ(Save("", "x"), ": cannot write: No such file or directory");
  EXPECT_EQ(List(), (Names{"file", "loop"}));
}

TEST_F(AtomicFileTest, RefusesAProtectedFile) {
  // Nothing is protected from root, so another user tries.
  const auto become_another_user = [] { return ::geteuid() != 0 || ::setuid(65534) == 0; };
  if (!TrueInChild(become_another_user)) GTEST_SKIP() << "there is no other user here";
  ASSERT_EQ(::chmod(folder_.c_str(), 0777), 0);
  WriteAll(In("plan.csv"), "old");
  ASSERT_EQ(::chmod(In("plan.csv").c_str(), 0444), 0);
  EXPECT_TRUE(TrueInChild([&] {
    return become_another_user() &&
           Save(In("plan.csv"), "new") == In("plan.csv") + ": cannot write: Permission denied";
  }));
  EXPECT_EQ(ReadAll(In("plan.csv")), "old");
}

TEST_F(AtomicFileTest, FullDiskLeavesTheOldFile) {
  WriteAll(In("plan.csv"), "old");
  EXPECT_TRUE(TrueInChild([&] {
    ::signal(SIGXFSZ, SIG_IGN);
    // The third of the writes of 1 MiB is cut short, the next one fails.
    const rlimit limit{5 << 19, 5 << 19};
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) return false;
    Result<AtomicFile> file = AtomicFile::Create(In("plan.csv"));
    if (!file) return false;
    const std::string text = LongText(1 << 16);
    for (int i = 0; i < 64; ++i) file->Append(text);
    // The temporary file is gone as soon as it is in vain.
    if (List() != Names{"plan.csv"}) return false;
    const Status status = file->Commit();
    return !status.ok() &&
           status.error().message == In("plan.csv") + ": cannot write: File too large";
  }));
  EXPECT_EQ(ReadAll(In("plan.csv")), "old");
  EXPECT_EQ(List(), Names{"plan.csv"});
}

TEST_F(AtomicFileTest, FullDiskIsNoticedByCommit) {
  EXPECT_TRUE(TrueInChild([&] {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{2, 2};
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) return false;
    return Save(In("plan.csv"), "new") == In("plan.csv") + ": cannot write: File too large";
  }));
  EXPECT_EQ(List(), Names{});
}

TEST_F(AtomicFileTest, RemovesTheTemporaryFileWhereItCannotBePutInPlace) {
  Result<AtomicFile> file = AtomicFile::Create(In("plan.csv"));
  ASSERT_TRUE(file.ok());
  file->Append("new");
  fs::create_directory(In("plan.csv"));
  const Status status = file->Commit();
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message, In("plan.csv") + ": cannot write: Is a directory");
  EXPECT_EQ(List(), Names{"plan.csv"});
}

TEST_F(AtomicFileTest, WritesToDevices) {
  EXPECT_EQ(Save("/dev/null", "x"), "");
  EXPECT_EQ(Save("/dev/full", "x"), "/dev/full: cannot write: No space left on device");
  EXPECT_EQ(Save("/dev/full", LongText(3 << 20)),
            "/dev/full: cannot write: No space left on device");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

// Signals cut writes to a full pipe short or interrupt them before the first byte.
TEST_F(AtomicFileTest, WritesToAPipeThroughSignals) {
  ASSERT_EQ(::mkfifo(In("pipe").c_str(), 0600), 0);
  const std::string text = LongText(8 << 20);
  sigset_t alarm;
  ::sigemptyset(&alarm);
  ::sigaddset(&alarm, SIGALRM);
  ::pthread_sigmask(SIG_BLOCK, &alarm, nullptr);  // the reader handles it
  std::string received;
  std::thread reader([&] { received = ReadAll(In("pipe")); });
  ::pthread_sigmask(SIG_UNBLOCK, &alarm, nullptr);

  struct sigaction counting {
  }, old{};
  static volatile sig_atomic_t signals = 0;
  counting.sa_handler = [](int) { signals = signals + 1; };
  ASSERT_EQ(::sigaction(SIGALRM, &counting, &old), 0);
  const itimerval every_100_us{{0, 100}, {0, 100}}, never{};
  ::setitimer(ITIMER_REAL, &every_100_us, nullptr);
  EXPECT_EQ(Save(In("pipe"), text), "");
  ::setitimer(ITIMER_REAL, &never, nullptr);
  ::sigaction(SIGALRM, &old, nullptr);
  reader.join();

  EXPECT_GT(signals, 0);
  EXPECT_TRUE(received == text);
  EXPECT_EQ(List(), Names{"pipe"});
}

TEST_F(AtomicFileTest, ContinuesARedirectedStandardStream) {
  WriteAll(In("log"), "before ");
  EXPECT_TRUE(TrueInChild([&] {
    const int log = ::open(In("log").c_str(), O_WRONLY | O_APPEND);
    return ::dup2(log, STDOUT_FILENO) >= 0 && Save("/dev/stdout", "one ").empty() &&
           ::dup2(log, STDERR_FILENO) >= 0 && Save("/dev/stderr", "two").empty() &&
           ::write(STDOUT_FILENO, "!", 1) == 1;
  }));
  EXPECT_EQ(ReadAll(In("log")), "before one two!");
  EXPECT_EQ(List(), Names{"log"});
}

TEST_F(AtomicFileTest, ReportsAClosedStandardStream) {
  EXPECT_TRUE(TrueInChild([] {
    ::close(STDOUT_FILENO);
    return Save("/dev/stdout", "x") == "/dev/stdout: cannot write: Bad file descriptor";
  }));
}

TEST_F(AtomicFileTest, SeveralAppearTogetherOrNotAtAll) {
  WriteAll(In("a"), "old");
  const auto write = [&](const std::string& second) {
    const std::vector<FileText> files{{In("a"), "new a"}, {In(second), "new b"}};
    const Status status = WriteAllWhole(files);
    return status ? "" : status.error().message;
  };
  EXPECT_EQ(write("none/b"), In("none/b") + ": cannot write: No such file or directory");
  EXPECT_EQ(ReadAll(In("a")), "old");
  EXPECT_EQ(List(), Names{"a"});
  EXPECT_EQ(write("b"), "");
  EXPECT_EQ(ReadAll(In("a")), "new a");
  EXPECT_EQ(ReadAll(In("b")), "new b");
  EXPECT_EQ(List(), (Names{"a", "b"}));
}

TEST_F(AtomicFileTest, OfSeveralNoneIsReplacedWhenTheDiskIsFull) {
  WriteAll(In("a"), "old");
  EXPECT_TRUE(TrueInChild([&] {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{100, 100};  // of a file's size
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const std::vector<FileText> files{{In("a"), "new"}, {In("b"), LongText(1000)}};
    return !WriteAllWhole(files);
  }));
  EXPECT_EQ(ReadAll(In("a")), "old");
  EXPECT_EQ(List(), Names{"a"});
}

TEST_F(AtomicFileTest, AFinishedFileIsNotYetInPlace) {
  auto file = AtomicFile::Create(In("a"));
  ASSERT_TRUE(file.ok());
  file->Append("text");
  EXPECT_TRUE(file->Finish().ok());
  EXPECT_FALSE(fs::exists(In("a")));
  EXPECT_TRUE(file->Commit().ok());
  EXPECT_EQ(ReadAll(In("a")), "text");
}

}  // namespace
}  // namespace airlot::base
