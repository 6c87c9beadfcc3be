// The page of a report, put together from its data.
{
  const { make, replace, Run, TraceView, SequenceView, SourceView, SweepView } = strandline;
  const MARKS = { sure: "✓", open: "!", note: "·" };
  const KEYS = [
    ["↑ ↓, j k", "one step up or down"], ["Page up, page down, Home, End", "further"], ["l", "to where the loop begins"],
    ["/", "search; Enter goes back to the steps"], ["c, C", "to the next or previous state in which a watched expression changes"],
    ["Tab, ← →", "from part to part, between tabs"],
  ];

  class TraceSection {
    // `opened(number, view)` is called for each trace that is opened.
    constructor(data, opened = () => {}) {
      Object.assign(this, { data, opened });
      this.place = make("div");
      this.chooser = data.traces.length > 1 && make("select", { "aria-label": "which trace", onchange: () => this.open(Number(this.chooser.value)) },
        data.traces.map((trace, number) => make("option", { value: number }, trace.title)));
      this.title = make("p", { class: "trace-title" });
      this.element = make("section", { id: "trace" }, make("h2", {}, "Trace"), this.chooser, this.title, this.place, keys());
      this.open(this.#first());
    }

    #first() {
      const violated = this.data.properties.find((one) => one.answer === "VIOLATED" && one.trace !== null);
      return (violated ?? this.data.properties.find((one) => one.trace !== null))?.trace ?? 0;
    }

    open(number, focus) {
      const { data } = this;
      this.number = number;
      const trace = data.traces[number];
      const run = new Run(trace);
      const atoms = data.properties.find((one) => one.trace === number && one.atoms.length)?.atoms ?? [];
      const view = new TraceView(run, { places: data.places, floors: data.floors, atoms });
      const onchoose = (step) => view.select(step);
      const sequence = new SequenceView(trace.sequence, run, { onchoose });
      const source = new SourceView(data.source, trace.places, { onchoose });
      view.beside({ Source: source, Chart: sequence });
      view.onselect((step) => { sequence.select(step); source.select(step); });
      if (this.chooser) this.chooser.value = number;
      this.title.textContent = trace.title;
      replace(this.place, view.element);
      this.view = view;
      view.select(0);
      this.opened(number, view);
      if (focus) { this.element.scrollIntoView(); view.list.focus(); }
    }
  }

  function keys() {
    return make("details", { class: "keys" }, make("summary", {}, "Keys"),
      make("dl", {}, KEYS.flatMap(([key, meaning]) => [make("dt", {}, key), make("dd", {}, meaning)])));
  }

  function header(data) {
    return make("header", { class: data.verdict.toLowerCase() },
      make("p", { class: "answer" }, data.answer), make("h1", {}, data.title),
      data.reason && data.verdict === "UNKNOWN" && make("p", { class: "reason" }, data.reason));
  }

  function properties(data, traces) {
    if (!data.properties.length) return null;
    return make("section", {}, make("h2", {}, "Properties"), make("div", { class: "scroll" }, make("table", { class: "properties" },
      make("tbody", {}, data.properties.map((one) => make("tr", {},
        make("td", {}, make("span", { class: `pill ${one.answer.toLowerCase()}` }, one.answer.toLowerCase())),
        make("td", {}, make("span", { class: "kind" }, one.kind && `${one.kind} `), make("code", {}, one.name)),
        make("td", {}, one.remark, " ", one.trace !== null && make("button", { type: "button", class: "link", onclick: () => traces.open(one.trace, true) }, "trace"))))))),
    data.properties.filter((one) => one.evidence).map((one) => make("div", { class: "evidence" },
      make("h3", {}, `Why '${one.name}' ${one.answer === "HOLDS" ? "holds" : "does not hold"}`),
      make("ul", { class: "tree" }, strandline.evidenceTree(one.evidence, (number) => traces.open(number, true))))),
    data.properties.filter((one) => one.components.length).map((one) => make("div", {},
      make("h3", {}, `Accepting components for '${one.name}'`),
      make("ul", {}, one.components.map((part, number) => make("li", {}, `${number + 1}: ${strandline.withNoun(part.states, "state")} `,
        part.trace !== null && make("button", { type: "button", class: "link", onclick: () => traces.open(part.trace, true) }, "run")))))));
  }

  function grounds(data) {
    return make("section", {}, make("h2", {}, "Basis of the verdict"), make("ul", { class: "grounds" },
      data.grounds.map(({ mark, text }) => make("li", { class: mark }, make("span", { class: "mark", "aria-hidden": true }, MARKS[mark]), text))));
  }

  function searches(data) {
    return data.searches.map((search) => make("section", { class: "search" }, make("h2", {}, search.title),
      make("div", { class: "scroll" }, make("table", { class: "figures" }, make("tbody", {}, search.rows.map(([title, text]) =>
        make("tr", {}, make("th", { scope: "row" }, title), make("td", {}, text)))))),
      search.profile && search.profile.stored.length > 1 && new SweepView(search).element));
  }

  function text(data) {
    const source = new SourceView(data.source, null);
    return make("section", {}, make("h2", {}, "Model"), source.element);
  }

  strandline.TraceSection = TraceSection;
  strandline.report = (data) => {
    const traces = data.traces.length ? new TraceSection(data) : null;
    strandline.traces = traces;
    return [header(data), properties(data, traces), grounds(data), traces?.element, searches(data), !traces && text(data),
      make("footer", {}, `strandline ${data.version}. This page is one file; it loads nothing and sends nothing.`)];
  };
}
