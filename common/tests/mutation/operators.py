"""The faults that the mutation suite plants, each a pattern in the chapters' sources.

An operator finds all the places where its fault can be planted, so a new barrier in a chapter is a new mutant without a
change here. No mutation changes the number of lines: what the simulator says of a mutant names the chapter's lines.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

Files = dict[str, str]  # the sources of a chapter by name


@dataclass(frozen=True)
class Mutation:
    """One fault: `file` is replaced by `text`, which differs from the chapter's from `line` on."""

    file: str
    line: int
    source: str  # that line of the chapter, without the space around it
    text: str


@dataclass(frozen=True)
class Operator:
    """A kind of fault."""

    name: str
    find: Callable[[Files], Iterator[Mutation]]


def _mutation(file: str, text: str, begin: int, end: int, replacement: str) -> Mutation:
    """Replaces text[begin:end], which may span lines, by one line and as many empty ones."""
    lost = text[begin:end].count("\n") - replacement.count("\n")
    assert lost >= 0, f"{replacement!r} has more lines than it replaces"
    changed = text[:begin] + replacement + "\n" * lost + text[end:]
    line = text.count("\n", 0, begin) + 1
    return Mutation(file, line, text.splitlines()[line - 1].strip(), changed)


def _replace(name: str, pattern: str, replacement: str, after: str = "") -> Operator:
    """Replaces each match of a pattern in turn. `after`: only behind this text, in the files that have it."""
    expression = re.compile(pattern, re.MULTILINE)

    def find(files: Files) -> Iterator[Mutation]:
        for file, text in files.items():
            start = text.find(after)
            for match in expression.finditer(text, max(start, 0)):
                if start >= 0:
                    yield _mutation(file, text, match.start(), match.end(), match.expand(replacement))

    return Operator(name, find)


def _remove(name: str, pattern: str) -> Operator:
    return _replace(name, pattern, "")


# --- The swizzle -----------------------------------------------------------------------------------------------------

_LINEAR = r"(\2 + ((\3) * Config::kHeadDim + (\4)) * 2)"  # the address that chapter 1 computes
_ADDRESS_CALL = re.compile(r"(tile|step)_address<Config>\(([^(),]+), ([^(),]+), ([^(),]+)\)")
_ADDRESS_BODY = re.compile(r"\w+_address\(device::SharedAddress (\w+), int row, int column\) \{\n  return ([^;]*);")

# The sides that must agree about where a chunk lies: from here to there in tile.cuh.
_SIDES = {
    "copies in": ("struct TileCopy", "\n};"),
    "ldmatrix": ("struct Operand", "\n};"),
    "O's stores": ("void store_output", "sync_warp"),
    "O's loads": ("sync_warp", "\n}"),
}


def _swizzled(text: str) -> bool:
    return any("^" in body for _, body in _ADDRESS_BODY.findall(text))


def _one_call_unswizzled(files: Files) -> Iterator[Mutation]:
    for file, text in files.items():
        for match in _ADDRESS_CALL.finditer(text) if _swizzled(text) else ():
            yield _mutation(file, text, match.start(), match.end(), match.expand(_LINEAR))


def _side_unswizzled(side: str) -> Operator:
    first, last = _SIDES[side]

    def find(files: Files) -> Iterator[Mutation]:
        for file, text in files.items():
            if _swizzled(text) and first in text:
                begin = text.index(first)
                end = text.index(last, begin)
                yield _mutation(file, text, begin, end, _ADDRESS_CALL.sub(_LINEAR, text[begin:end]))

    return Operator(f"no swizzle in {side}", find)


def _unswizzled(files: Files) -> Iterator[Mutation]:
    for file, text in files.items():
        if _swizzled(text):
            linear = _ADDRESS_BODY.sub(
                lambda body: body[0].replace(body[2], f"{body[1]} + (row * Config::kHeadDim + column) * 2"), text
            )
            body = _ADDRESS_BODY.search(text)
            assert body is not None
            line = text.count("\n", 0, body.start(2)) + 1
            yield Mutation(file, line, f"return {body[2]};", linear)


_SWIZZLE = [
    *(_side_unswizzled(side) for side in _SIDES),
    Operator("no swizzle at all", _unswizzled),
    Operator("no swizzle in one address", _one_call_unswizzled),
    _replace("swizzle over 4 rows, not 8", r"row % 8 \* 16", "row % 4 * 16"),
    _replace("swizzle of half the chunks", r"\^ row \* 16\) % 128", "^ row * 16) % 64"),
]

# --- Copies, waits and barriers --------------------------------------------------------------------------------------

_BARRIER = r"device::sync_(?:threads|warp)\(\);"
_WARP = "device::warp_index() > 0"
_LANE = "device::lane_index() > 0"
_COMMENTS = r"[^\n]*\n(?:\s*//[^\n]*\n)*\s*"  # the rest of a line and lines of comment
_COPY = re.compile(r"(?:(if \([^\n]*\)) \{\s*)?(\w+\.copy_global_to_shared\(\);)")


def _copy_before_barrier(files: Files) -> Iterator[Mutation]:
    """Each copy that is started in the loop, moved over the barrier before it."""
    text = files["kernel.cuh"]
    loop = text.index("for (int first_key")
    for copy in _COPY.finditer(text, loop):
        barrier = text.rfind("device::sync_threads();", loop, copy.start())
        if barrier >= 0:
            moved = " ".join(filter(None, copy.groups()))
            between = text[barrier : copy.start(2)]
            yield _mutation("kernel.cuh", text, barrier, copy.end(), f"{moved} {between}")


_SYNCHRONISATION = [
    _remove("barrier removed", _BARRIER),
    _replace("a warp's barrier for the block's", r"device::sync_threads\(\);", "device::sync_warp();"),
    _replace("barrier that a warp goes around", r"device::sync_threads\(\);", f"if ({_WARP}) device::sync_threads();"),
    _replace("barrier that a lane goes around", r"device::sync_warp\(\);", f"if ({_LANE}) device::sync_warp();"),
    _remove("wait removed", r"device::cp_async_wait<\d+>\(\);"),
    _remove("commit removed", r"device::cp_async_commit\(\);"),
    _remove("copy removed", r"\w+\.copy_global_to_shared\(\);"),
    _replace("wait for one group less", r"cp_async_wait<(\d+)>", r"cp_async_wait<\1 + 1>"),
    _replace("wait for one group more", r"cp_async_wait<([1-9]\d*)>", r"cp_async_wait<\1 - 1>"),
    _replace("wait behind the barrier", rf"(device::cp_async_wait<\d+>\(\);)({_COMMENTS})({_BARRIER})", r"\3\2\1"),
    Operator("copy before the barrier", _copy_before_barrier),
    _replace("prefetch without guard", r"first_key \+ kBlockKv < arguments\.seq_kv;", "true;"),
    _replace("prefetch one tile too many", r"(first_key \+ kBlockKv) < (arguments\.seq_kv)", r"\1 <= \2"),
]

# --- Which tile, which rows ------------------------------------------------------------------------------------------

_PLACES = [
    _replace("V's place for K", r"\bshared_k\b(?! =)", "shared_v"),
    _replace("K's place for V", r"\bshared_v\b(?! =)", "shared_k"),
    _replace("V for K", r"arguments\.k\b", "arguments.v"),
    _replace("K for V", r"arguments\.v\b", "arguments.k"),
    _replace("tile without a place", r"(kShared\w+ = kShared\w+) \+ kBlock\w+ \* kRowBytes", r"\1"),
    _replace("every warp reads Q's first rows", r" \+ warp_row \* Config::kRowBytes", ""),
    _replace("every warp writes O's first rows", r"first_row \+ warp_row\)", "first_row)"),
    _replace("every block takes the first tile", r"\(first_row \+ row\)", "row"),
    _replace("last key tile left out", r"first_key < arguments\.seq_kv; ", "first_key + kBlockKv < arguments.seq_kv; "),
    _remove("no step to the next rows", r"\b(?:source|destination) \+= [^;]*;"),
    _replace("the same columns again", r"source \+ column\)", "source)"),
]

# --- Fragments and matrix products -----------------------------------------------------------------------------------

_FRAGMENTS = [
    _remove("fragments not loaded", r"^ *\w+\.copy_shared_to_registers\([^)]*\);"),
    _replace("fragments of the first columns", r"(\bcopy_shared_to_registers)\(k[^)]*\);", r"\1(0);"),
    _replace("fragments out of order", r"(ldmatrix_x4(?:_trans)?\(\w+), (\w+), (\w+)", r"\1, \3, \2"),
    _replace("ldmatrix not transposed", r"ldmatrix_x4_trans", "ldmatrix_x4"),
    _replace("ldmatrix transposed", r"ldmatrix_x4\(", "ldmatrix_x4_trans("),
    _replace("K's lanes named as Q's", r"kKind == kB \?", "kKind == kA ?"),
    _replace("a fragment used twice", r"(\.fragment\([^)]*) \+ 1", r"\1"),
    _replace("fragments prefetched past the end", r"if \(k \+ (\w+)::kAhead < [^\n]*\) \{", "if (true) {"),
    _replace("stage never flipped", r"return k / 2 % kStages", "return 0"),
    _replace(
        "stage flipped where fragments are loaded",
        r"= fragment\((row(?: \+ 1)?), (k(?: \+ 1)?)\)",
        r"= fragments[(stage(\2) + 1) % kStages][\1][(\2) % kHeld]",
        after="int stage(int k)",
    ),
    _replace("stage flipped where fragments are used", r"(b\.fragment\(n, k)", r"\1 + 2", after="kAhead"),
]

# --- Softmax and output ----------------------------------------------------------------------------------------------

_SOFTMAX = [
    _remove("no rescale", r"[\w\[\]]+ \*= rescale;"),
    _remove("maximum not kept", r"^ *maximum\[row\] = largest;"),
    _replace("maximum of a few lanes", r"device::maximum\(largest, device::shuffle_xor<\d>\(largest\)\)", "largest"),
    _remove("sum of a few lanes", r"sum\[row\] \+= device::shuffle_xor<\d>\(sum\[row\]\);"),
    _replace("maximum begins at 0", "-FLT_MAX", "0.0f"),
    _replace("maximum begins at -inf", "-FLT_MAX", "-__builtin_inff()"),
    _replace("no vote on the rescale", r"device::any\(([^()]*)\)", r"(\1)"),
    _replace("maximum not scaled", r"-largest \* scale_log2", "-largest"),
    _replace("not divided by the sum", r"1\.0f / sum\[row\]", "1.0f"),
    _replace("O's pairs all in one place", r" \+ lane % 4 \* 4", ""),
]

OPERATORS = [*_SYNCHRONISATION, *_SWIZZLE, *_PLACES, *_FRAGMENTS, *_SOFTMAX]
