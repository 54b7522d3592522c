#include "common/simulator/instruction_kind.h"

#include <array>

namespace simulator {
namespace {

struct Names {
  const char* family;
  const char* instruction;
};

constexpr std::array<Names, kInstructionKinds> kNames = {{
    {"cp_async", "cp.async"},
    {"cp_async_commit", "cp.async.commit_group"},
    {"cp_async_wait", "cp.async.wait_group"},
    {"shared_load", "ld.shared"},
    {"shared_store", "st.shared"},
    {"global_load", "ld.global"},
    {"global_store", "st.global"},
    {"exp2", "ex2"},
    {"pack", "cvt.rn"},
    {"ldmatrix", "ldmatrix"},
    {"ldmatrix", "ldmatrix.trans"},
    {"mma", "mma"},
    {"mma", "mma"},
    {"shuffle", "shfl"},
    {"vote", "vote"},
    {"sync_warp", "__syncwarp"},
    {"sync_threads", "__syncthreads"},
}};

}  // namespace

const char* family_name(InstructionKind kind) { return kNames[static_cast<std::size_t>(kind)].family; }

const char* instruction_name(InstructionKind kind) { return kNames[static_cast<std::size_t>(kind)].instruction; }

}  // namespace simulator
