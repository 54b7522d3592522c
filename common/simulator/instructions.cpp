#include "common/simulator/instructions.h"

#include <algorithm>
#include <cstring>

#include "common/simulator/arithmetic.h"
#include "common/simulator/block.h"
#include "common/simulator/checks.h"

namespace simulator {
namespace {

// Now, for the thread, and one step further.
Moment next_moment(Thread& thread) { return {static_cast<uint16_t>(thread.index), thread.warp->epoch, ++thread.step}; }

RecordedInstruction& note(Thread& thread, InstructionKind kind, int bytes, const CallSite& site) {
  return thread.warp->record.note(thread.lane, kind, bytes, site);
}

std::size_t lane_of(const Thread& thread) { return static_cast<std::size_t>(thread.lane); }

// Records an access to global memory for the counts.
RecordedInstruction& note_global(Thread& thread, InstructionKind kind, int bytes, const GlobalPlace& place,
                                 const CallSite& site) {
  RecordedInstruction& instruction = note(thread, kind, bytes, site);
  RecordedOperands& operands = thread.warp->record.operands(instruction);
  operands.global[lane_of(thread)] = place.offset;
  if (instruction.lowest_lane == thread.lane) operands.buffer = place.buffer;
  return instruction;
}

}  // namespace

int thread_index() { return Block::current().index; }

int block_index(int axis) { return Block::current().block->index(axis); }

uint32_t dynamic_shared_memory() { return kSharedBase; }

void load_shared(uint32_t address, void* value, int bytes, CallSite site) {
  Thread& thread = Block::current();
  Block& block = *thread.block;
  const uint32_t offset = checked_shared(thread, address, bytes, site, true);
  const RecordedInstruction& instruction = note(thread, InstructionKind::kSharedLoad, bytes, site);
  thread.warp->record.operands(instruction).shared[lane_of(thread)] = offset;
  block.instruments().ledger.read(offset, bytes, next_moment(thread), instruction.site, true);
  std::memcpy(value, block.shared().at(offset), static_cast<std::size_t>(bytes));
}

void store_shared(uint32_t address, const void* value, int bytes, CallSite site) {
  Thread& thread = Block::current();
  Block& block = *thread.block;
  const uint32_t offset = checked_shared(thread, address, bytes, site, true);
  const RecordedInstruction& instruction = note(thread, InstructionKind::kSharedStore, bytes, site);
  thread.warp->record.operands(instruction).shared[lane_of(thread)] = offset;
  block.instruments().ledger.write(offset, bytes, next_moment(thread), instruction.site, true);
  std::memcpy(block.shared().at(offset), value, static_cast<std::size_t>(bytes));
}

void load_global(const void* source, void* value, int bytes, CallSite site) {
  Thread& thread = Block::current();
  const GlobalPlace place = checked_global(thread, source, bytes, Direction::kLoad, site);
  note_global(thread, InstructionKind::kGlobalLoad, bytes, place, site);
  next_moment(thread);
  std::memcpy(value, source, static_cast<std::size_t>(bytes));
}

void store_global(void* destination, const void* value, int bytes, CallSite site) {
  Thread& thread = Block::current();
  const GlobalPlace place = checked_global(thread, destination, bytes, Direction::kStore, site);
  const SiteId id = note_global(thread, InstructionKind::kGlobalStore, bytes, place, site).site;
  thread.block->instruments().sources.write(place.buffer, place.offset, bytes, next_moment(thread), id);
  std::memcpy(destination, value, static_cast<std::size_t>(bytes));
}

void cp_async(uint32_t destination, const void* source, int bytes, CallSite site) {
  Thread& thread = Block::current();
  Block& block = *thread.block;
  Instruments& instruments = block.instruments();
  const uint32_t offset = checked_shared(thread, destination, bytes, site, false);
  const GlobalPlace place = checked_global(thread, source, bytes, Direction::kLoad, site);
  RecordedInstruction& instruction = note_global(thread, InstructionKind::kCpAsync, bytes, place, site);
  thread.warp->record.operands(instruction).shared[lane_of(thread)] = offset;
  if (instruction.lowest_lane == thread.lane) instruction.group = thread.copies.open_group();

  const Moment moment = next_moment(thread);
  const SiteId id = instruction.site;
  thread.copies.issue({offset, source, bytes, site, instruments.ledger.issue_copy(offset, bytes, moment, id),
                       instruments.sources.issue_copy(place.buffer, place.offset, bytes, moment, id)});
  std::memset(block.shared().at(offset), kPoison, static_cast<std::size_t>(bytes));
}

void cp_async_commit(CallSite site) {
  Thread& thread = Block::current();
  RecordedInstruction& instruction = note(thread, InstructionKind::kCpAsyncCommit, 0, site);
  if (instruction.lowest_lane == thread.lane) instruction.group = thread.copies.open_group();
  next_moment(thread);
  thread.copies.commit();
}

void cp_async_wait(int pending_groups, CallSite site) {
  Thread& thread = Block::current();
  Block& block = *thread.block;
  Instruments& instruments = block.instruments();
  RecordedInstruction& instruction = note(thread, InstructionKind::kCpAsyncWait, 0, site);
  if (instruction.lowest_lane == thread.lane) {
    instruction.group = std::max<int64_t>(-1, thread.copies.open_group() - pending_groups - 1);
  }
  const Moment moment = next_moment(thread);
  thread.copies.wait(pending_groups, [&](const AsyncCopy& copy) {
    std::memcpy(block.shared().at(copy.destination), copy.source, static_cast<std::size_t>(copy.bytes));
    instruments.ledger.complete_copy(copy.id, moment);
    instruments.sources.complete_copy(copy.source_id, moment);
  });
}

void ldmatrix_x4(uint32_t* const (&matrices)[4], uint32_t row, bool transposed, CallSite site) {
  Thread& thread = Block::current();
  WarpRegisters& registers = thread.warp->registers;
  registers.rows[lane_of(thread)] = checked_shared(thread, row, 16, site, false);
  const auto kind = transposed ? InstructionKind::kLdmatrixTransposed : InstructionKind::kLdmatrix;
  thread.block->meet_warp(thread, kind, site);
  for (int i = 0; i < 4; ++i) *matrices[i] = registers.matrices[i][thread.lane];
}

void mma_m16n8k16(float (&upper)[2], float (&lower)[2], const uint32_t (&a)[4], const uint32_t (&b)[2], MatrixType type,
                  CallSite site) {
  Thread& thread = Block::current();
  MatrixOperands& operands = thread.warp->registers.operands;
  const int row = thread.lane / 4;
  const int pair = thread.lane % 4;
  for (int i = 0; i < 4; ++i) operands.a[i][thread.lane] = a[i];
  for (int i = 0; i < 2; ++i) operands.b[i][pair][row] = b[i];
  std::memcpy(&operands.c[row][2 * pair], upper, sizeof(upper));
  std::memcpy(&operands.c[row + 8][2 * pair], lower, sizeof(lower));
  const bool half = type == MatrixType::kFloat16;
  thread.block->meet_warp(thread, half ? InstructionKind::kMmaFloat16 : InstructionKind::kMmaBFloat16, site);
  std::memcpy(upper, &operands.c[row][2 * pair], sizeof(upper));
  std::memcpy(lower, &operands.c[row + 8][2 * pair], sizeof(lower));
}

float shuffle_xor(float value, int lane_mask, CallSite site) {
  Thread& thread = Block::current();
  WarpRegisters& registers = thread.warp->registers;
  registers.values[thread.lane] = value;
  registers.lane_masks[thread.lane] = lane_mask;
  thread.block->meet_warp(thread, InstructionKind::kShuffle, site);
  return registers.shuffled[thread.lane];
}

bool any(bool predicate, CallSite site) {
  Thread& thread = Block::current();
  thread.warp->registers.predicates[thread.lane] = predicate;
  thread.block->meet_warp(thread, InstructionKind::kVote, site);
  return thread.warp->registers.any_predicate;
}

void sync_warp(CallSite site) {
  Thread& thread = Block::current();
  thread.block->meet_warp(thread, InstructionKind::kSyncWarp, site);
}

void sync_threads(CallSite site) {
  Thread& thread = Block::current();
  thread.block->meet_block(thread, site);
}

// Arithmetic may also be asked for by code that prepares or checks a launch: then there is nobody to count it for.
float exp2_approx(float x, CallSite site) {
  if (Block::is_running()) note(Block::current(), InstructionKind::kExp2, 0, site);
  return exp2_ftz(x);
}

// Conversions have no call site: they are counted, but not told apart by line.
uint32_t pack_float16(float low, float high) {
  if (Block::is_running()) note(Block::current(), InstructionKind::kPack, 0, {});
  return to_float16(low) | to_float16(high) << 16;
}

uint32_t pack_bfloat16(float low, float high) {
  if (Block::is_running()) note(Block::current(), InstructionKind::kPack, 0, {});
  return to_bfloat16(low) | to_bfloat16(high) << 16;
}

}  // namespace simulator
