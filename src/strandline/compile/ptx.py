"""Compile LLVM IR to PTX, the assembly language of NVIDIA GPUs, by llvmlite; needs no GPU and no NVIDIA package."""

from __future__ import annotations

from functools import cache

import llvmlite.binding as llvm

_TRIPLE = "nvptx64-nvidia-cuda"
_HEAVY = 1 << 17
"""Characters of a module above which more than one optimisation pass takes seconds."""
_MEMCPY = "@llvm.memcpy.p0.p0.i64"
_COPY = """
define internal void @copy_words(ptr noalias %to, ptr noalias readonly %from, i64 %size, i1 %volatile) nounwind {
  %some = icmp ne i64 %size, 0
  br i1 %some, label %word, label %end
word:
  %at = phi i64 [0, %0], [%next, %word]
  %source = getelementptr i8, ptr %from, i64 %at
  %target = getelementptr i8, ptr %to, i64 %at
  %value = load i64, ptr %source, align 8
  store i64 %value, ptr %target, align 8
  %next = add i64 %at, 8
  %more = icmp ult i64 %next, %size
  br i1 %more, label %word, label %end
end:
  ret void
}
"""
"""Copies states word by word; LLVM's expansion of memcpy for this target copies bytes."""


@cache
def _initialise() -> None:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()


def ptx(text: str, architecture: str) -> str:
    """Compile a module for an architecture such as sm_90.

    An architecture that LLVM does not know is replaced by the latest one that it knows, since PTX is forward
    compatible.
    """
    _initialise()
    lines = [line for line in text.split("\n") if not (line.startswith("declare") and _MEMCPY in line)]
    words = "\n".join(lines).replace(_MEMCPY, "@copy_words")
    module = llvm.parse_assembly(f'target triple = "{_TRIPLE}"\n{words}\n{_COPY}')
    module.verify()
    heavy = len(text) > _HEAVY
    target = llvm.Target.from_triple(_TRIPLE).create_target_machine(cpu=architecture, opt=1 if heavy else 2)
    tuning = llvm.create_pipeline_tuning_options(speed_level=1 if heavy else 2)
    tuning.loop_unrolling = False
    builder = llvm.create_pass_builder(target, tuning)
    builder.getModulePassManager().run(module, builder)
    return str(target.emit_assembly(module))
