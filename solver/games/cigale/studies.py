"""The strategy report of a round of Cigale: what to lay, what to name, where to stand, and how sure it is."""

from __future__ import annotations

from fable_solve.solver.documents import read_document
from fable_solve.solver.errors import BadInput, Refused
from fable_solve.solver.estimate import Mean, share
from fable_solve.solver.games.cigale.advise import DEFAULT_OBJECTIVE, chain_game, ranked
from fable_solve.solver.games.cigale.cards import card
from fable_solve.solver.games.cigale.chains import legal_chains
from fable_solve.solver.games.cigale.charts import all_charts, square_board
from fable_solve.solver.games.cigale.evidence import TIE, Evidence, best_shapes, gather
from fable_solve.solver.games.cigale.explore import square_explorer
from fable_solve.solver.games.cigale.opening import opening_states
from fable_solve.solver.games.cigale.shapes import exact_value, shape_text
from fable_solve.solver.games.cigale.stakes import ROUND_OBJECTIVES, round_stake
from fable_solve.solver.games.cigale.state import LAY, State
from fable_solve.solver.games.cigale.tables import all_tables
from fable_solve.solver.positions import Position, parse_position
from fable_solve.solver.result import Board, Certificate, Explorer, Finding, Result, Section
from fable_solve.solver.rules import Layer
from fable_solve.solver.schema import shown
from fable_solve.solver.study import Request

METHOD = (
    "Every legal chain of every dealt square is solved. Once the ants lie, the Ant names a type under them "
    "and the Cigale guesses one; naming a type is worth a to the Ant if unguessed and -b if guessed, "
    "whichever wrong guess was made. The value w of this guessing matrix solves: sum over types of "
    "max(0, (a - w) / (a + b)) = 1. The Cigale guesses each type with probability max(0, (a - w) / (a + b)); "
    "the Ant names the types with a > w in proportion to 1 / (a + b).",
    "Values of single squares are exact; what is said about all squares is a mean over squares dealt from "
    "the full deck, with a 95 % interval. Comparisons (chain rules, habits) are paired: the same squares on "
    "both sides.",
    "A round is valued alone: cards or points won now, not what they are worth later in the game.",
)


def run(request: Request) -> Result:
    """The report for the mode, objective and rule data of ``request``.

    Raises :class:`Refused` for an objective that needs values of the whole game.
    """
    mode = str(request.mode)
    objective = request.objective or DEFAULT_OBJECTIVE[mode]
    if objective not in ROUND_OBJECTIVES:
        raise Refused(
            f"--objective {objective}: a report needs one of {', '.join(ROUND_OBJECTIVES)}; "
            f"'solve' and 'advise' answer {objective} for positions small enough to be solved"
        )
    position = _position(request)
    boards, players = int(request.options["boards"]), max(request.players)
    evidence = gather(request.rules.model, mode, objective, players, boards, request.seed, request.progress)
    board = _example(request, evidence, players, position)
    findings = _findings(evidence, request.players)
    return Result(
        game="cigale",
        title=f"La Cigale et la Fourmi, {mode}: how to play a round",
        question="Which chain should the Ant lay, which type should it name, and where should the Cigale "
        f"stand, when a round is played for {objective}?",
        summary=_summary(evidence, findings),
        mode=mode,
        players=request.players,
        objective=objective,
        seed=request.seed,
        rules=request.rules.document(),
        assumptions=_assumptions(request, evidence),
        findings=findings,
        tables=all_tables(evidence),
        charts=all_charts(evidence),
        boards=(board,),
        sections=_sections(evidence),
        explorers=_explorers(request, evidence, position),
        method=METHOD,
        parameters={"boards": boards, "chain_rule": request.rules.model.chain_rule},
        command=request.command,
    )


def _position(request: Request) -> Position | None:
    """The position given with ``--position``, under the same rule data."""
    path = request.options.get("position")
    if path is None:
        return None
    over = [Layer("the command line", request.rules.changed)] if request.rules.changed else []
    document, source = read_document(path)
    if document.get("game") != "cigale":
        raise BadInput("'cigale'", shown(document.get("game")), where=f"{source}: game")
    return parse_position(document, source, after=over, mode=request.mode)


def _example(request: Request, evidence: Evidence, players: int, position: Position | None) -> Board:
    """The square drawn in the report: the position's, or the first one dealt."""
    if position is not None:
        best = ranked(position, evidence.objective)[0]
        return square_board(
            position.state.board, position.game.width, best, evidence.objective, "The square of the position"
        )
    squares, board = evidence.squares, evidence.board
    codes = tuple(card(int(t), int(s)) for t, s in zip(squares.types[0], squares.species[0], strict=True))
    none = (0,) * 6
    state = State(LAY, 0, 1, codes, (), shelves=((0,) * 4,) * 2, insects=(none, none))
    if evidence.mode == "hiver" and evidence.objective == "points":
        state = opening_states(evidence.rules, board, players, 1, request.seed)[2][0]
    stake = round_stake(evidence.rules, evidence.mode, state, evidence.objective)
    best = chain_game(codes, board.chains[int(squares.best[0])], stake)
    return square_board(codes, board.width, best, evidence.objective, "An example: the first square dealt")


def _explorers(request: Request, evidence: Evidence, position: Position | None) -> tuple[Explorer, ...]:
    """The square of :func:`_example`, to be changed."""
    if position is None:
        squares, board, rules = evidence.squares, evidence.board, evidence.rules
        codes = tuple(card(int(t), int(s)) for t, s in zip(squares.types[0], squares.species[0], strict=True))
        width, chains = board.width, board.chains
        shelves, kept = [(0,) * 4] * 2, [(0,) * 6] * 2
    else:
        state, rules, width = position.state, position.rules.model, position.game.width
        codes, seats = state.board, (state.ant, state.cigale)
        chains = legal_chains(position.game.height, width, frozenset(), rules.ants, rules.chain_rule)
        shelves = [state.shelves[seat] for seat in seats] if state.shelves else [(0,) * 4] * 2
        kept = [state.insects[seat] for seat in seats] if state.insects else [(0,) * 6] * 2
    return (square_explorer(rules, evidence.mode, evidence.objective, codes, width, chains, shelves, kept),)


def _sampled(name: str, estimate: Mean, unit: str, sentence: str) -> Finding:
    return Finding(name, estimate.mean, estimate.certificate, unit, sentence)


def _findings(evidence: Evidence, players: tuple[int, ...]) -> tuple[Finding, ...]:
    unit, value = evidence.objective, evidence.value
    found = [
        _sampled(
            "round_value",
            value,
            unit,
            f"A round is worth {value.mean:.4g} {unit} to the Ant on average, both sides playing their best.",
        ),
        *_shape_findings(evidence),
    ]
    for habits in evidence.habits:
        for habit, estimate, text in (
            ("naming_most_cards", habits.most_cards, "an Ant that lays and names the most cards of one type"),
            (
                "guessing_the_frequent_type",
                habits.frequent_guess,
                "a Cigale that stands on the most frequent type",
            ),
        ):
            sentence = f"Against a best response {text} loses {estimate.mean:.3g} {habits.objective} a round."
            name = f"{habits.objective}_lost_by_{habit}"
            found.append(_sampled(name, estimate, habits.objective, sentence))
    if evidence.without_insects is not None:
        change = evidence.without_insects
        sentence = (
            f"If insects scored nothing, the round would be worth {-change.mean:.3g} points less to the Ant."
        )
        found.append(_sampled("value_change_without_insects", change, "points", sentence))
    if (evidence.mode, evidence.objective) == ("hiver", "cards") and max(players) > 2:
        for text, red in zip(("least", "most"), evidence.over_best(evidence.red_ant), strict=True):
            sentence = (
                f"A Red Ant that names well draws {red.mean:.3g} cards a round if the Ant lays, of its best "
                f"chains, the one that leaves it the {text}."
            )
            found.append(_sampled(f"red_ant_cards_at_{text}", red, "cards", sentence))
    return tuple(found)


def _shape_findings(evidence: Evidence) -> list[Finding]:
    found = []
    if evidence.objective == "cards":
        top = max(exact_value(shape.game.shape) for shape in evidence.shapes)
        shapes = [shape_text(s.game.shape) for s in evidence.shapes if exact_value(s.game.shape) == top]
        reached = share(abs(evidence.squares.value - float(top)) < TIE)
        found += [
            Finding(
                "highest_value_of_any_chain",
                float(top),
                Certificate.exact(1e-9, f"closed form over all shapes, {top} as a fraction"),
                "cards",
                f"No chain is worth more than {top} card; {' and '.join(shapes)} are.",
            ),
            Finding(
                "squares_that_reach_it",
                reached.mean,
                reached.certificate,
                "share",
                f"{reached.mean:.1%} of the squares hold such a chain.",
            ),
        ]
    for shape in sorted(evidence.shapes, key=lambda shape: -shape.best.mean)[:2]:
        name = shape_text(shape.game.shape)
        sentence = (
            f"A {name} chain is there on {shape.available.mean:.1%} of the squares "
            f"and best on {shape.best.mean:.1%}."
        )
        found.append(
            Finding(f"best_{name}", shape.best.mean, shape.best.certificate, "share of squares", sentence)
        )
    return found


def _summary(evidence: Evidence, findings: tuple[Finding, ...]) -> tuple[str, ...]:
    by_name = {finding.name: finding for finding in findings}
    best = best_shapes(evidence) or [evidence.shapes[0].game.shape]
    habits = next(item for item in evidence.habits if item.objective == evidence.objective)
    value, unit = by_name["round_value"], evidence.objective
    return (
        f"{value.sentence} The best chain is nearly always of shape {' or '.join(map(shape_text, best))} "
        "(cards of each type under the ants)."
        if len(best) == 1
        else f"{value.sentence} The best chains cover their types as {' or '.join(map(shape_text, best))}.",
        _naming(evidence, best[0]),
        f"Habits are expensive: laying and naming the most cards costs the Ant {habits.most_cards.mean:.2f} "
        f"{unit} a round; standing on the most frequent type costs the Cigale "
        f"{habits.frequent_guess.mean:.2f}.",
    )


def _naming(evidence: Evidence, shape: tuple[int, ...]) -> str:
    """How both sides mix on the shape, from the squares where it is the best chain."""
    squares = evidence.squares
    here = squares.shape == evidence.board.shapes.index(shape)
    if not here.any():
        return "How to mix depends on the square; the table of mixtures tells by shape."
    parts = []
    for cards in sorted(set(shape), reverse=True):
        picked = (squares.counts == cards) & here[:, None]
        named, guessed = squares.mixtures[:, 0][picked].mean(), squares.mixtures[:, 1][picked].mean()
        parts.append(f"each type with {cards} at {named:.0%} (the Cigale guesses it at {guessed:.0%})")
    return f"On a {shape_text(shape)} chain the Ant names {' and '.join(parts)} on average, at random."


def _assumptions(request: Request, evidence: Evidence) -> tuple[tuple[str, str], ...]:
    """The assumed data this report rests on, with what they change where that was measured."""
    used = ["chain_rule"]
    if evidence.objective == "points":
        used += (
            ["insect_cards", "insect_points"] if evidence.mode == "automne" else ["insect_cards", "prices"]
        )
    entries = {entry.key: entry for entry in request.rules.entries}
    assumed = [key for key in used if key in request.rules.assumed]
    return tuple((key, f"{entries[key].note}. {_effect(key, evidence)}".strip()) for key in assumed)


def _effect(key: str, evidence: Evidence) -> str:
    if key == "chain_rule":
        widest = max(evidence.chain_rules, key=lambda item: abs(item.change.mean))
        if abs(widest.change.mean) < TIE:
            return f"No reading changed the value of any of the {widest.change.n} squares compared."
        return f"The largest change of the mean value, with {widest.rule}, is {widest.change.mean:+.3f}."
    if key.startswith("insect") and evidence.without_insects is not None:
        return f"Without insects the mean value changes by {evidence.without_insects.mean:+.3f} points."
    return ""


def _sections(evidence: Evidence) -> tuple[Section, ...]:
    worth = f"A round is valued by {evidence.objective}: the Ant's gain less the Cigale's."
    if evidence.objective == DEFAULT_OBJECTIVE[evidence.mode]:
        worth += " This is the default of this mode: values of whole games are not known."
    shapes = "A shape counts the cards of each type under the ants. Several shapes can be best on one square."
    habits = "The other side is taken to know the habit and to answer it as well as possible."
    if evidence.mode == "hiver":
        habits += " Points are counted at the start of a game: a dealt reserve for each, a drawn row."
    shelves = "One shelf differs, all else is as at the start; the same squares for every pair of places."
    spread = ["value_distribution", "value"] if evidence.varies else []
    varies = ["chain_rule_values"] if evidence.varies else []
    reds = ["red_ant_chances"] if evidence.mode == "hiver" else []
    readings = (*varies, "chain_rules", "players", *reds)
    insects = ["insects"] if evidence.without_insects is not None else []
    sections = [
        Section("What a round is worth", (worth,), ("square", *spread, *insects)),
        Section("Which chain to lay", (shapes,), ("shape_shares", "shapes")),
        Section("How to name and how to guess", (), ("mixtures", "mixing")),
        Section("What habits cost", (habits,), ("habit_losses", "habits")),
        Section("Readings of the rules, numbers of players", (), readings),
    ]
    if evidence.shelves:
        sections.insert(
            4,
            Section("How shelves change the picture", (shelves,), ("shelf_values", "shelf_names", "shelves")),
        )
    return tuple(sections)
