"""Which packages import which, read from the source, and drawn into ARCHITECTURE.md.

python docs/import_graph.py          write the graph between its markers
python docs/import_graph.py --check  exit 1 where it is not up to date
"""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
SRC = ROOT / "src" / "fedfact"
PAGE = ROOT / "ARCHITECTURE.md"
BEGIN, END = "<!-- import graph -->", "<!-- end of import graph -->"

Module = tuple[str, ...]
"""The names that lead to a module from the package: ("federation", "wire", "keys")."""

BASE = ("errors", "extras", "lazy", "arrays", "io", "money", "progress", "results")
"""What everybody may import; drawn as one box, without the arrows to it."""

OPENED = ("federation",)
"""Packages whose own packages are drawn too."""


def module_of(path: Path) -> Module:
    """The module that a file is; a package's ``__init__`` keeps that name."""
    return path.relative_to(SRC).with_suffix("").parts


def imports_of(path: Path) -> Iterator[Module]:
    """Modules of ours that a file imports, wherever in the file it does."""
    here = module_of(path)[:-1]
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.level:
            above = here[: len(here) - node.level + 1]
            base = (*above, *(node.module.split(".") if node.module else ()))
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "fedfact":
            base = tuple(node.module.split(".")[1:]) if node.module else ()
        else:
            continue
        for alias in node.names:
            yield (*base, alias.name) if _is_module((*base, alias.name)) else base


def _is_module(module: Module) -> bool:
    path = SRC.joinpath(*module)
    return path.is_dir() or path.with_suffix(".py").is_file()


def all_imports() -> dict[Module, set[Module]]:
    """What every module of ours imports."""
    return {module_of(path): set(imports_of(path)) for path in sorted(SRC.rglob("*.py"))}


def children(package: Module, imports: dict[Module, set[Module]]) -> dict[str, set[str]]:
    """Which of a package's own modules and packages import which others of them."""
    depth = len(package)
    graph: dict[str, set[str]] = {}
    for module, imported in imports.items():
        if module[:depth] != package or len(module) == depth or module[depth] == "__init__":
            continue
        found = graph.setdefault(module[depth], set())
        found |= {other[depth] for other in imported if other[:depth] == package != other}
        found.discard(module[depth])
    return graph


def mermaid() -> str:
    """The graph of the packages, from the top down; an arrow points to what is imported.

    An arrow that follows from others is left out.
    """
    imports = all_imports()
    top = {
        name: {other for other in others if other not in BASE and not other.startswith("_")}
        for name, others in children((), imports).items()
        if name not in BASE and not name.startswith("_")
    }
    lines = ["```mermaid", "graph TD"]
    lines += [f"  {name} --> {other}" for name, other in _arrows(top)]
    for package in OPENED:
        lines.append(f'  subgraph in_{package}["{package}/"]')
        inside = children((package,), imports)
        lines += [f"    {a} --> {b}" for a, b in _arrows(inside)]
        lines.append("  end")
    lines += [f'  base["{", ".join(BASE)}"]', "```"]
    return "\n".join(lines)


def _arrows(graph: dict[str, set[str]]) -> list[tuple[str, str]]:
    """The arrows that do not follow from others."""
    return [
        (name, other)
        for name in sorted(graph)
        for other in sorted(graph[name])
        if not any(other in reached(graph, via) for via in graph[name] - {other})
    ]


def reached(graph: dict[str, set[str]], start: str) -> set[str]:
    """All that is imported from here, also by way of others."""
    found: set[str] = set()
    ahead = [start]
    while ahead:
        for other in graph.get(ahead.pop(), ()):
            if other not in found:
                found.add(other)
                ahead.append(other)
    return found


def drawn_in(text: str) -> str:
    """The page with the graph as it is now."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise SystemExit(f"{PAGE.name}: write {BEGIN} and {END} where the graph belongs")
    return f"{before}{BEGIN}\n{mermaid()}\n{END}{after}"


def main() -> None:
    """Write the graph, or only say whether it is up to date."""
    text = PAGE.read_text()
    now = drawn_in(text)
    if "--check" in sys.argv:
        raise SystemExit(int(now != text))
    PAGE.write_text(now)


if __name__ == "__main__":
    main()
