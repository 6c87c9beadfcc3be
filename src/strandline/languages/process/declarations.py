"""Symbols of a program: constants, processes, networks, imported components.

All are checked before any component is expanded, so that mistakes in unreachable branches are found.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NoReturn

from strandline.errors import ModelError, suggestion
from strandline.languages.process.names import (
    binders,
    composition_names,
    expression_names,
    free_names,
    label_names,
    subcompositions,
    subterms,
)
from strandline.languages.process.syntax import (
    Binder,
    Call,
    Definition,
    Import,
    Member,
    NetworkDefinition,
    Parameter,
    ProcessDefinition,
    Program,
)
from strandline.languages.process.values import Evaluator
from strandline.source import Source, Span

_KINDS = {ProcessDefinition: "a process", NetworkDefinition: "a network", Import: "an imported component"}


class Declarations:
    """The symbol tables of a program; raises `ModelError` at the first mistake."""

    def __init__(self, source: Source, program: Program, given: Mapping[str, int] | None = None) -> None:
        """Check the program; `given` has values that replace those of some constants."""
        self.source = source
        self.constants = self._constants(program, given or {})
        self.definitions: dict[str, Definition] = {}
        for definition in program.definitions:
            if definition.name in self.definitions:
                self._fail(f"'{definition.name}' is {self.kind(definition.name)} already", definition.span)
            self.definitions[definition.name] = definition
        self.processes = {one.name: one for one in program.definitions if isinstance(one, ProcessDefinition)}
        for definition in program.definitions:
            self._check(definition)
        self._check_composition(NetworkDefinition("system", (), program.system, Span(0, 0)))

    def kind(self, name: str) -> str:
        """Return the kind of a declared name, with its article."""
        return _KINDS[type(self.definitions[name])]

    def _fail(self, message: str, span: Span) -> NoReturn:
        raise ModelError(message, self.source, span)

    def _constants(self, program: Program, given: Mapping[str, int]) -> dict[str, int]:
        evaluator = Evaluator(self.source)
        found: dict[str, int] = {}
        for constant in program.constants:
            if constant.name in found:
                self._fail(f"'{constant.name}' is a constant already", constant.span)
            value = evaluator.value(constant.value, found)
            found[constant.name] = given.get(constant.name, value)
        return found

    def _check(self, definition: Definition) -> None:
        match definition:
            case ProcessDefinition(body=body, alphabet=alphabet):
                self._check_parameters(definition.parameters)
                self._check_known(label_names(alphabet), _names(definition))
                self._check_known(free_names(body), _names(definition))
                for part in subterms(body):
                    self._check_binders(binders(part))
                    if isinstance(part, Call):
                        self._check_process(part)
            case NetworkDefinition():
                self._check_parameters(definition.parameters)
                self._check_composition(definition)
            case Import():
                pass

    def _check_composition(self, definition: NetworkDefinition) -> None:
        self._check_known(composition_names(definition.body), _names(definition))
        for part in subcompositions(definition.body):
            self._check_binders(binders(part))
            if isinstance(part, Member):
                self._check_member(part.call)

    def _check_parameters(self, parameters: tuple[Parameter, ...]) -> None:
        seen: set[str] = set()
        for parameter in parameters:
            if parameter.name in seen:
                self._fail(f"parameter '{parameter.name}' is declared twice", parameter.span)
            self._check_free(parameter.name, parameter.span)
            for bound in (parameter.low, parameter.high):
                if bound is not None:
                    self._check_known({one.text: one.span for one in expression_names(bound)}, seen)
            seen.add(parameter.name)

    def _check_binders(self, found: Iterable[Binder]) -> None:
        for binder in found:
            if binder.name is not None:
                self._check_free(binder.name, binder.span)

    def _check_free(self, name: str, span: Span) -> None:
        if name in self.constants:
            self._fail(f"'{name}' is a constant already", span)

    def _check_known(self, names: Mapping[str, Span], parameters: Iterable[str]) -> None:
        known = {*self.constants, *parameters}
        for name, span in names.items():
            if name not in known:
                self._fail(f"unknown name '{name}'" + suggestion(name, known), span)

    def _check_process(self, call: Call) -> None:
        if call.name not in self.processes:
            if call.name in self.definitions:
                self._fail(f"'{call.name}' is {self.kind(call.name)}, and a process cannot become one", call.span)
            self._fail(f"unknown process '{call.name}'" + suggestion(call.name, self.processes), call.span)
        self._check_arguments(call, len(self.processes[call.name].parameters))

    def _check_member(self, call: Call) -> None:
        definition = self.definitions.get(call.name)
        if definition is None:
            message = f"unknown component '{call.name}'" + suggestion(call.name, self.definitions)
            self._fail(message, call.span)
        self._check_arguments(call, 0 if isinstance(definition, Import) else len(definition.parameters))

    def _check_arguments(self, call: Call, wanted: int) -> None:
        if len(call.arguments) != wanted:
            expected = f"{wanted} argument{'' if wanted == 1 else 's'}"
            self._fail(f"'{call.name}' takes {expected}, not {len(call.arguments)}", call.span)


def _names(definition: ProcessDefinition | NetworkDefinition) -> list[str]:
    return [parameter.name for parameter in definition.parameters]
