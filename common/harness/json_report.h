// Results as JSON.
#pragma once

#include <nlohmann/json.hpp>

#include "common/harness/execution.h"

namespace harness {

using Json = nlohmann::ordered_json;

// What every result of a run has, in these keys:
//
//   chapter (number), title, device ("gpu" or "sim"), device_reason
//   problem      {batch, heads, seq_q, seq_kv, head_dim, dtype, seed, input}
//   config       {block_q, block_kv, warps, threads, shared_bytes}
//   correct, message (what is wrong, or ""), checked_rows
//   max_abs_error, tolerance, relative_error, relative_tolerance   (null: not finite)
//   on the simulator:
//     hazards    {count, list: [{kind, count, site, other_site, tensor, row, column_bytes, thread, other_thread, block,
//                 message}]}
//     counters   {ldmatrix, cp_async, shared_load, shared_store: {requests, wavefronts, ideal_wavefronts, tensors:
//                 {Q: {requests, ...}, ...}}, global: {cp_async, global_load, global_store: {requests, sectors,
//                 ideal_sectors, bytes, tensors}}}
//     instructions   {name: warp instructions}
//     per_key_tile   {instructions, counters}: of one block and one key tile
//   on a GPU:
//     time_ms    {median, minimum, spread}, tflops (by the median), registers, spill_bytes, shared_bytes, blocks_per_sm
//     references {name: {time_ms, tflops, percent (the chapter's speed of the reference's), message}}, speed_up (over
//     the
//                 chapter before; null for the first)
//   environment  {compiler, build; on the simulator: simulated_sm; on a GPU: gpu, sm, driver, cuda, runtime,
//                 architectures, before, after: {sm_mhz, memory_mhz, temperature_celsius}}
Json to_json(const Results& results, const Result& result);

// A list of all of them.
Json to_json(const Results& results);

}  // namespace harness
