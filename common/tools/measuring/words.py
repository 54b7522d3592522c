"""The words of the tables, in both languages of the documents. Numbers and names of things need none."""

from __future__ import annotations

LANGUAGES = ("en", "zh")

WORDS = {
    "chapter": ("chapter", "章"),
    "chapter_n": ("chapter {}", "第 {} 章"),
    "step": ("what it adds", "新增内容"),
    "tflops": ("TFLOP/s", "TFLOP/s"),
    "percent_of": ("% of {}", "相对 {} (%)"),
    "registers": ("registers", "寄存器"),
    "of_ideal": ("ldmatrix wavefronts, × ideal", "ldmatrix wavefront 数（理想值的倍数）"),
    "long_scoreboard_percent": ("long scoreboard, %", "long scoreboard (%)"),
    "fell": ("the stall that fell, %", "下降最多的 stall (%)"),
    "none": ("none by a point or more", "没有超过 1 个百分点的下降"),
    "who": ("kernel", "kernel"),
    "harmonic_mean": ("harmonic mean", "调和平均"),
    "tile": ("tile (queries × keys, warps)", "tile（query × key，warp 数）"),
    "head_dim": ("head dimension", "head 维度"),
    "dtype": ("type", "类型"),
    "shared_bytes": ("shared memory, bytes", "共享内存（字节）"),
    "blocks_per_sm": ("blocks per SM", "每个 SM 的 block 数"),
    "architecture": ("architecture", "架构"),
    "registers_of": ("chapter {}: registers", "第 {} 章：寄存器"),
    "blocks_of": ("blocks per SM", "每个 SM 的 block 数"),
    "tool": ("tool", "工具"),
    "runs": ("kernels", "kernel 数"),
    "clean": ("without a finding", "无问题"),
    "findings": ("with findings", "有问题"),
    "count": ("count", "计数"),
    "gpu": ("GPU", "GPU"),
    "simulator": ("simulator", "模拟器"),
    "equal": ("equal", "是否相等"),
    "yes": ("yes", "是"),
    "no": ("**no**", "**否**"),
    "error_of_tolerance": ("Largest error (tolerance)", "最大误差（容差）"),
    "right": ("right", "正确"),
    "wrong": ("**wrong**", "**错误**"),
    "time": ("ms", "毫秒"),
    "tensor_percent": ("tensor pipe active, %", "tensor 流水线活跃 (%)"),
    "shared_percent": ("shared-memory pipe active, %", "共享内存流水线活跃 (%)"),
    "issue_percent": ("issue slots used, %", "发射槽利用率 (%)"),
    "dram_mb": ("DRAM read + written, MB", "DRAM 读 + 写 (MB)"),
    "l2_mb": ("L2, MB", "L2 (MB)"),
    "cycles_per_instruction": ("cycles per instruction of a warp", "每条 warp 指令的周期数"),
    "property": ("", ""),
    "seed_kernel": ("kernel", "kernel"),
    "seed_percent": ("% of the reference, RTX 3090 (text)", "相对 reference (%)，RTX 3090（原文）"),
    "seed_long_scoreboard": ("long scoreboard, %, RTX 3090 (text)", "long scoreboard (%)，RTX 3090（原文）"),
    "ours_percent": ("% of FlashAttention-2, {}", "相对 FlashAttention-2 (%)，{}"),
    "ours_long_scoreboard": ("long scoreboard, %, {}", "long scoreboard (%)，{}"),
    "alone": ("{} alone", "单独测量 {}"),
    "beside": ("{} in turn with chapter {}", "{} 与第 {} 章交替测量"),
    "difference": ("{} → {}", "{} → {}"),
    "all": ("all", "合计"),
    # Stall reasons keep Nsight Compute's names in both languages: they are what a reader looks for on the screen.
    "stall_long_scoreboard": ("long scoreboard", "long scoreboard"),
    "stall_short_scoreboard": ("short scoreboard", "short scoreboard"),
    "stall_barrier": ("barrier", "barrier"),
    "stall_math_pipe_throttle": ("math pipe", "math pipe"),
    "stall_mio_throttle": ("MIO", "MIO"),
    "stall_wait": ("wait", "wait"),
    "stall_not_selected": ("not selected", "not selected"),
    "stall_selected": ("selected", "selected"),
    "stall_other": ("other", "其他"),
    "ldmatrix_wavefronts": ("wavefronts of ldmatrix", "ldmatrix 的 wavefront"),
    "load_wavefronts": ("wavefronts of ld.shared", "ld.shared 的 wavefront"),
    "store_wavefronts": ("wavefronts of st.shared", "st.shared 的 wavefront"),
    "tensor_instructions": ("mma instructions", "mma 指令"),
    # Chapters, as they name themselves.
    "Base kernel": ("base kernel", "基础 kernel"),
    "Swizzled shared memory": ("swizzled shared memory", "共享内存 swizzle"),
    "K and V loaded ahead": ("K and V loaded ahead", "提前加载 K 和 V"),
    "Fragments loaded between the mmas": ("fragments loaded between the mmas", "在 mma 之间加载 fragment"),
    "Fragments loaded one step ahead": ("fragments loaded one step ahead", "提前一步加载 fragment"),
    # In the plots.
    "plot_tflops": ("TFLOP/s by batches and length", "各 (batch, 长度) 的 TFLOP/s"),
    "plot_percent": ("Speed in % of FlashAttention-2's, timed in turn", "相对 FlashAttention-2 的速度（%，交替测量）"),
    "plot_stalls": ("What warps did, %", "warp 的状态占比（%）"),
    "plot_tiles": ("Tiles: speed in % of FlashAttention-2's", "各 tile 的速度（相对 FlashAttention-2，%）"),
    "plot_tiles_tflops": ("Tiles: TFLOP/s", "各 tile 的 TFLOP/s"),
    "plot_roofline": ("Roofline of DRAM and tensor cores", "DRAM 与 tensor core 的 roofline"),
    "intensity": ("operations per byte of DRAM traffic", "每字节 DRAM 流量的运算次数"),
    "peak": ("tensor cores at the highest clock: {} TFLOP/s", "最高频率下的 tensor core：{} TFLOP/s"),
    "bandwidth": ("DRAM: {} TB/s", "DRAM：{} TB/s"),
    "matrix_product": ("matrix product, measured: {} TFLOP/s", "实测矩阵乘：{} TFLOP/s"),
    # Below the tables.
    "nothing_drawn": ("not measured yet", "尚未测量"),
    "no_gpu": ("No GPU has been recorded yet.", "尚未记录任何 GPU 的结果。"),
    "source": ("From `{}`.", "数据来自 `{}`。"),
    "medians": (
        "Medians of repetitions that took turns with the references; their standard deviation is at most {} %.",
        "与 reference 交替测量的各次重复的中位数；标准差不超过 {} %。",
    ),
    "same_work": (
        "TFLOP/s of the same launches of {} in one run. What ran between them is all that differs.",
        "同一次运行中 {} 的 TFLOP/s：launch 完全相同，只有其间运行的 kernel 不同。",
    ),
    "best_bold": ("The best tile of each column is bold.", "每列中最好的 tile 用粗体标出。"),
    "spills_bold": (
        "Registers of a thread; in bold, + the bytes of local memory of a kernel that spills.",
        "每个线程的寄存器数；发生溢出的 kernel 用粗体标出，+ 后为其局部内存字节数。",
    ),
    "shares": (
        "Shares of what warps did, in per cent: why they could not issue, or that they did (selected).",
        "warp 状态的占比（百分比）：不能发射指令的原因，或正在发射（selected）。",
    ),
    "loop_count": (
        "Instructions of one pass through the main loop, whether or not a branch skips some.",
        "主循环一次迭代中的指令数，包含可能被分支跳过的指令。",
    ),
    "all_equal": ("All {} counts of {} kernels are equal.", "{} 个计数（{} 个 kernel）全部相等。"),
    "some_differ": ("{} of {} counts of {} kernels differ.", "{} / {} 个计数（{} 个 kernel）不相等。"),
    "all_right": ("All {} results are right.", "{} 个结果全部正确。"),
    "some_wrong": ("{} of {} results are wrong.", "{} / {} 个结果错误。"),
    "measured_at": (
        "Measured at {}, {}, tile {} warps, head dimension {}, {} heads.",
        "测量条件：{}，{}，tile 为 {} 个 warp，head 维度 {}，{} 个 head。",
    ),
    "seed_note": (
        "The text gives a share of the long scoreboard for kernels 2 and 3 only.",
        "原文只给出了 kernel 2 和 kernel 3 的 long scoreboard 占比。",
    ),
}


def word(key: str, language: str, *values: object) -> str:
    """The word for a key; the key itself if there is none."""
    if key not in WORDS:
        return key
    return WORDS[key][LANGUAGES.index(language)].format(*values)
