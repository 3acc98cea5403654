"""Options that several commands share, and the layers of rule data they stand for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

if TYPE_CHECKING:
    from fable_solve.solver.result import Answer
    from fable_solve.solver.rules import Layer, RuleData

F = TypeVar("F", bound=Callable[..., Any])

MAX_SEED = 2**63 - 1


FORMATS = ("table", "json", "csv")


def format_option(command: F, formats: Sequence[str] = FORMATS) -> F:
    """``--format``, passed as ``output``, and ``--lang``, which is chosen at once."""
    shown = click.option(
        "--format",
        "output",
        type=click.Choice(formats),
        default=formats[0],
        show_default=True,
        help="How to print the answer.",
    )
    return shown(lang_option(command))


def lang_option(command: F) -> F:
    return click.option(
        "--lang",
        type=click.Choice(["en", "fr"]),
        default="en",
        show_default=True,
        expose_value=False,
        callback=_choose,
        help="Language of tables and reports (JSON and CSV have one only).",
    )(command)


def language_option() -> str:
    """What a command line needs to be answered in the language of this one: `` --lang fr``, or nothing."""
    from fable_solve.reports.language import current
    from fable_solve.reports.phrases import ENGLISH

    code = current().code
    return "" if code == ENGLISH else f" --lang {code}"


def _choose(ctx: click.Context, _param: click.Parameter, code: str) -> None:
    """Speak ``code`` until the command has ended; English needs nothing loaded."""
    if code != "en":
        from fable_solve.reports.language import speaking

        ctx.with_resource(speaking(code))


def is_given(option: str) -> bool:
    """Whether the command line being run names an option."""
    ctx = click.get_current_context()
    named = [param.name for param in ctx.command.params if option in param.opts]
    return any(ctx.get_parameter_source(str(name)) is ParameterSource.COMMANDLINE for name in named)


def expect_none(beside: str, *options: str) -> None:
    """Refuses options that were given although they say nothing ``beside`` what else was."""
    for option in filter(is_given, options):
        raise click.UsageError(f"{option}: expected none beside {beside}, got both")


def finite(_ctx: click.Context, param: click.Parameter, value: float | None) -> float | None:
    """Refuses endless numbers and those that are none."""
    if value is not None and not isfinite(value):
        raise click.BadParameter(f"expected a finite number, got {value}", param=param)
    return value


def folder_name(_ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    """Checks the value of ``--out``: a folder, or ``-`` for none."""
    if value == "":
        raise click.BadParameter("expected a folder or -, got ''", param=param)
    return value


def seed_option(command: F) -> F:
    return click.option(
        "--seed",
        type=click.IntRange(0, MAX_SEED),
        default=0,
        show_default=True,
        help="Seed of everything drawn at random.",
    )(command)


def rules_options(command: F) -> F:
    """``--rules``, ``--set``, ``--mode`` and ``--chain-rule``, passed as one ``RuleOptions``."""
    decorators = [
        click.option(
            "--rules", "rules_file", metavar="FILE.toml", help="Rule data laid over the shipped data."
        ),
        click.option(
            "--set",
            "settings",
            multiple=True,
            metavar="KEY=VALUE",
            help="One value of the rule data (repeatable).",
        ),
        click.option(
            "--mode", metavar="MODE", help="Mode of a game that has several (Cigale: automne, hiver)."
        ),
        click.option("--chain-rule", metavar="RULE", help="Cigale: touching, connected, path or strict."),
    ]
    for decorator in reversed(decorators):
        command = decorator(command)
    return command


@dataclass(frozen=True)
class RuleOptions:
    """The rule-data options of one call, as the user gave them."""

    rules_file: str | None = None
    settings: tuple[str, ...] = ()
    mode: str | None = None
    chain_rule: str | None = None

    @cached_property
    def before(self) -> list[Layer]:
        """Layers under a position's own ``[rules]``; the file is read once."""
        from fable_solve.solver.documents import read_document
        from fable_solve.solver.rules import Layer

        if self.rules_file is None:
            return []
        values, source = read_document(self.rules_file)
        return [Layer(source, values)]

    def after(self) -> list[Layer]:
        """Layers over a position's own ``[rules]``."""
        from fable_solve.solver.rules import Layer, parse_setting

        layers = [parse_setting(text) for text in self.settings]
        if self.chain_rule is not None:
            if any("chain_rule" in layer.values for layer in layers):
                raise click.UsageError("expected --chain-rule or --set chain_rule=..., got both")
            layers.append(Layer("--chain-rule", {"chain_rule": self.chain_rule}))
        return layers

    def data(self, game: str, settings: Iterable[str] = (), option: str = "--set") -> RuleData:
        """The rule data of a game by these options and, over them, the ``settings`` of another ``option``."""
        from fable_solve.solver.rules import load_rules, parse_setting

        layers = [*self.before, *self.after(), *(parse_setting(text, option) for text in settings)]
        return load_rules(game, layers)


def parse_counts(text: str, allowed: Sequence[int]) -> tuple[int, ...]:
    """``2-4``, ``2,4`` or ``3`` as an ordered tuple of allowed player counts."""
    span = f"{min(allowed)} to {max(allowed)}" if len(allowed) > 1 else str(allowed[0])
    wrong = click.UsageError(f"--players: expected {span} (as 2, 2-4 or 2,4), got {text!r}")
    counts: set[int] = set()
    for part in text.split(","):
        low, dash, high = part.strip().partition("-")
        if not low.isdecimal() or (dash and not high.isdecimal()) or len(low) > 4 or len(high) > 4:
            raise wrong
        first, last = int(low), int(high or low)
        if first > last or first < min(allowed) or last > max(allowed):
            raise wrong
        counts.update(range(first, last + 1))
    return tuple(sorted(counts))


def warn_unplayed(*games: Any) -> None:
    """Says on stderr that by these rules a game is over before anybody acts, if one is."""
    from fable_solve.reports.language import current
    from fable_solve.reports.terminal import tell
    from fable_solve.solver.rollout import is_played

    if not all(map(is_played, games)):
        told = "by this rule data a game is over before its first decision; its numbers say nothing"
        tell("warning", current()(told))


def show(answer: Answer, output: str) -> None:
    """Print an answer as ``output``; what prints is loaded only now."""
    from fable_solve.reports.terminal import print_answer

    print_answer(answer, output)
