// Checks: a form, a picture of the search while it runs, a button that cancels it, and the report.
{
  const { make, draw, replace, number, bytes } = strandline;
  const EVERY = 200; // Milliseconds between two looks.
  const [WIDTH, HEIGHT] = [640, 150];

  function picture(points, running) {
    const last = points.at(-1);
    if (!last) return make("p", { class: "quiet" }, running ? "The model is being compiled …" : "");
    const longest = Math.max(last.seconds, 0.1);
    const most = Math.max(...points.map((one) => Math.max(one.states, one.stored)), 1);
    const area = (figure) => `M0 ${HEIGHT}${points.map((one) => `L${((WIDTH * one.seconds) / longest).toFixed(1)} ${(HEIGHT - (HEIGHT * one[figure]) / most).toFixed(1)}`).join("")}L${WIDTH} ${HEIGHT - (HEIGHT * last[figure]) / most}V${HEIGHT}Z`;
    const line = last.fraction === null ? null : make("div", { class: "line-track", role: "img", "aria-label": `the line has come ${Math.round(100 * last.fraction)} % of its way` },
      make("div", { class: "swept", style: { width: `${100 * last.fraction}%` } }), make("span", {}, `${last.sweep > 1 ? `sweep ${last.sweep}, ` : ""}the line at ${Math.round(100 * last.fraction)} %`));
    const words = last.doing ? `${last.doing}, ${number(last.stored)} nodes` : `${number(last.states)} states found, ${number(last.stored)} stored`;
    return make("figure", { class: "running" }, line,
      draw("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", class: "profile", role: "img", "aria-label": "states found and stored over time" },
        draw("path", { d: area("states"), class: "all" }), draw("path", { d: area("stored"), class: "live" })),
      make("figcaption", {}, `${words}, ${bytes(last.bytes)}, ${last.seconds.toFixed(1)} s`));
  }

  strandline.CheckView = class {
    constructor(ask, walk) {
      Object.assign(this, { ask, walk, current: null });
      const field = (name, label, attributes) => {
        const input = make("input", { type: "text", id: `check-${name}`, spellcheck: "false", autocapitalize: "off", ...attributes });
        this[name] = input;
        return make("label", { for: `check-${name}` }, label, input);
      };
      this.kind = make("select", { id: "check-kind", "aria-label": "kind of property" }, [
        ["declared", "declared properties"], ["invariant", "invariant"], ["reach", "can be reached"], ["deadlock", "deadlocks"],
        ["ltl", "LTL"], ["ctl", "CTL"], ["never", "never (regular expression)"],
      ].map(([value, text]) => make("option", { value }, text)));
      this.fair = make("input", { type: "checkbox", id: "check-fair" });
      this.start = make("button", { type: "submit" }, "Check");
      this.cancel = make("button", { type: "button", disabled: true, onclick: () => this.ask("cancel", { check: this.current }) }, "Cancel");
      this.status = make("p", { class: "mistake", role: "alert" });
      this.place = make("div", { "aria-live": "polite" });
      this.result = make("div", { class: "result" });
      this.element = make("section", { id: "check" }, make("h2", {}, "Check"),
        make("form", { class: "check-form", onsubmit: (event) => { event.preventDefault(); this.#begin(); } },
          make("label", { for: "check-kind" }, "Property", this.kind), field("text", "Expression or formula"),
          field("measure", "Measure (for a sweep)", { placeholder: "auto, or an expression" }), field("seconds", "Seconds at most", { inputmode: "decimal" }),
          make("label", { for: "check-fair" }, this.fair, " fair runs only"), make("div", {}, this.start, " ", this.cancel)),
        this.status, this.place, this.result);
    }

    async #begin() {
      this.status.textContent = "";
      replace(this.result);
      const begun = await this.ask("check", {
        kind: this.kind.value, text: this.text.value, measure: this.measure.value, seconds: this.seconds.value, fair: this.fair.checked,
      }, (message) => { this.status.textContent = message; });
      if (!begun) return;
      this.current = begun.check;
      this.start.disabled = true;
      this.cancel.disabled = false;
      this.cancel.focus();
      this.#look();
    }

    async #look() {
      const status = await this.ask("checked", { check: this.current }, (message) => { this.status.textContent = message; });
      if (!status) { this.#ended(); return; }
      replace(this.place, status.running || !status.result ? [picture(status.points, status.running), status.running && status.stage && make("p", { class: "quiet" }, status.stage)] : []);
      if (status.running) { setTimeout(() => this.#look(), EVERY); return; }
      this.#ended();
      if (status.error) this.status.textContent = status.error;
      if (status.result) this.#show(status.result);
    }

    #ended() {
      this.start.disabled = false;
      this.cancel.disabled = true;
      if (document.activeElement === this.cancel || document.activeElement === document.body) this.start.focus();
    }

    #show(data) {
      const check = this.current;
      replace(this.result, strandline.report(data).slice(0, -1));
      const { traces } = strandline;
      if (!traces) return;
      const button = make("button", { type: "button", id: "walk", onclick: () => this.walk(check, traces.number, traces.view.chosen) },
        "Walk from the chosen state (w)");
      traces.element.insertBefore(button, traces.place);
      traces.element.addEventListener("keydown", (event) => {
        if (event.key === "w" && !/INPUT|SELECT/.test(event.target.tagName)) button.click();
      });
      traces.element.scrollIntoView({ block: "nearest" });
      traces.view.list.focus();
    }
  };
}
