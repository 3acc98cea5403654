"""Several studies, read from the folders of their reports, in one document."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from fable_solve.reports.archive import load
from fable_solve.reports.html import Chapter, book
from fable_solve.reports.language import current, translated
from fable_solve.reports.markdown import booklet


def collected(folders: Sequence[Path], form: str, title: str, target: Path | None) -> str:
    """The studies in ``folders`` as a page (``html``) or Markdown (``md``), for a file at ``target``.

    One study stands alone; several have contents and the ``title``. Raises :class:`Refused` for a folder
    that holds no study.
    """
    language = current()
    chapters = [
        Chapter(translated(load(folder), language), f"{_seen_from(target, folder)}/") for folder in folders
    ]
    if form == "html":
        return book(chapters, language(title))
    return booklet([(chapter.result, chapter.files) for chapter in chapters], language(title))


def _seen_from(target: Path | None, folder: Path) -> str:
    """``folder`` as a link in a document at ``target``."""
    return Path(os.path.relpath(folder, target.parent if target else Path())).as_posix()
