// The explorer: a path through the model, the enabled steps, the states around the current one, checks.
{
  const { make, replace, withNoun, Run, TraceView, SequenceView, SourceView, AroundView, CheckView } = strandline;
  const KEYS = [
    ["↑ ↓ on the path", "back and forth"], ["Enter, 1 to 9", "take a step from the list"], ["s, p, g", "to the list of steps, to the path, to the check"],
    ["r", "a random step"], ["b", "one step back"], ["f", "one step forward along the path"], ["w on a trace", "walk along it from the chosen state"],
  ];

  class Explorer {
    constructor(model) {
      this.model = model;
      this.token = new URLSearchParams(location.search).get("token");
      this.banner = make("p", { class: "banner", role: "alert", hidden: true });
      this.pathPlace = make("div");
      this.steps = make("ol", { class: "menu", tabindex: 0, role: "listbox", id: "steps", "aria-label": "steps that can be taken", onkeydown: (event) => this.#stepKey(event) });
      this.words = make("div", { class: "words", "aria-live": "polite" });
      this.begins = make("div", { class: "toolbar" });
      this.around = new AroundView((what, given) => this.ask(what, given), (step) => this.take(step));
      this.check = new CheckView((what, given, failed) => this.ask(what, given, failed), (check, trace, number) => this.follow(check, trace, number));
      replace(document.getElementById("page"), make("header", {}, make("h1", {}, model.title), make("p", { class: "quiet" }, "explorer")), this.banner,
        make("section", { id: "here" }, make("h2", {}, "Steps from here"), this.begins, this.words, this.steps),
        make("section", { id: "path" }, make("h2", {}, "Path"), this.pathPlace), this.check.element,
        make("footer", {}, make("details", { class: "keys" }, make("summary", {}, "Keys"), make("dl", {}, KEYS.flatMap(([key, text]) => [make("dt", {}, key), make("dd", {}, text)])))));
      document.addEventListener("keydown", (event) => this.#key(event));
      this.open();
    }

    // The answer to a request, or null after an error, which has been shown.
    async ask(what, given = {}, failed = (message) => this.#say(message)) {
      let response;
      try {
        response = await fetch(`/api/${what}`, {
          method: "POST", headers: { "Content-Type": "application/json", "X-Strandline-Token": this.token },
          body: JSON.stringify({ tab: this.tab, ...given }),
        });
      } catch {
        this.#say("The server does not answer: it has ended, or was killed. What you see stays; start 'strandline serve' again and open its new address.");
        return null;
      }
      const answer = await response.json().catch(() => ({ error: `the server answers ${response.status}` }));
      if (!response.ok) { failed(answer.error); return null; }
      this.#say("");
      return answer;
    }

    #say(message) {
      this.banner.textContent = message;
      this.banner.hidden = !message;
    }

    async open() {
      const path = await this.ask("open", { tab: sessionStorage.getItem("tab") });
      if (!path) return;
      this.tab = path.tab;
      sessionStorage.setItem("tab", path.tab);
      this.#show(path);
      this.steps.focus();
    }

    async take(step) {
      const path = await this.ask("take", { step });
      if (path) this.#show(path);
    }

    async wander(count) {
      const path = await this.ask("wander", { count });
      if (path) this.#show(path);
    }

    async begin(number) {
      const path = await this.ask("begin", { number });
      if (path) this.#show(path);
    }

    async follow(check, trace, number) {
      const path = await this.ask("follow", { check, trace, number });
      if (!path) return;
      this.#show(path);
      document.getElementById("path").scrollIntoView({ block: "nearest" });
      this.view.list.focus();
    }

    async go(number) {
      const here = await this.ask("go", { number });
      if (here) this.#here(here);
    }

    // The path, with the place on it as the chosen state.
    #show(path) {
      const focused = this.view && this.view.list === document.activeElement;
      const texts = this.view ? this.view.watches.map((watch) => watch.text) : [];
      const run = new Run(path);
      this.run = run;
      const view = new TraceView(run, { places: this.model.places, floors: this.model.floors, id: "walk-path" });
      const onchoose = (step) => view.select(step);
      const sequence = new SequenceView(path.sequence, run, { onchoose });
      const source = new SourceView(this.model.source, path.places, { onchoose });
      this.view = view;
      view.beside({ Around: this.around, Source: source, Chart: sequence });
      texts.forEach((text) => view.watch(text));
      replace(this.pathPlace, view.element);
      view.select(path.here.number, false);
      let settled = path.here.number;
      view.onselect((number) => {
        sequence.select(number);
        source.select(number);
        if (number !== settled) { settled = number; this.go(number); }
      });
      this.#here(path.here);
      if (focused) view.list.focus();
    }

    #here(here) {
      this.here = here;
      const again = here.again === null ? [] : [make("p", { class: "quiet" }, `This is state ${here.again} of the path again: a loop.`)];
      replace(this.words, here.violated.map((text) => make("p", { class: "mistake" }, text)), again,
        here.labels.length > 0 && make("p", { class: "quiet" }, `labels: ${here.labels.join(", ")}`),
        here.end && make("p", { class: "end" }, here.end));
      this.#toolbar(here);
      this.chosenStep = Math.max(0, here.steps.findIndex((step) => step.step === here.following));
      this.#menu();
      this.around.refresh();
    }

    #toolbar(here) {
      const last = this.run.length;
      replace(this.begins,
        make("span", {}, `State ${here.number}${here.number < last ? ` of ${withNoun(last, "step")}` : ""}`),
        make("button", { type: "button", disabled: here.number === 0, onclick: () => this.view.select(here.number - 1) }, "Back (b)"),
        make("button", { type: "button", disabled: here.number >= last, onclick: () => this.view.select(here.number + 1) }, "Forward (f)"),
        make("button", { type: "button", disabled: !here.steps.length, onclick: () => this.wander(1) }, "Random step (r)"),
        make("button", { type: "button", onclick: () => this.begin(here.initial) }, "Start again"),
        here.initial_states > 1 && make("label", {}, "Initial state ", make("select", {
          "aria-label": "initial state", onchange: (event) => this.begin(Number(event.target.value)),
        }, Array.from({ length: Math.min(here.initial_states, 1000) }, (_, one) => make("option", { value: one, selected: one === here.initial }, String(one + 1))))));
    }

    #menu() {
      const { here } = this;
      replace(this.steps, here.steps.map((step, place) => make("li", {
        role: "option", id: `step-${place}`, "aria-selected": place === this.chosenStep,
        class: `${place === this.chosenStep ? "chosen" : ""}${step.step === here.following ? " following" : ""}${step.fault !== null ? " faults" : ""}`,
        onclick: () => this.take(step.step),
      }, make("span", { class: "number" }, String(place + 1)), make("span", { class: "action" }, step.action),
      make("span", { class: "changes" }, step.fault === null ? step.changes.join("   ") : `faults: ${step.fault}`),
      step.step === here.following && make("span", { class: "quiet" }, "the path goes on here"))),
      here.all_steps > here.steps.length && make("li", { class: "quiet" }, `${withNoun(here.all_steps - here.steps.length, "more step")}`));
      this.steps.setAttribute("aria-activedescendant", `step-${this.chosenStep}`);
      this.steps.children[this.chosenStep]?.scrollIntoView({ block: "nearest" });
    }

    #stepKey(event) {
      const move = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key];
      if (move && this.here.steps.length) {
        this.chosenStep = Math.max(0, Math.min(this.here.steps.length - 1, this.chosenStep + move));
        this.#menu();
      } else if (event.key === "Enter" && this.here.steps.length) this.take(this.here.steps[this.chosenStep].step);
      else return;
      event.preventDefault();
    }

    #key(event) {
      if (event.ctrlKey || event.metaKey || event.altKey || !this.here) return;
      if (/INPUT|SELECT|TEXTAREA/.test(event.target.tagName) || document.getElementById("check").contains(event.target)) return;
      const { here } = this;
      if (/^[1-9]$/.test(event.key) && here.steps[event.key - 1]) this.take(here.steps[event.key - 1].step);
      else if (event.key === "b" && here.number > 0) this.view.select(here.number - 1);
      else if (event.key === "f" && here.number < this.run.length) this.view.select(here.number + 1);
      else if (event.key === "r") this.wander(1);
      else if (event.key === "s") this.steps.focus();
      else if (event.key === "p") this.view.list.focus();
      else if (event.key === "g") this.check.kind.focus();
      else return;
      event.preventDefault();
    }
  }

  strandline.explorer = new Explorer(JSON.parse(document.getElementById("model").textContent));
}
