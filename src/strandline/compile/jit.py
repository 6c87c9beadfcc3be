"""IR text -> machine code in this process, by llvmlite."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import llvmlite.binding as llvm


@dataclass(frozen=True, eq=False)
class MachineCode:
    """A compiled module; its addresses are valid as long as this object lives."""

    engine: llvm.ExecutionEngine

    def function(self, name: str) -> int:
        """The address of a function."""
        return self._known(name, self.engine.get_function_address(name))

    def variable(self, name: str) -> int:
        """The address of a global variable."""
        return self._known(name, self.engine.get_global_value_address(name))

    def _known(self, name: str, address: int) -> int:
        assert address, f"the module has no '{name}'"
        return address


@cache
def _initialise() -> None:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()


_HEAVY = 1 << 20
"""Characters of a module above which optimising costs seconds, which most searches never earn back."""


def machine_code(text: str) -> MachineCode:
    """Compile a module. Heavy ones get only the passes that pay at once."""
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
    engine = llvm.create_mcjit_compiler(module, target)
    engine.finalize_object()
    return MachineCode(engine)
