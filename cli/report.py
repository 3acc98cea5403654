"""``report``: studies that were written to folders, shown again as one document."""

from __future__ import annotations

import click

from fable_solve.cli.common import expect_none, lang_option


@click.command("report", epilog="Example: fable-solve report fable-report/cigale --format md")
@click.argument("folders", metavar="DIR...", nargs=-1, required=True)
@click.option(
    "--format",
    "output",
    type=click.Choice(["html", "md"]),
    default="html",
    show_default=True,
    help="A page that opens offline, or Markdown.",
)
@click.option("--title", default="Studies", show_default=True, help="Title of several studies together.")
@click.option(
    "--out",
    default="-",
    show_default=True,
    metavar="FILE",
    help="File of the document, replaced if it is there (-: stdout).",
)
@lang_option
def report_command(folders: tuple[str, ...], output: str, title: str, out: str) -> None:
    """One document of the studies in each DIR (written there by --out), with contents."""
    if out == "":
        raise click.UsageError("--out: expected a file or -, got ''")
    if len(folders) == 1:
        expect_none("one DIR, whose study has its own", "--title")
    from pathlib import Path

    if out != "-" and Path(out).is_dir():
        raise click.UsageError(f"--out: expected a file, got the folder {out}")
    from fable_solve.reports.collect import collected
    from fable_solve.reports.output import write_file
    from fable_solve.reports.terminal import tell

    text = collected([Path(folder) for folder in folders], output, title, Path(out) if out != "-" else None)
    if out == "-":
        click.echo(text, nl=False)
    else:
        write_file(Path(out), text.encode())
        tell("report", out)
