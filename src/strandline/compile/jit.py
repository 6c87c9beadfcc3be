"""Compile LLVM IR to machine code in this process, by llvmlite."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

import llvmlite.binding as llvm


@dataclass(frozen=True, eq=False)
class MachineCode:
    """A compiled module; its addresses are valid as long as this object lives."""

    engine: llvm.ExecutionEngine

    def function(self, name: str) -> int:
        """Return the address of a function."""
        return self._require_address(name, self.engine.get_function_address(name))

    def variable(self, name: str) -> int:
        """Return the address of a global variable."""
        return self._require_address(name, self.engine.get_global_value_address(name))

    def _require_address(self, name: str, address: int) -> int:
        assert address, f"the module has no '{name}'"
        return address


@cache
def _initialise() -> None:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()


_HEAVY = 1 << 20
"""Characters of a module above which full optimisation takes seconds, more than most searches gain."""


def object_code(text: str) -> bytes:
    """Compile a module to object code that can be linked repeatedly.

    Large modules get only the cheap passes.
    """
    module, target = _optimise(text)
    code: bytes = target.emit_object(module)
    return code


def machine_code(text: str, objects: Iterable[bytes] = ()) -> MachineCode:
    """Compile a module and link it with the object code of functions that it calls."""
    module, target = _optimise(text)
    engine = llvm.create_mcjit_compiler(module, target)
    for one in objects:
        engine.add_object_file(llvm.ObjectFileRef.from_data(one))
    engine.finalize_object()
    return MachineCode(engine)


def _optimise(text: str) -> tuple[llvm.ModuleRef, llvm.TargetMachine]:
    _initialise()
    heavy = len(text) > _HEAVY
    module = llvm.parse_assembly(text)
    module.verify()
    target = llvm.Target.from_default_triple().create_target_machine(
        opt=1 if heavy else 2,
        cpu=llvm.get_host_cpu_name(),
        features=llvm.get_host_cpu_features().flatten(),
    )
    passes = llvm.create_new_module_pass_manager()
    passes.add_sroa_pass()
    if not heavy:
        passes.add_instruction_combine_pass()
    passes.add_simplify_cfg_pass()
    passes.run(module, llvm.create_pass_builder(target, llvm.create_pipeline_tuning_options()))
    return module, target
