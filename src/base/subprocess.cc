#include "base/subprocess.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <system_error>

#include "base/check.h"
#include "base/unfinished_files.h"

namespace airlot::base {
namespace {

// Streams say where the three standard streams of the program lead.
class Streams {
 public:
  explicit Streams(const std::string& output) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions_, STDOUT_FILENO, output.c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC, 0666);
    posix_spawn_file_actions_adddup2(&actions_, STDOUT_FILENO, STDERR_FILENO);
  }
  Streams(const Streams&) = delete;
  Streams& operator=(const Streams&) = delete;
  ~Streams() { posix_spawn_file_actions_destroy(&actions_); }
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

// Attributes give the program a process group of its own, so that an interrupt can end it with its
// children, and say which signals wait in it.
class Attributes {
 public:
  explicit Attributes(const sigset_t& waiting) {
    posix_spawnattr_init(&attributes_);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setsigmask(&attributes_, &waiting);
  }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;
  ~Attributes() { posix_spawnattr_destroy(&attributes_); }
  const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_;
};

// While a FileSizeLimit lives, no file can grow beyond `bytes`: neither ours, nor ever those of a
// program that is started meanwhile. A limit that is lower stays.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(std::uint64_t bytes) : is_set_(bytes != kNoLimit) {
    if (!is_set_) return;
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{std::min<rlim_t>(before_.rlim_cur, bytes), before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;
  ~FileSizeLimit() {
    if (is_set_) ::setrlimit(RLIMIT_FSIZE, &before_);
  }

 private:
  bool is_set_;
  rlimit before_{};
};

// The process is still there, as a zombie, when it is dropped: its number is not another's yet.
Result<int> WaitFor(pid_t process, const std::string& name) {
  siginfo_t info;
  while (::waitid(P_PID, static_cast<id_t>(process), &info, WEXITED | WNOWAIT) != 0 &&
         errno == EINTR) {
  }
  // Where an interrupt has ended it, this is where we wait for our own end.
  const ProcessChange change;
  DropUnfinishedProcess(process);
  int status = 0;
  pid_t ended;
  while ((ended = ::waitpid(process, &status, 0)) < 0 && errno == EINTR) {
  }
  if (ended != process) {
    return Error{name + ": its end is not known: " + std::generic_category().message(errno)};
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

Result<int> RunProgram(const std::vector<std::string>& arguments, const std::string& output,
                       std::uint64_t most_file_bytes) {
  AIRLOT_CHECK(!arguments.empty(), "no program");
  std::vector<char*> argv;
  argv.reserve(arguments.size() + 1);
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  const Streams streams(output);
  pid_t process = 0;
  {
    const ProcessChange change;  // signals wait until it is known which process to end
    const Attributes attributes(change.before());
    const FileSizeLimit limit(most_file_bytes);
    const int error =
        ::posix_spawnp(&process, argv[0], streams.get(), attributes.get(), argv.data(), environ);
    if (error == ENOENT && ::access(output.c_str(), F_OK) == 0) return kNoSuchProgram;
    if (error != 0) {
      return Error{arguments[0] + ": cannot start: " + std::generic_category().message(error)};
    }
    AddUnfinishedProcess(process);
  }
  return WaitFor(process, arguments[0]);
}

}  // namespace airlot::base
