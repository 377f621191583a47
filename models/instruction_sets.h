// Compiles a hot loop once for each x86-64 level and picks one when the program starts, so that one binary
// runs on every machine and uses what that machine has. Sanitizers run before the picking can; they get the
// baseline alone.
#pragma once

#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define CANVASLAB_EVERY_INSTRUCTION_SET \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define CANVASLAB_EVERY_INSTRUCTION_SET
#endif
