// A square to play with: best chains and mixtures in closed form (the formulas of kernel_guess.py).
// In scope: root, the element to fill; data (see explore.py); text, the labels in the reader's language.
const TYPES = ["Y", "B", "N", "R"], SPECIES = ["a", "b", "c", "d", "e", "f"], ROLES = ["ant", "cigale"];
const state = structuredClone(data.start);
state.objective = data.objectives[0];
let selected = 0;

// Points gained by `count` steps from `place` on a scale whose last entry is the top.
const gained = (scale, place, count) => {
  const top = scale.length - 1;
  return scale[Math.min(place + count, top)] - scale[Math.min(place, top)];
};

// What a role gains by collecting the cards of `cells`, all of type `kind`.
const stake = (role, kind, cells) => {
  if (state.objective === "cards") return cells.length;
  const insects = SPECIES.map((_, s) => cells.filter((cell) => state.insects[cell] === s).length);
  const sets = insects.map((count, s) => gained(data.insectPoints, state.kept[role][s], count));
  return sets.reduce((sum, points) => sum + points, gained(data.shelfPoints, state.shelves[role][kind], cells.length));
};

// The level w with sum of max(0, (a - w) / d) = 1 over the types with d = a + b > 0.
const level = (types) => {
  let kept = types.filter((type) => type.a + type.b > 0);
  for (;;) {
    const sum = (of) => kept.reduce((total, type) => total + of(type) / (type.a + type.b), 0);
    const w = (sum((type) => type.a) - 1) / sum(() => 1);
    const higher = kept.filter((type) => type.a > w);
    if (higher.length === kept.length) return w;
    kept = higher;
  }
};

// Value and both mixtures of the guessing game on types with gains a, b >= 0.
const guess = (types) => {
  const flat = types.filter((type) => type.a + type.b === 0), positive = types.filter((type) => type.a + type.b > 0);
  const none = Object.fromEntries(types.map((type) => [type.kind, 0]));
  const only = (type) => ({ ...none, [type.kind]: 1 });
  if (types.length === 1) return { value: 0 - types[0].b, ant: only(types[0]), cigale: only(types[0]) };
  if (!positive.length) return { value: 0, ant: only(flat[0]), cigale: only(flat[flat.length - 1]) };
  const w = Math.max(flat.length ? 0 : -Infinity, level(types));
  const above = positive.filter((type) => type.a > w), cigale = { ...none };
  for (const type of above) cigale[type.kind] = (type.a - w) / (type.a + type.b);
  const total = Object.values(cigale).reduce((sum, share) => sum + share, 0);
  if (flat.length && w <= 0) {
    cigale[positive[positive.length - 1].kind] += 1 - total;
    return { value: w, ant: only(flat[0]), cigale };
  }
  const weight = above.reduce((sum, type) => sum + 1 / (type.a + type.b), 0), ant = { ...none };
  for (const type of above) ant[type.kind] = 1 / ((type.a + type.b) * weight);
  for (const type of types) cigale[type.kind] /= total;
  return { value: w, ant, cigale };
};

// All chains of the square, best for the Ant first; equal ones in reading order.
const ranked = () =>
  data.chains
    .filter((chain) => chain.every((cell) => state.types[cell] !== null))
    .map((chain) => {
      const kinds = [0, 1, 2, 3].filter((kind) => chain.some((cell) => state.types[cell] === kind));
      const types = kinds.map((kind) => {
        const cells = chain.filter((cell) => state.types[cell] === kind);
        return { kind, count: cells.length, a: stake(0, kind, cells), b: stake(1, kind, cells) };
      });
      return { chain, types, ...guess(types) };
    })
    .sort((one, other) => Math.round(other.value * 1e12) - Math.round(one.value * 1e12));

const element = (name, options = {}, ...children) => {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(options)) {
    if (key in made && key !== "list") made[key] = value;
    else made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
};

const number = (value) => value.toLocaleString(document.documentElement.lang, { maximumFractionDigits: 3 });
const mixture = (types, shares) =>
  types
    .filter(({ kind }) => shares[kind] > 1e-12)
    .map(({ kind }) => `${text.types[kind]} ${number(Math.round(1000 * shares[kind]) / 10)}\u00a0%`)
    .join(", ");

const board = element("div", { className: "square", role: "group", "aria-label": text.square });
board.style.gridTemplateColumns = `repeat(${data.width}, 1fr)`;
const cells = state.types.map((_, cell) => {
  const place = `${Math.floor(cell / data.width)},${cell % data.width}`;
  const card = element("button", { type: "button", className: "card-type" });
  const insect = element("button", { type: "button", className: "card-insect" });
  card.addEventListener("click", () => {
    const type = state.types[cell];
    state.types[cell] = type === null ? 0 : type === 3 ? null : type + 1;
    show();
  });
  insect.addEventListener("click", () => {
    const species = state.insects[cell];
    state.insects[cell] = species === null ? 0 : species === 5 ? null : species + 1;
    show();
  });
  board.append(element("div", { className: "place" }, card, insect));
  return { card, insect, place };
});

const slider = (label, values, at, most) => {
  const shown = element("output", {}, String(values[at]));
  const input = element("input", { type: "range", min: 0, max: most, step: 1, value: values[at] });
  input.addEventListener("input", () => {
    values[at] = Number(input.value);
    shown.value = input.value;
    show();
  });
  return element("label", {}, element("span", {}, label), input, shown);
};

const controls = element("div", { className: "controls" });
if (data.objectives.length > 1) {
  const choice = element("select", {}, ...data.objectives.map((name) => element("option", { value: name }, text[name])));
  choice.addEventListener("change", () => { state.objective = choice.value; show(); });
  controls.append(element("label", {}, element("span", {}, text.objective), choice));
  ROLES.forEach((role, at) => {
    const shelves = TYPES.map((_, kind) => slider(text.types[kind], state.shelves[at], kind, data.shelfPoints.length - 1));
    const kept = SPECIES.map((name, s) => slider(name, state.kept[at], s, data.insectPoints.length - 1));
    const more = element("details", {}, element("summary", {}, text.kept), ...kept);
    controls.append(element("fieldset", {}, element("legend", {}, text.shelves[at]), ...shelves, more));
  });
}

const head = element("tr", {}, ...[text.chain, text.value, text.ant, text.cigale].map((title) => element("th", { scope: "col" }, title)));
const rows = element("tbody");
const caption = element("caption", { "aria-live": "polite" });
const answer = element("div", { className: "scroll", role: "region", tabindex: 0, "aria-label": text.answer },
  element("table", {}, caption, element("thead", {}, head), rows));

const show = () => {
  const games = ranked();
  selected = Math.min(selected, Math.max(0, Math.min(games.length, data.top) - 1));
  const marked = games.length ? games[selected].chain : [];
  cells.forEach(({ card, insect, place }, cell) => {
    const type = state.types[cell], species = state.insects[cell];
    card.textContent = type === null ? "·" : TYPES[type];
    card.dataset.type = type === null ? "hole" : TYPES[type];
    card.setAttribute("aria-label", `${place}: ${type === null ? text.hole : text.types[type]}`);
    insect.textContent = species === null ? "–" : SPECIES[species];
    insect.setAttribute("aria-label", `${place}: ${species === null ? text.noInsect : `${text.insect} ${SPECIES[species]}`}`);
    insect.disabled = type === null;
    card.parentElement.classList.toggle("marked", marked.includes(cell));
  });
  caption.textContent = games.length ? `${games.length} ${text.legal}` : text.none;
  rows.replaceChildren(...games.slice(0, data.top).map((game, at) => {
    const name = game.types.map(({ kind, count }) => `${count} ${text.types[kind]}`).join(", ");
    const pick = element("button", { type: "button", "aria-pressed": String(at === selected) }, name);
    pick.addEventListener("click", () => { selected = at; show(); rows.rows[at].querySelector("button").focus(); });
    return element("tr", {},
      element("th", { scope: "row" }, pick),
      element("td", { className: "number" }, number(game.value)),
      element("td", {}, mixture(game.types, game.ant)),
      element("td", {}, mixture(game.types, game.cigale)));
  }));
};

root.append(element("div", { className: "bench" }, board, controls), answer);
root.explorer = { state, ranked, show };
show();
