#include "common/simulator/block.h"

#include <bit>
#include <cstring>
#include <utility>

#include "common/simulator/block_end.h"

namespace simulator {
namespace {

// Thrown through the stack of a thread to leave it early, so that what its functions own is destroyed.
struct StopThread {};

}  // namespace

constinit thread_local Thread* Block::current_thread = nullptr;

Block::Block(const LaunchConfiguration& configuration, const std::function<void()>& thread_body,
             Instruments& instruments)
    : configuration_(configuration),
      thread_body_(thread_body),
      instruments_(instruments),
      global_(configuration.global_buffers),
      shared_(configuration.shared_bytes),
      stacks_(configuration.threads),
      scheduler_(configuration.threads, configuration.schedule_seed),
      threads_(static_cast<std::size_t>(configuration.threads)) {
  const int warps = configuration.threads / kWarpSize;
  warps_.reserve(static_cast<std::size_t>(warps));
  for (int warp = 0; warp < warps; ++warp) {
    warps_.emplace_back(instruments.sites).index = warp;
    for (int lane = 0; lane < kWarpSize; ++lane) {
      Thread& created = thread(warp, lane);
      created.block = this;
      created.warp = &warps_.back();
      created.index = warp * kWarpSize + lane;
      created.lane = lane;
    }
  }
}

void Block::run(int64_t number, std::array<int, 3> index) {
  prepare(number, index);
  current_thread = &threads_[static_cast<std::size_t>(scheduler_.take(0))];
  main_.switch_to(current_thread->fiber);
  // Back here when no thread can go on: all are at their end, or some wait in vain.
  conclude();
  if (alive_ > 0) unwind();
  current_thread = nullptr;
  if (exception_) std::rethrow_exception(exception_);
}

void Block::prepare(int64_t number, std::array<int, 3> index) {
  index_ = index;
  instruments_.begin_block(number, index);
  scheduler_.begin_block(number);
  if (shared_.bytes() > 0) std::memset(shared_.at(0), kPoison, shared_.bytes());
  for (Warp& warp : warps_) {
    warp.epoch = 0;
    warp.meeting = {};
    warp.record.clear();
  }
  for (Thread& thread : threads_) {
    thread.step = 0;
    thread.state = ThreadState::kRunning;
    thread.copies.clear();
    thread.fault.reset();
    thread.fiber.prepare(stacks_, thread.index, &Block::thread_main);
  }
  meeting_ = {};
  alive_ = configuration_.threads;
  stopped_ = 0;
  exception_ = nullptr;
}

void Block::thread_main() {
  Thread& thread = *current_thread;
  ThreadState end = ThreadState::kExited;
  try {
    thread.block->thread_body_();
  } catch (const StopThread&) {
    end = ThreadState::kStopped;
  } catch (...) {
    end = ThreadState::kStopped;
    thread.block->exception_ = std::current_exception();
  }
  thread.block->finish(thread, end);
}

// Never returns to the thread.
void Block::finish(Thread& thread, ThreadState state) {
  thread.state = state;
  --alive_;
  if (state == ThreadState::kStopped) ++stopped_;
  if (unwinding_) thread.fiber.switch_to(main_);
  if (meeting_.arrived > 0 && meeting_.arrived == alive_ && stopped_ == 0) {
    report_absence_at_barrier(threads_, instruments_.hazards);  // the GPU does not wait for threads that have exited
    release_block();
  }
  suspend(thread);
}

void Block::stop(Thread& thread, Fault fault) {
  thread.fault = std::make_unique<Fault>(std::move(fault));
  leave();
}

void Block::leave() { throw StopThread{}; }

void Block::carry_out(Warp& warp) {
  const InstructionKind instruction = warp.meeting.instruction;
  const CallSite site = thread(warp.index, 0).wait_site;
  instruments_.collect(warp.index, warp.record);
  if (instruction == InstructionKind::kLdmatrix || instruction == InstructionKind::kLdmatrixTransposed) {
    const SiteId id = instruments_.sites.id(site);
    for (int lane = 0; lane < kWarpSize; ++lane) {
      const Thread& reader = thread(warp.index, lane);
      instruments_.ledger.read(warp.registers.rows[static_cast<std::size_t>(lane)], 16,
                               {static_cast<uint16_t>(reader.index), warp.epoch, reader.step}, id, false);
    }
    instruments_.count_ldmatrix(warp.index, instruction, warp.registers.rows, site);
  } else {
    instruments_.count(warp.index, instruction, site);
  }
  execute(instruction, warp.registers, shared_, configuration_.architecture);
  if (instruction == InstructionKind::kSyncWarp) ++warp.epoch;
}

void Block::meet_block(Thread& thread, const CallSite& site) {
  thread.waits_at = InstructionKind::kSyncThreads;
  thread.wait_site = site;
  thread.state = ThreadState::kWaiting;
  ++thread.step;
  if (++meeting_.arrived == alive_ && stopped_ == 0) {
    if (alive_ < configuration_.threads) report_absence_at_barrier(threads_, instruments_.hazards);
    release_block();
  }
  suspend(thread);
  thread.state = ThreadState::kRunning;
}

void Block::release_block() {
  meeting_.arrived = 0;
  for (Warp& warp : warps_) {
    uint32_t waiting = 0;
    for (int lane = kWarpSize - 1; lane >= 0; --lane) {
      Thread& member = thread(warp.index, lane);
      member.step = 0;
      if (member.state != ThreadState::kWaiting) continue;
      waiting |= 1u << lane;
    }
    instruments_.collect(warp.index, warp.record);
    if (waiting == 0) continue;
    const CallSite site = thread(warp.index, std::countr_zero(waiting)).wait_site;
    instruments_.count(warp.index, InstructionKind::kSyncThreads, site);
    scheduler_.make_ready(warp.index, waiting);
  }
  instruments_.close_epoch();
}

void Block::conclude() {
  for (Warp& warp : warps_) instruments_.collect(warp.index, warp.record);
  instruments_.close_epoch();
  report_end(threads_, instruments_.map, instruments_.hazards);
}

void Block::unwind() {
  unwinding_ = true;
  for (Thread& thread : threads_) {
    if (thread.state != ThreadState::kWaiting) continue;
    current_thread = &thread;
    main_.switch_to(thread.fiber);
  }
  unwinding_ = false;
}

}  // namespace simulator
