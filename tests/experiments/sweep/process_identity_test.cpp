#include "experiments/sweep/process_identity.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <functional>

namespace canvaslab {
namespace {

TEST(ProcessIdentity, KnowsItselfAndTheDead) {
  EXPECT_FALSE(known_dead(this_process()));
  EXPECT_TRUE(known_alive(this_process()));
  ProcessIdentity other = this_process();
  other.start += 1;  // the number was used again
  EXPECT_TRUE(known_dead(other));
  EXPECT_FALSE(known_alive(other));
  for (const std::uint64_t start : {this_process().start, other.start}) {
    other = {"elsewhere", "another", getpid(), start};
    EXPECT_FALSE(known_dead(other));
    EXPECT_FALSE(known_alive(other));
  }
  const pid_t child = fork();
  if (child == 0) _exit(0);
  siginfo_t ended{};
  waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT);  // it stays as a zombie
  ProcessIdentity zombie = this_process();
  zombie.process = child;
  EXPECT_TRUE(known_dead(zombie));
  EXPECT_FALSE(known_alive(zombie));
  waitpid(child, nullptr, 0);
}

TEST(ProcessIdentity, OfNoKnownMachineOrStartIsJudgedByNobody) {
  ProcessIdentity other = this_process();
  other.machine = "";
  EXPECT_FALSE(known_dead(other) || known_alive(other));
  other = this_process();
  other.host = "another machine that was started from the same memory image";
  EXPECT_FALSE(known_dead(other) || known_alive(other));
  other = this_process();
  other.start = 0;
  EXPECT_FALSE(known_dead(other) || known_alive(other));
}

constexpr int kSkipped = 77;

// Exit status of a child that `prepare` makes see less; kSkipped where it may not.
int judged_by_child(const std::function<bool()>& prepare, const std::function<bool()>& judge) {
  const pid_t child = fork();
  if (child == 0) {
    if (!prepare()) _exit(kSkipped);
    _exit(judge() ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// Before Linux 5.8 the options of one mount of /proc are those of all.
bool mounts_have_their_own_options() {
  utsname system{};
  int major = 0, minor = 0;
  uname(&system);
  return std::sscanf(system.release, "%d.%d", &major, &minor) == 2 &&
         (major > 5 || (major == 5 && minor >= 8));
}

bool mount_proc(const char* options) {
  return mounts_have_their_own_options() && unshare(CLONE_NEWNS) == 0 &&
         mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         mount("proc", "/proc", "proc", 0, options) == 0;
}

// hidepid: a live process of another user cannot be seen.
TEST(ProcessIdentity, WhatProcHidesIsNotDead) {
  const ProcessIdentity living = this_process();
  const auto as_nobody = [](const char* options) {
    return [options] { return mount_proc(options) && setgid(65534) == 0 && setuid(65534) == 0; };
  };
  for (const char* options : {"hidepid=1", "hidepid=2"}) {
    const int hidden =
        judged_by_child(as_nobody(options), [&] { return !known_dead(living) && !known_alive(living); });
    if (hidden == kSkipped) GTEST_SKIP() << "may not mount /proc in a namespace of its own";
    EXPECT_EQ(hidden, 0) << options;
    const pid_t child = fork();
    if (child == 0) _exit(0);
    ProcessIdentity gone = living;
    gone.process = child;
    waitpid(child, nullptr, 0);
    EXPECT_EQ(judged_by_child(as_nobody(options), [&] { return known_dead(gone); }), 0) << options;
  }
}

// A container in a process namespace of its own that still sees the /proc of the outer one: number 1 is
// itself inside and another process in /proc.
TEST(ProcessIdentity, AnotherNamespacesProcSaysNothing) {
  const auto inside = [] {
    const ProcessIdentity self = this_process();
    return self.process == 1 && self.start == 0 && !known_dead(self) && !known_alive(self);
  };
  const int judged = judged_by_child([] { return unshare(CLONE_NEWPID) == 0; },
                                     [&] { return judged_by_child([] { return true; }, inside) == 0; });
  if (judged == kSkipped) GTEST_SKIP() << "may not make a process namespace";
  EXPECT_EQ(judged, 0);
}

}  // namespace
}  // namespace canvaslab
