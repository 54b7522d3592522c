import unittest

import fixture  # noqa: F401  (finds the tools)
import sass
from measuring.files import Failure
from measuring.kernels import DEFAULT_TILE
from measuring.sass_groups import group_of

NAME = "_ZN4_GLOB17attention_forwardINS_6ConfigIN6device4HalfELi128ELi64ELi64ELi4EEEEEvNS2_18AttentionArgumentsE"


def disassembly(*lines: str) -> str:
    """As cuobjdump prints it: an instruction every 16 bytes, each followed by the upper half of its encoding."""
    text = f"\n\t.target\tsm_90\n\n\t\tFunction : {NAME}\n"
    for index, line in enumerate(lines):
        text += f"        /*{16 * index:04x}*/                   {line} ;      /* 0x00000a00ff017b82 */\n"
        text += "                                                          /* 0x000fe20000000800 */\n"
    return text


# One outer loop from 0x10 to 0xb0 around an inner one, and a loop with no HMMA behind them.
CODE = (
    "LDC R1, c[0x0][0x28]",  # 0x00
    "@!PT LDS RZ, [RZ]",  # 0x10, the outer loop
    "LDSM.16.M88.4 R4, [R8]",
    "HMMA.16816.F32 R20, R4, R8, R20",  # 0x30, the inner loop
    "HMMA.16816.F32 R24, R4, R8, R24",
    "@P1 BRA 0x30",
    "IMAD.MOV.U32 R3, RZ, RZ, R2",
    "IMAD.IADD R3, R3, 0x1, R2",
    "@P0 LDGSTS.E.BYPASS.128 [R2], desc[UR4][R6.64]",
    "MUFU.EX2 R9, R9",
    "HMMA.16816.F32 R28, R4, R8, R28",
    "@!P0 BRA 0x10",  # 0xb0
    "FADD R1, R1, R2",
    "@P0 BRA 0xc0",  # 0xd0
    "BRA 0xe0",
)


class Disassembly(unittest.TestCase):
    def test_reads_opcodes_and_targets_and_skips_encodings(self) -> None:
        instructions = sass.parse_instructions(sass.functions(disassembly(*CODE))[NAME])
        self.assertEqual(len(instructions), len(CODE))
        self.assertEqual(instructions[3], sass.Instruction(0x30, "HMMA.16816.F32", None))
        self.assertEqual(instructions[11], sass.Instruction(0xB0, "BRA", 0x10))

    def test_takes_what_never_executes_for_a_no_op(self) -> None:
        instructions = sass.parse_instructions(sass.functions(disassembly(*CODE))[NAME])
        self.assertEqual(instructions[1].opcode, "NOP")
        self.assertEqual(instructions[8].opcode, "LDGSTS.E.BYPASS.128")

    def test_the_main_loop_is_the_one_with_the_most_hmma(self) -> None:
        loop = sass.main_loop(sass.parse_instructions(sass.functions(disassembly(*CODE))[NAME]))
        self.assertEqual((loop[0].address, loop[-1].address), (0x10, 0xB0))

    def test_of_loops_with_as_many_hmma_it_is_the_shortest(self) -> None:
        code = ("NOP", "HMMA.16816.F32 R20, R4, R8, R20", "@P0 BRA 0x10", "@P1 BRA 0x0")
        loop = sass.main_loop(sass.parse_instructions(sass.functions(disassembly(*code))[NAME]))
        self.assertEqual(len(loop), 2)

    def test_counts_by_group(self) -> None:
        (row,) = sass.rows_of(disassembly(*CODE), "3", 90, "13.0.88")
        counts = {
            name: row[name] for name in ("HMMA", "LDSM", "LDGSTS", "MUFU", "integer", "moves", "no-ops", "branches")
        }
        expected = dict(zip(counts, ("3", "1", "1", "1", "1", "1", "1", "2"), strict=True))
        self.assertEqual(counts, expected)
        self.assertEqual(row["all"], "11")
        self.assertEqual(row["other"], "0")

    def test_refuses_a_kernel_without_a_main_loop(self) -> None:
        with self.assertRaisesRegex(Failure, "has no loop with an HMMA"):
            sass.rows_of(disassembly("NOP", "BRA 0x0"), "3", 90, "13.0.88")

    def test_refuses_a_disassembly_without_kernels(self) -> None:
        with self.assertRaisesRegex(Failure, "has no kernel"):
            sass.rows_of("", "3", 90, "13.0.88")


class DoublePrecision(unittest.TestCase):
    def test_is_found_outside_of_the_loop_too(self) -> None:
        for line in ("DMUL R2, R2, R4", "@P0 DFMA R2, R2, R4, R6", "DADD R2, -RZ, R4", "F2F.F64.F32 R2, R1"):
            (row,) = sass.rows_of(disassembly(*CODE, line), "3", 90, "13.0.88")
            self.assertEqual(row["double"], "1", line)
            with self.assertRaisesRegex(Failure, "double-precision instructions in chapter3 fp16 d128 64x64x4 sm_90"):
                sass.complain_of_double([row])

    def test_is_not_seen_where_there_is_none(self) -> None:
        rows = sass.rows_of(disassembly(*CODE, "DEPBAR.LE SB0, 0x0", "F2FP.F16.F32.PACK_AB R1, R2, R3"), "3", 90, "13")
        sass.complain_of_double(rows)


class Groups(unittest.TestCase):
    def test_tell_moves_from_arithmetic(self) -> None:
        groups = {"IMAD.MOV.U32": "moves", "IMAD.WIDE": "integer", "LDL.LU": "local", "FSETP.GT.AND": "other"}
        for opcode, group in groups.items():
            self.assertEqual(group_of(opcode), group)


class Report(unittest.TestCase):
    def test_shows_the_difference_of_each_step(self) -> None:
        before = sass.rows_of(disassembly(*CODE), "3", 90, "13.0.88")
        more = ("NOP", "LDSM.16.M88.4 R4, [R8+0x200]", *CODE[1:])  # the branches now jump one instruction further up
        after = sass.rows_of(disassembly(*more), "4", 90, "13.0.88")
        text = sass.report([*before, *after], 90, "fp16", 128, DEFAULT_TILE)
        difference = next(line for line in text.splitlines() if line.startswith("3 -> 4"))
        self.assertIn("+1", difference)
        self.assertEqual(difference.count("+1"), 2)
        self.assertNotIn("same machine code", text)

    def test_names_chapters_with_the_same_machine_code(self) -> None:
        code = disassembly(*CODE)
        texts = {"2": code.replace("0x000fe20000000800", "0x000fe40000000800"), "3": code, "4": code, "5": code}
        rows = [row for chapter, text in texts.items() for row in sass.rows_of(text, chapter, 90, "13.0.88")]
        text = sass.report(rows, 90, "fp16", 128, DEFAULT_TILE)
        self.assertEqual(text.splitlines()[-1], "the same machine code: chapters 3, 4, 5")


if __name__ == "__main__":
    unittest.main()
