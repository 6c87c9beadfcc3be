"""Random models in LOTUS with formulas of ACTL, of ECTL or of neither, for comparing methods."""

from __future__ import annotations

from random import Random

_PATHS = ("X", "F", "G")
_KINDS = ("A", "E", "AE")
"""The path quantifiers of a formula."""


def random_lotus(random: Random, *, fair: float = 0.4, formulas: int = 1) -> str:
    """A text whose SPEC has so many formulas. Most variables occur in none, so that abstraction has something to do."""
    sizes = [random.randint(2, 3) for _ in range(random.randint(2, 4))]
    names = [f"v{number}" for number in range(len(sizes))]
    types = "".join(f"  t{number} : 0..{size - 1};\n" for number, size in enumerate(sizes))
    variables = "".join(f"  t{number} {name};\n" for number, name in enumerate(names))

    def equation(name: str) -> str:
        return f"{name}={random.randrange(sizes[names.index(name)])}"

    def some(least: int) -> str:
        chosen = random.sample(names, random.randint(least, min(2, len(names))))
        return ", ".join(equation(name) for name in chosen)

    initial = "".join(f"  {', '.join(map(equation, names))};\n" for _ in range(random.randint(1, 3)))
    edges = "".join(f"  {some(1)} => {some(1)};\n" for _ in range(random.randint(2, 9)))
    seen = random.sample(names, random.randint(1, 2))
    fairness = f"FAIRNESS {equation(random.choice(names))}\n" if random.random() < fair else ""

    def formula() -> str:
        return _formula(random, random.randint(2, 6), random.choice(_KINDS), lambda: equation(random.choice(seen)))

    stated = ";\n".join(f"  CTLSPEC {formula()}" for _ in range(formulas))
    return f"DEFINE\n{types}MODULE\nVAR\n{variables}INIT\n{initial}TRANS\n{edges}{fairness}SPEC\n{stated}\n"


def _formula(random: Random, size: int, quantifiers: str, proposition: object) -> str:
    """Negations stand before propositions alone, so that the quantifiers are those of the formula."""
    assert callable(proposition)
    if size <= 1:
        return random.choice(("", "!")) + f"({proposition()})"
    if size > 2 and random.random() < 0.3:
        left = random.randint(1, size - 2)
        parts = [_formula(random, part, quantifiers, proposition) for part in (left, size - 1 - left)]
        return f"({parts[0]} {random.choice('&|')} {parts[1]})"
    quantifier = random.choice(quantifiers)
    if size > 2 and random.random() < 0.4:
        left = random.randint(1, size - 2)
        parts = [_formula(random, part, quantifiers, proposition) for part in (left, size - 1 - left)]
        return f"{quantifier}[{parts[0]} {random.choice('URWM')} {parts[1]}]"
    return f"{quantifier}{random.choice(_PATHS)}({_formula(random, size - 1, quantifiers, proposition)})"
