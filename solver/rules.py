"""Rule data: shipped values with status and source, overrides laid over them, validation, digest.

``seeds/<game>.toml`` holds one table an entry::

    [ants]
    value = 6
    status = "published"        # or "implementation", "assumed"
    source = "000"              # which document says so
    note = "ants laid a round"
    [nets]                      # an entry may ship named alternatives: --set nets=eight
    value = ...
    alternatives = {eight = ...}

Layers are laid over it in order: ``--rules FILE.toml`` (plain ``key = value``), a position's ``[rules]``,
``--set KEY=VALUE``. A value replaces the one below it, and so does a table whose entries can be none (cards
of a kind, insects, bonuses): what it leaves out is ``left_out``, as the data file says. In a table that
needs all its entries (a side for each number of players, a price for each kind; no ``left_out``) what is
left out stays as it was. ``--set KEY.ENTRY=VALUE`` changes one entry of either. What comes out is validated
by the game's ``Rules`` model, whose fields are exactly the keys of the data file.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

from fable_solve.solver.errors import BadInput
from fable_solve.solver.registry import get
from fable_solve.solver.schema import Model, join, shown, unknown_key, validate

STATUSES = ("published", "implementation", "assumed")


@dataclass(frozen=True)
class Layer:
    """Values laid over the rule data, and the name by which errors call them."""

    source: str
    values: Mapping[str, Any]
    dotted: bool = False
    """Whether the values name single entries of tables (``--set deck.envol=2``)."""


@dataclass(frozen=True)
class Entry:
    """One value of the rule data with its provenance."""

    key: str
    value: Any
    default: Any
    status: str
    source: str
    note: str

    @property
    def changed(self) -> bool:
        return bool(self.value != self.default)


@dataclass(frozen=True)
class RuleData:
    """The effective rule data of a game."""

    game: str
    entries: tuple[Entry, ...]
    model: Any
    """The validated ``Rules`` model of the game."""
    origins: Mapping[str, str] = field(default_factory=dict, compare=False)
    """The layer that set a key last, as errors call it, of the keys that were set."""

    @property
    def values(self) -> dict[str, Any]:
        return {entry.key: entry.value for entry in self.entries}

    @property
    def digest(self) -> str:
        """First 16 hexadecimal digits of the SHA-256 of the values as canonical JSON."""
        text = json.dumps(self.values, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    @property
    def assumed(self) -> list[str]:
        """Keys whose value nobody publishes (and that were not changed by the user)."""
        return [entry.key for entry in self.entries if entry.status == "assumed" and not entry.changed]

    @property
    def changed(self) -> dict[str, Any]:
        """Keys that differ from the shipped data, with their values."""
        return {entry.key: entry.value for entry in self.entries if entry.changed}

    def place(self, path: str) -> str:
        """Where the value at ``path`` was set, for errors: ``--set: nets[0]``; ``path`` if it is none."""
        key = _key(path)
        origin = self.origins.get(key, f"{self.game}.toml")
        return join(origin, path) if key in self.values else path

    def make_game(self, players: int, mode: str | None = None) -> Any:
        """The full-size game by these rules; a value that does not fit is a :class:`BadInput` where it was
        set (``make_game`` of the game names its path inside the rule data)."""
        try:
            return get(self.game).rules.make_game(self.model, players, mode)
        except BadInput as error:
            raise self._as_set(error, players, mode) from None

    def _as_set(self, error: BadInput, players: int, mode: str | None) -> BadInput:
        """``error`` at the value that was set."""

        def play(key: str) -> None:
            shipped_value = next(entry.default for entry in self.entries if entry.key == key)
            spec, values = get(self.game), self.values | {key: shipped_value}
            spec.rules.make_game(validate(spec.rules.Rules, values, self.game), players, mode)

        key = _culprit(error.where, list(self.origins), play)
        if key is None:
            return BadInput(error.expected, error.got, where=self.place(error.where))
        return _unfit(error, error.where, self.values[key], self.place(key))

    def document(self) -> dict[str, Any]:
        """The ``rules`` part of every study's JSON."""
        return {"digest": self.digest, "assumed": self.assumed, "changed": self.changed}


def _key(path: str) -> str:
    """The entry of the rule data that a path leads into."""
    return path.replace("[", ".").partition(".")[0]


def _culprit(path: str, keys: Sequence[str], without: Callable[[str], object]) -> str | None:
    """Of the ``keys`` that were set the last without which all is well, where the fault at ``path`` lies in
    none of them; ``without(key)`` raises :class:`BadInput` if all is not."""
    for key in reversed(keys) if _key(path) not in keys else ():
        with suppress(BadInput):
            without(key)
            return key
    return None


def _unfit(error: BadInput, path: str, value: Any, where: str) -> BadInput:
    """The fault at ``path`` as one of the ``value`` set at ``where``, which does not go with it."""
    expected = f"a value that fits the others ({path}: {error.expected}, not {error.got})"
    return BadInput(expected, shown(value), where=where)


@cache
def shipped(game: str) -> dict[str, dict[str, Any]]:
    """The data file of a game as it ships: entry name -> its table."""
    text = files("fable_solve.seeds").joinpath(f"{game}.toml").read_text(encoding="utf-8")
    data = tomllib.loads(text)
    for key, entry in data.items():
        if entry.get("status") not in STATUSES:
            raise BadInput(
                f"one of {', '.join(STATUSES)}",
                shown(entry.get("status")),
                where=f"{game}.toml: {key}.status",
            )
    return data


def load_rules(game: str, layers: Sequence[Layer] = ()) -> RuleData:
    """The effective rule data of ``game`` with ``layers`` laid over it; raises :class:`BadInput`."""
    data = shipped(game)
    values = {key: deepcopy(entry["value"]) for key, entry in data.items()}
    model_type = get(game).rules.Rules
    model = validate(model_type, values, f"{game}.toml")
    origins: dict[str, str] = {}
    for layer in layers:
        below, values = values, lay(values, layer, data)
        origins |= dict.fromkeys(layer.values, layer.source)
        model = _validated(model_type, values, below, layer)
    entries = tuple(
        Entry(
            key, values[key], entry["value"], entry["status"], entry.get("source", ""), entry.get("note", "")
        )
        for key, entry in data.items()
    )
    return RuleData(game, entries, model, origins)


def _validated(
    model: type[Model], values: Mapping[str, Any], below: Mapping[str, Any], layer: Layer
) -> Model:
    """``values`` as a ``model``; a fault that the layer makes elsewhere is said of what it sets."""
    try:
        return validate(model, values, layer.source)
    except BadInput as error:
        path = error.where.removeprefix(layer.source).lstrip(":. ")
        keys = list(layer.values)
        key = _culprit(path, keys, lambda key: validate(model, {**values, key: below[key]}, ""))
        if key is None:
            raise
        raise _unfit(error, path, values[key], join(layer.source, key)) from None


def lay(values: Mapping[str, Any], layer: Layer, data: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """``values`` with one layer over them; named alternatives are looked up."""
    result = dict(values)
    for key, value in layer.values.items():
        if key not in result:
            if layer.source == "--chain-rule":
                raise BadInput("no chain rule (the game has none)", shown(value), where=layer.source)
            raise unknown_key(key, list(result), join(layer.source, key))
        alternatives = data[key].get("alternatives", {})
        if isinstance(value, str) and value in alternatives:
            result[key] = deepcopy(alternatives[value])
        elif isinstance(value, Mapping) and isinstance(data[key]["value"], Mapping):
            if not value and "left_out" not in data[key]:
                raise BadInput(
                    f"a table with some of {', '.join(result[key])}", "{}", where=join(layer.source, key)
                )
            whole = "left_out" in data[key] and not layer.dotted
            rest = dict.fromkeys(data[key]["value"], data[key]["left_out"]) if whole else result[key]
            result[key] = {**rest, **deepcopy(dict(value))}
        else:
            result[key] = deepcopy(value)
    return result


def parse_setting(text: str, source: str = "--set") -> Layer:
    """One ``--set KEY=VALUE``: a dotted key and a TOML value; a bare word is a string. ``source`` is the
    option that gave it.

    >>> parse_setting("deck.envol=2").values
    {'deck': {'envol': 2}}
    >>> parse_setting("chain_rule=strict").values
    {'chain_rule': 'strict'}
    """
    key, equals, value = text.partition("=")
    parts = key.strip().split(".")
    if not equals or not all(parts):
        raise BadInput("KEY=VALUE", shown(text), where=source)
    table: Any = _toml_value(value.strip(), f"{source}: {key}")
    for part in reversed(parts):
        table = {part: table}
    return Layer(source, table, dotted=len(parts) > 1)


def _toml_value(text: str, where: str) -> Any:
    try:
        table = tomllib.loads(f"value = {text}")
        if list(table) == ["value"]:
            return table["value"]
    except (ValueError, RecursionError):
        if text and all(letter.isalnum() or letter in "_-+" for letter in text):
            return text
    raise BadInput("a TOML value or a bare word", shown(text), where=where)
