"""How a text of ours is said in another language: whole entries, entries with holes, signs for numbers.

Every text is written in English and looked up in a catalogue. ``{}`` in an entry stands for any part, which
is looked up in its turn, ``{#}`` for a number, ``{=}`` for a name that is the same in every language, so one
entry serves a sentence whatever its numbers are::

    "{#} of {#} games were stopped." = "{} {0|partie|parties} sur {} ..."

A translation numbers the holes from 0 where it needs them in another order; ``{0|partie|parties}`` is a word
that agrees with the number in hole 0. A text that is no entry is looked up sentence by sentence, a sentence
by what semicolons part, each with or without its full stop. Entries of ``parts`` serve inside holes only:
single words, lists. What a catalogue lacks stays English: names, commands, keys.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from operator import add

ENGLISH = "en"

NUMBER = re.compile(
    r"(?<![\w.,])[-+±]?\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\w.]?\d)|(?<![\w.,])[-+±]?\d+\.\d+(?![\w.]?\d)"
)
"""A number as ``cells.show`` writes it, with a sign for thousands or decimals in it."""

_PERCENT = re.compile(r"(?<=\d) ?%")
_SENTENCES, _CLAUSES = re.compile(r"(?<=[.!?]) (?=[A-Z\d])"), re.compile("; ")
_LETTER = re.compile(r"[^\W\d_]")
_ONE = re.compile(
    r"(?<![\w.,:@=-])(?<!seat )(?<!round )(?<!player )1 ((?:legal |more )?(?:action|block|card|chain|choice"
    r"|decision|game|move|node|offer|pair|player|round|row|seating|setting|sheet|square|state|step|tile))s\b"
)
"""One of something that is named in the plural, as a sentence with a number in it does."""
_GAP = re.compile(r"\{([#=]?)\}")
_FILLING = {"": "(.+?)", "=": "(.+?)", "#": r"([-+±]?\d[\d.,]*(?:e[-+]?\d+)?(?: ?%)?|–)"}
_HOLE = re.compile(r"\{(\d*)(?:\|([^|{}]*)\|([^|{}]*))?\}")


@dataclass(frozen=True)
class Language:
    """A language by its ``code``: its ``texts`` and ``parts`` of texts, and the signs it writes with."""

    code: str
    texts: Mapping[str, str] = field(default_factory=dict)
    parts: Mapping[str, str] = field(default_factory=dict)
    decimal: str = "."
    thousands: str = ","
    percent: str = "%"
    colon: str = ": "
    """Between a heading and what it says."""
    semicolon: str = "; "
    plural: float = 2.0
    """The number from which on words are in the plural; zero is not, nor 1.5 in French."""

    def __call__(self, text: str) -> str:
        """``text`` in this language; what is not known stays as it is, but for its numbers."""
        if self.code == ENGLISH or not text:
            return _ONE.sub(r"1 \1", text)
        found = self.find(text)
        return self.number(text) if found is None else found

    def find(self, text: str) -> str | None:
        """``text`` in this language, ``None`` if the catalogue lacks it."""
        if not _LETTER.search(text):
            return self.number(text)
        found = self.texts.get(text)
        for cut, glue in ((_SENTENCES, " "), (_CLAUSES, self.semicolon)):
            found = self._joined(cut.split(text), glue) if found is None else found
        if found is None:
            found = self._texts.filled(text, self)
        if found is None and text.endswith("."):
            found = self.find(text[:-1])
            found = found and f"{found}."
        return found

    def _joined(self, pieces: list[str], glue: str) -> str | None:
        """The pieces of a text, if there are several and each is known."""
        found = [self.find(piece) for piece in pieces] if len(pieces) > 1 else [None]
        return None if None in found else glue.join(map(str, found))

    def part(self, text: str) -> str:
        """What stands in a hole, in this language."""
        for lookup in (self.parts.get, self.find, self._listed):
            found = lookup(text)
            if found is not None:
                return found
        return self(text)

    def _listed(self, text: str) -> str | None:
        return self._parts.filled(text, self)

    def number(self, text: str) -> str:
        """``text`` with its numbers in this language's signs.

        >>> french = Language("fr", decimal=",", thousands=" ", percent=" %")
        >>> french.number("12,345.6 of 99.5%, version 0.1.0")
        '12 345,6 of 99,5 %, version 0.1.0'
        """
        signs = {",": self.thousands, ".": self.decimal}
        said = NUMBER.sub(lambda found: "".join(signs.get(sign, sign) for sign in found[0]), text)
        return said if self.code == ENGLISH else _PERCENT.sub(self.percent, said)

    @cached_property
    def _texts(self) -> _Holed:
        return _Holed(self.texts)

    @cached_property
    def _parts(self) -> _Holed:
        return _Holed(self.parts)


@dataclass(frozen=True)
class _Entry:
    """An entry with holes: the words around them and, between, what kind each hole is."""

    words: list[str]
    kinds: list[str]
    said: str

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        holes = [*(_FILLING[kind] for kind in self.kinds), ""]
        return re.compile("".join(map(add, map(re.escape, self.words), holes)), re.DOTALL)

    def found(self, text: str) -> list[str] | None:
        """What stands in the holes of ``text``, ``None`` if the entry does not fit."""
        match = self.pattern.fullmatch(text) if all(word in text for word in self.words) else None
        return list(match.groups()) if match else None

    def filled(self, found: Sequence[str], language: Language) -> str:
        """``{}`` filled in order, ``{n}`` by number and ``{n|one|more}`` by what hole n counts."""
        parts = [
            part if kind == "=" else language.part(part) for kind, part in zip(self.kinds, found, strict=True)
        ]
        following = iter(parts)

        def hole(asked: re.Match[str]) -> str:
            number, one, more = asked.groups()
            if one is not None:
                return one if _amount(found[int(number)]) < language.plural else more
            return parts[int(number)] if number else next(following)

        return _HOLE.sub(hole, self.said)


class _Holed:
    """Entries with holes, those with most text of their own tried first, by the letter they begin with."""

    def __init__(self, entries: Mapping[str, str]) -> None:
        keys = sorted(filter(_GAP.search, entries), key=lambda key: (-len(key), key))
        split = [(_GAP.split(key), entries[key]) for key in keys]
        self._entries = [_Entry(pieces[::2], pieces[1::2], said) for pieces, said in split]
        self._by_letter: dict[str, list[_Entry]] = {}

    def filled(self, text: str, language: Language) -> str | None:
        """The entry that fits ``text`` with its holes filled, ``None`` if none fits."""
        for entry in self._starting(text[:1]):
            found = entry.found(text)
            if found is not None:
                return entry.filled(found, language)
        return None

    def _starting(self, letter: str) -> list[_Entry]:
        if letter not in self._by_letter:
            self._by_letter[letter] = [one for one in self._entries if one.words[0][:1] in ("", letter)]
        return self._by_letter[letter]


def _amount(text: str) -> float:
    """The number that ``text`` is, without its sign; many if it is none."""
    try:
        return abs(float(text.replace(",", "").rstrip(" %")))
    except ValueError:
        return float("inf")
