// Runs a kernel on the simulator: what is launched, and what comes back.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/simulator/instructions.h"

namespace simulator {

// Whose tensor cores: Ampere and Ada add a k of 16 in two steps of 8, Hopper in one step with one more bit.
enum class Architecture { kSm80, kSm90 };

struct Grid {
  int x = 1;
  int y = 1;
  int z = 1;
};

// Global memory that the kernel may touch. Every access must lie inside one buffer.
struct GlobalBuffer {
  std::string name;  // "Q", "K", "V", "O"
  void* data;
  std::size_t bytes;
  bool writable;
};

// A named part of the block's shared memory, so that counts and hazards can speak of tensors, rows and columns.
struct SharedRegion {
  std::string name;           // of the tensor that cp.async brings and ldmatrix reads: "Q"
  std::string exchange_name;  // of the tensor that ordinary loads and stores pass through it: "O", or name again
  uint32_t offset;            // bytes from the beginning of dynamic shared memory
  int rows;
  int row_bytes;
};

struct LaunchConfiguration {
  Grid grid;
  int threads = 32;  // of a block, a multiple of 32
  uint32_t shared_bytes = 0;
  std::vector<SharedRegion> shared_regions;
  std::vector<GlobalBuffer> global_buffers;
  Architecture architecture = Architecture::kSm90;
  int workers = 0;                        // operating-system threads; 0: one a core
  std::optional<uint64_t> schedule_seed;  // shuffles the order in which warps run; results must not depend on it
  std::function<void(int64_t done, int64_t blocks)> progress;  // called now and then, from one thread at a time
  bool trace = false;                                          // record the events of block (0, 0, 0)
  bool keep_accesses = false;                                  // to shared memory, of warp 0 of block (0, 0, 0)
};

// One access of a warp to shared memory.
struct SharedAccess {
  std::string family;  // "ldmatrix", "cp_async", "shared_load", "shared_store"
  std::string tensor;
  CallSite site;
  int bytes = 0;                         // of each lane; of ldmatrix: of a row
  uint32_t lanes = 0;                    // a bit for each lane that takes part
  std::array<uint32_t, 32> addresses{};  // by lane, from the beginning of dynamic shared memory
};

// Accesses of one instruction family to shared memory.
struct SharedCounts {
  int64_t requests = 0;          // warp instructions
  int64_t wavefronts = 0;        // passes over the banks
  int64_t ideal_wavefronts = 0;  // the fewest that so many bytes can take

  int64_t excess() const { return wavefronts - ideal_wavefronts; }
};

// Accesses of one instruction family to global memory.
struct GlobalCounts {
  int64_t requests = 0;       // warp instructions
  int64_t sectors = 0;        // of 32 bytes
  int64_t ideal_sectors = 0;  // the fewest that so many bytes can take
  int64_t bytes = 0;
};

enum class HazardKind {
  kReadBeforeWait,      // of a word that a pending cp.async will write
  kWriteBeforeWait,     // likewise, overwritten
  kReadBeforeBarrier,   // of a word that another thread wrote, nothing ordering the two
  kOverwriteWhileRead,  // of a word that another thread may still read
  kWriteWriteRace,      // two threads write one word, nothing ordering them
  kSourceModified,      // the global source of a pending cp.async
  kUninitializedRead,
  kOutOfBounds,
  kMisaligned,
  kDivergentCollective,  // a barrier or warp-wide instruction that some threads do not reach
  kUncommittedCopies,    // at the thread's exit: in no group
  kUncollectedCopies,    // at the thread's exit: committed, but no wait covers them
  kDeadlock,             // the block was given up: all its threads wait
};

// The name used in reports and JSON: "read_before_wait", ...
std::string to_string(HazardKind kind);

// One kind of hazard at one pair of source lines.
struct Hazard {
  HazardKind kind;
  CallSite site;                       // of the access that completed the hazard
  std::optional<CallSite> other_site;  // of the one it collides with
  int64_t count = 0;                   // occurrences, in warp-lanes and 4-byte words
  // The first occurrence, in the order of blocks:
  std::string tensor;  // empty: none
  int row = -1;        // of the tensor's tile (shared) or -1
  int column_bytes = -1;
  int thread = -1;
  int other_thread = -1;
  std::array<int, 3> block{};
  std::string message;  // one sentence with all of this
};

// An event of the traced block, in the order of the program. The axis counts warp instructions, not time.
struct TraceEvent {
  int warp;
  int64_t begin;  // instructions of this warp before it
  int64_t end;
  std::string name;  // "cp.async K", "wait", "barrier", "ldmatrix V", "mma", "exp2", ...
  CallSite site;
  int64_t collects = -1;  // of a wait: the sequence number of the newest copy group it collects
  int64_t group = -1;     // of a copy or commit: its group
};

struct Report {
  // Keyed by family ("ldmatrix", "cp_async", "shared_load", "shared_store"), then by tensor ("Q", "K", "V", "O").
  std::map<std::string, std::map<std::string, SharedCounts>> shared;
  // Keyed by family ("cp_async", "global_load", "global_store"), then by buffer.
  std::map<std::string, std::map<std::string, GlobalCounts>> global;
  // Warp instructions, keyed by name: cp_async, cp_async_commit, cp_async_wait, ldmatrix, mma, shuffle, vote,
  // sync_warp, sync_threads, exp2, pack, shared_load, shared_store, global_load, global_store.
  std::map<std::string, int64_t> instructions;
  std::vector<Hazard> hazards;
  std::vector<TraceEvent> trace;
  std::vector<SharedAccess> accesses;  // if LaunchConfiguration::keep_accesses, in the order of the program

  int64_t hazard_count() const;  // the sum of their counts
  SharedCounts shared_total(const std::string& family) const;
};

// Runs thread_body once for each thread of each block. Throws std::invalid_argument if the configuration makes no
// sense. Hazards never throw: a block that cannot go on (deadlock, out of bounds) is given up and the launch goes on
// with the others.
Report launch(const LaunchConfiguration& configuration, const std::function<void()>& thread_body);

}  // namespace simulator
