// The model's text, with the actions of the run's steps marked, and those of the chosen step highlighted.
{
  const { make, replace, withNoun } = strandline;

  class SourceView {
    constructor(source, places, { onchoose = () => {} } = {}) {
      Object.assign(this, { source, places, onchoose, marks: [], chosen: 0 });
      this.element = make("div", { class: "source" });
      if (source.text === null) replace(this.element, make("p", { class: "quiet" }, `${source.name}: the text is not shown: ${source.why}.`));
      else replace(this.element, this.#text());
    }

    #text() {
      const { text, name } = this.source;
      const spans = (this.places?.spans ?? []).map(([start, end], number) => ({ start, end, number }));
      const outer = spans.sort((one, other) => one.start - other.start || other.end - one.end);
      const pre = make("pre", { tabindex: 0, "aria-label": `the model, ${name}` });
      const state = { line: 1, pre };
      let at = 0;
      for (const { start, end, number } of outer) {
        if (start < at) continue; // Inside one that is marked already.
        this.#add(state, pre, text.slice(at, start));
        const mark = make("mark", { title: this.#title(number), onclick: () => this.#next(number) });
        this.marks.push({ number, mark, start, end });
        pre.append(mark);
        this.#add(state, mark, text.slice(start, end));
        at = end;
      }
      this.#add(state, pre, text.slice(at));
      this.pre = pre;
      return [make("p", { class: "quiet" }, `${name}${spans.length ? "; the actions of the trace are marked" : ""}`), pre];
    }

    #add(state, into, text) {
      text.split("\n").forEach((line, place) => {
        if (place > 0) { into.append("\n"); state.line += 1; }
        if (place > 0 || (state.line === 1 && !state.begun)) {
          state.begun = true;
          into.append(make("span", { class: "line", "data-line": state.line }));
        }
        into.append(line);
      });
    }

    #steps(number) {
      const span = this.places.spans[number];
      return this.places.steps.flatMap((numbers, step) =>
        numbers.some((one) => this.places.spans[one][0] >= span[0] && this.places.spans[one][1] <= span[1]) ? [step + 1] : []);
    }

    #title(number) { return `${withNoun(this.#steps(number).length, "step")}; click to go to the next one`; }

    #next(number) {
      const steps = this.#steps(number);
      this.onchoose(steps.find((step) => step > this.chosen) ?? steps[0]);
    }

    shown() { this.select(this.chosen); }

    select(number) {
      this.chosen = number;
      const current = number > 0 ? (this.places?.steps[number - 1] ?? []).map((one) => this.places.spans[one]) : [];
      let first = null;
      for (const { mark, start, end } of this.marks) {
        const here = current.some(([from, to]) => from >= start && to <= end);
        mark.className = here ? "here" : "";
        if (here && !first) first = mark;
      }
      if (first && this.pre.clientHeight) this.pre.scrollTop = first.offsetTop - this.pre.offsetTop - this.pre.clientHeight / 3;
    }
  }

  strandline.SourceView = SourceView;
}
