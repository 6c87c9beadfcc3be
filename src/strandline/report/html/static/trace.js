// A run as a list of steps and the state that is chosen. Only the rows in sight are elements, so that a run of ten
// thousands of steps scrolls as one of ten does. Observers are notified of the chosen state by `onselect(number)`.
{
  const { make, draw, replace, show, changeText, withNoun, Expression } = strandline;
  const ROW = 28; // Pixels; the style sheet says the same.
  const MARGIN = 8; // Rows out of sight that are elements all the same.
  const MOST_VARIABLES = 400;
  const MOST_DOTS = 36;

  class TraceView {
    constructor(run, { places = {}, floors = true, atoms = [], id = "trace" } = {}) {
      Object.assign(this, { run, id, names: { places, floors }, atoms, observers: [], watches: [], chosen: 0 });
      this.rows = this.#allRows();
      this.shown = this.rows;
      this.spacer = make("div", { class: "spacer" });
      this.list = make("div", {
        class: "steps", tabindex: 0, role: "listbox", id: `${id}-steps`, "aria-label": "steps of the trace",
        onscroll: () => this.#draw(), onkeydown: (event) => this.#key(event),
      }, this.spacer);
      this.count = make("output", { class: "count", for: `${id}-search` });
      this.state = make("div", { class: "state" });
      this.watchList = make("ul", { class: "watches" });
      this.element = make("div", { class: "trace" }, this.#toolbar(), this.#lasso(), make("div", { class: "two" }, this.list, this.#side()));
      new ResizeObserver(() => this.#draw()).observe(this.list);
      this.select(0, false);
    }

    onselect(observer) {
      this.observers.push(observer);
      observer(this.chosen);
    }

    // Further panels beside the state: `{name: element or object with element and shown()}`.
    beside(panels) {
      replace(this.panel, strandline.tabs("details of the step", { State: this.statePanel, ...panels }));
    }

    // Rows

    #allRows() {
      const rows = [];
      let before = -1;
      for (const number of this.run.known) {
        if (number !== before + 1) rows.push({ gap: number - before - 1 });
        rows.push({ number });
        before = number;
      }
      if (this.run.fault) rows.push({ fault: this.run.fault });
      if (this.run.loop !== null && this.run.loop < this.run.length) rows.push({ back: this.run.loop });
      return rows;
    }

    #text(row) {
      if (row.gap) return `… ${withNoun(row.gap, "step")} left out of this page; --trace FILE has them all`;
      if (row.fault) return `! ${row.fault.action ?? ""} ${row.fault.words}`;
      if (row.back !== undefined) return `back in state ${row.back}: from there the same steps again and again`;
      if (row.number === 0) return "initial state";
      return this.run.step(row.number).action;
    }

    #changes(number) {
      const state = this.hides.checked || number === 0 ? null : this.run.state(number);
      if (number === 0 || state) {
        return Object.entries(state ?? this.run.state(0)).map(([name, value]) => `${name}=${show(value)}`).join("  ");
      }
      const { action, changes } = this.run.step(number);
      return changes.filter(({ name, old, now }) => !action.includes(`${name}: ${show(old)} -> ${show(now)}`)).map(changeText).join("   ");
    }

    #row(row, place) {
      const top = { transform: `translateY(${place * ROW}px)` };
      if (row.number === undefined) {
        const kind = row.gap ? "gap" : row.fault ? "fault" : "back";
        return make("div", { class: `row ${kind}`, style: top, role: "option", "aria-disabled": true }, this.#text(row));
      }
      const looping = this.run.loop !== null && row.number >= this.run.loop;
      const starts = row.number === this.run.loop;
      return make("div", {
        class: `row${looping ? " looping" : ""}${starts ? " loop-start" : ""}${row.number === this.chosen ? " chosen" : ""}`,
        style: top, role: "option", id: `${this.id}-${row.number}`, "aria-selected": row.number === this.chosen,
        onclick: () => { this.select(row.number); },
      },
      make("span", { class: "number" }, String(row.number)),
      make("span", { class: "loop-mark", title: starts ? "the loop begins here" : looping ? "in the loop" : null }),
      make("span", { class: "action" }, this.#text(row)),
      this.watches.map((watch) => this.#watched(watch, row.number)),
      make("span", { class: "changes" }, this.#changes(row.number)));
    }

    #draw() {
      const height = this.list.clientHeight || 400;
      const first = Math.max(0, Math.floor(this.list.scrollTop / ROW) - MARGIN);
      const last = Math.min(this.shown.length, Math.ceil((this.list.scrollTop + height) / ROW) + MARGIN);
      this.spacer.style.height = `${this.shown.length * ROW}px`;
      replace(this.spacer, this.shown.slice(first, last).map((row, place) => this.#row(row, first + place)));
      this.list.setAttribute("aria-activedescendant", `${this.id}-${this.chosen}`);
    }

    // Choosing

    select(number, notifies = true) {
      if (!this.run.state(number)) return;
      this.chosen = number;
      const place = this.shown.findIndex((row) => row.number === number);
      if (place >= 0) this.#reveal(place);
      this.#draw();
      this.#drawState();
      this.#drawWatches();
      this.#drawDots();
      if (notifies) this.observers.forEach((observer) => observer(number));
    }

    #reveal(place) {
      const top = place * ROW;
      if (top < this.list.scrollTop) this.list.scrollTop = top;
      else if (top + ROW > this.list.scrollTop + this.list.clientHeight) this.list.scrollTop = top + ROW - this.list.clientHeight;
    }

    #key(event) {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const page = Math.max(1, Math.floor(this.list.clientHeight / ROW) - 1);
      const moves = {
        ArrowDown: 1, j: 1, ArrowUp: -1, k: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity,
      };
      if (event.key in moves) this.#move(moves[event.key]);
      else if (event.key === "l" && this.run.loop !== null) this.select(this.run.loop);
      else if (event.key === "c") this.#nextChange(1);
      else if (event.key === "C") this.#nextChange(-1);
      else if (event.key === "/") this.search.focus();
      else return;
      event.preventDefault();
    }

    #move(by) {
      const numbers = this.shown.filter((row) => row.number !== undefined);
      if (!numbers.length) return;
      let at = numbers.findIndex((row) => row.number >= this.chosen);
      if (at < 0) at = numbers.length - 1;
      this.select(numbers[Math.max(0, Math.min(numbers.length - 1, at + by))].number);
    }

    // Go to the next state in which a watched expression has another value than in the chosen one.
    #nextChange(direction) {
      if (!this.watches.length) return;
      const watched = (number) => this.watches.map((watch) => this.#value(watch, number).text).join("\n");
      const now = watched(this.chosen);
      const numbers = direction > 0 ? this.run.known.filter((one) => one > this.chosen)
        : this.run.known.filter((one) => one < this.chosen).reverse();
      const next = numbers.find((one) => watched(one) !== now);
      if (next !== undefined) this.select(next);
    }

    // Searching

    #toolbar() {
      this.search = make("input", {
        type: "search", id: `${this.id}-search`, placeholder: "Search actions and changes", "aria-label": "search the trace",
        oninput: () => this.#filter(),
        onkeydown: (event) => {
          if (["Enter", "ArrowDown", "Escape"].includes(event.key)) {
            if (event.key === "Escape") { this.search.value = ""; this.#filter(); }
            this.list.focus();
            event.preventDefault();
          }
        },
      });
      this.hides = make("input", { type: "checkbox", id: `${this.id}-hide`, onchange: () => { this.#draw(); this.#drawState(); } });
      this.hides.checked = true;
      return make("div", { class: "toolbar" }, this.search, this.count,
        make("label", { for: `${this.id}-hide` }, this.hides, " Hide unchanged"));
    }

    #filter() {
      const wanted = this.search.value.trim().toLowerCase();
      const fits = (row) => row.number !== undefined && `${this.#text(row)} ${this.#changes(row.number)}`.toLowerCase().includes(wanted);
      this.shown = wanted ? this.rows.filter(fits) : this.rows;
      this.count.textContent = wanted ? `${this.shown.length.toLocaleString("en")} of ${withNoun(this.run.known.length, "state")}` : "";
      this.list.scrollTop = 0;
      const first = this.shown.find((row) => row.number !== undefined);
      if (wanted && first && !this.shown.some((row) => row.number === this.chosen)) this.select(first.number);
      else this.#draw();
    }

    // The chosen state

    #side() {
      this.watchInput = make("input", {
        type: "text", "aria-label": "an expression to evaluate along the trace", spellcheck: "false", autocapitalize: "off",
        placeholder: `Expression, e.g. ${example(this.run.state(this.run.known[0]))}`,
        id: `${this.id}-expression`,
      });
      this.watchError = make("p", { class: "mistake", role: "alert" });
      const form = make("form", { class: "watch-form", onsubmit: (event) => { event.preventDefault(); this.watch(this.watchInput.value); } },
        this.watchInput, make("button", { type: "submit" }, "Watch"));
      this.statePanel = make("div", { class: "state-panel" }, form, this.watchError, this.watchList, this.state);
      this.panel = make("div", { class: "beside" });
      this.beside({});
      return this.panel;
    }

    #drawState() {
      const number = this.chosen;
      const now = this.run.state(number);
      const changes = number === 0 ? [] : this.run.step(number)?.changes ?? [];
      const before = number === 0 ? null : this.run.state(number - 1);
      const changed = new Set(changes.map((one) => one.variable));
      const names = Object.keys(now).filter((name) => !before || !this.hides.checked || changed.has(name));
      const rows = names.slice(0, MOST_VARIABLES).map((name) => make("tr", { class: changed.has(name) ? "changed" : null },
        make("th", { scope: "row" }, name),
        before && make("td", {}, changed.has(name) ? show(before[name]) : ""),
        make("td", {}, show(now[name]))));
      const title = number === 0 ? "State 0, the initial state" : `State ${number}, after ${this.run.step(number)?.action ?? "steps that are left out"}`;
      replace(this.state, make("h4", {}, title), this.#atomLine(number),
        names.length ? make("table", { class: "values" }, make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "Variable"),
          before && make("th", { scope: "col" }, "Before"), make("th", { scope: "col" }, before ? "After" : "Value"))), make("tbody", {}, rows))
          : make("p", { class: "quiet" }, "This step changes nothing that is shown."),
        names.length > MOST_VARIABLES && make("p", { class: "quiet" }, `${withNoun(names.length - MOST_VARIABLES, "more variable")}; watch one by its name.`));
    }

    #atomLine(number) {
      if (!this.atoms.length) return null;
      return make("ul", { class: "atoms", "aria-label": "propositions of the formula" }, this.atoms.map(({ name, values, decisive }) =>
        make("li", { class: values[number] === "1" ? "true" : "false" }, `${name} is ${values[number] === "1" ? "true" : "false"}`,
          decisive.includes(number) && make("strong", { title: "if this value alone were different, the run would be no violation" }, " (decisive)"))));
    }

    // Expressions

    watch(text) {
      this.watchError.textContent = "";
      try {
        const expression = new Expression(text, this.names);
        expression.value(this.run.state(this.chosen), this.run.state(this.chosen - 1));
        this.#keep(expression, text);
      } catch (error) {
        if (!(error instanceof strandline.ExpressionError)) throw error;
        // An expression without a value here may have one elsewhere: `was(x)` in the initial state has none.
        if (error.message === "there is no state before") this.#keep(new Expression(text, this.names), text);
        else this.watchError.textContent = error.message;
      }
    }

    #keep(expression, text) {
      this.watches.push({ expression, text, values: new Map() });
      this.watchInput.value = "";
      this.#draw();
      this.#drawWatches();
    }

    #value(watch, number) {
      if (!watch.values.has(number)) {
        try {
          // The state before is computed first, because the run computes the other one from it.
          const before = number > 0 ? this.run.state(number - 1) : null;
          const value = watch.expression.value(this.run.state(number), before);
          watch.values.set(number, { text: typeof value === "boolean" ? String(value) : show(value), value });
        } catch (error) {
          if (!(error instanceof strandline.ExpressionError)) throw error;
          watch.values.set(number, { text: `⚠ ${error.message}`, error: true });
        }
      }
      return watch.values.get(number);
    }

    #watched(watch, number) {
      const { text, value, error } = this.#value(watch, number);
      const kind = error ? "mistake" : value === true ? "true" : value === false ? "false" : "";
      return make("span", { class: `watched ${kind}`, title: `${watch.text} is ${text}` }, text);
    }

    #drawWatches() {
      replace(this.watchList, this.watches.map((watch, place) => make("li", {},
        make("code", {}, watch.text), " is ", this.#watched(watch, this.chosen), " here. ", this.#summary(watch),
        make("button", {
          type: "button", class: "small", "aria-label": `stop watching ${watch.text}`,
          onclick: () => { this.watches.splice(place, 1); this.#draw(); this.#drawWatches(); },
        }, "✕"))));
    }

    // The states in which a condition is true; it is evaluated in each state once.
    #summary(watch) {
      if (typeof this.#value(watch, this.chosen).value !== "boolean") return null;
      const { known } = this.run;
      const where = known.filter((number) => this.#value(watch, number).value === true);
      if (where.length === known.length) return make("span", { class: "quiet" }, "True in all states. ");
      if (!where.length) return make("span", { class: "quiet" }, "True in no state. ");
      return make("span", { class: "quiet" }, `True in ${where.length.toLocaleString("en")} of ${withNoun(known.length, "state")}, first in `,
        make("button", { type: "button", class: "link", onclick: () => this.select(where[0]) }, `state ${where[0]}`), ". ");
    }

    // The lasso: a stem of dots and a ring

    #lasso() {
      this.dots = [];
      const { loop, length } = this.run;
      if (loop === null || loop === length) return null;
      const stem = spread(0, loop, MOST_DOTS);
      const ring = spread(loop, length, MOST_DOTS);
      const radius = Math.max(26, ring.length * 2.6);
      const step = stem.length > 14 ? 12 : 22;
      const left = 14 + stem.length * step;
      const middle = radius + 12;
      const dot = (number, x, y) => {
        const circle = draw("circle", { cx: x, cy: y, r: 4.5, class: "dot", onclick: () => this.select(number) }, draw("title", {}, `state ${number}`));
        this.dots.push([number, circle]);
        return circle;
      };
      const picture = draw("svg", {
        viewBox: `0 0 ${left + 2 * radius + 28} ${2 * middle}`, width: left + 2 * radius + 28, height: 2 * middle, role: "img",
        "aria-label": `a run of ${withNoun(loop, "step")}, then a loop of ${withNoun(length - loop, "step")}`,
      },
      stem.length > 0 && draw("path", { d: `M14 ${middle}H${left}`, class: "way" }),
      draw("circle", { cx: left + radius, cy: middle, r: radius, class: "way ring" }),
      stem.map((number, place) => dot(number, 14 + place * step, middle)),
      ring.map((number, place) => {
        const angle = Math.PI + (2 * Math.PI * place) / ring.length;
        return dot(number, left + radius + radius * Math.cos(angle), middle + radius * Math.sin(angle));
      }));
      const words = `${loop ? `${withNoun(loop, "step")}, then a loop` : "A loop"} of ${withNoun(length - loop, "step")} that is taken again and again.`;
      return make("div", { class: "lasso" }, picture, make("p", { class: "quiet" }, words, " ",
        make("button", { type: "button", class: "link", onclick: () => this.select(loop) }, `To state ${loop}, where the loop begins`)));
    }

    #drawDots() {
      const nearest = this.dots.reduce((best, [number]) => (number <= this.chosen && number > best ? number : best), -1);
      const wraps = this.chosen === this.run.length ? this.run.loop : nearest;
      this.dots.forEach(([number, circle]) => circle.setAttribute("class", number === wraps ? "dot here" : "dot"));
    }
  }

  // An example of an expression over a state, for the empty field.
  function example(state) {
    const found = Object.entries(state).find(([, value]) => typeof value === "number");
    return found ? `${found[0]} == 0` : Object.keys(state)[0] ?? "1 + 1";
  }

  // Numbers from `first` up to but not including `end`, at most so many of them.
  function spread(first, end, most) {
    const count = Math.min(most, end - first);
    return Array.from({ length: count }, (_, place) => first + Math.floor(((end - first) * place) / count));
  }

  strandline.TraceView = TraceView;
}
