// A plot of a search: expansions in each layer, and states stored while the line was there, beside the number that had
// been found by then. A slider moves the line.
{
  const { make, draw, number, withNoun } = strandline;
  const WIDTH = 720, PANEL = 120, LEFT = 1;

  function bytes(count) {
    for (const [unit, size] of [["GB", 2 ** 30], ["MB", 2 ** 20], ["kB", 2 ** 10]]) {
      if (count >= size) return `${(count / size).toPrecision(3)} ${unit}`;
    }
    return `${Math.round(count)} bytes`;
  }

  class SweepView {
    constructor(search) {
      this.search = search;
      const { profile } = search;
      this.count = profile.stored.length;
      this.found = [];
      // Stored states have been found, though they may not be expanded yet.
      let expanded = 0;
      profile.visited.forEach((here, place) => { this.found[place] = Math.max(expanded += here, profile.stored[place]); });
      this.sweeps = search.order === "sweep";
      this.again = profile.revisited.some(Boolean); // Then it is not known which of the expanded states are the same.
      this.readout = make("output", { class: "readout" });
      this.slider = make("input", {
        type: "range", min: 0, max: this.count - 1, value: 0, "aria-label": this.sweeps ? "the layer of the sweep-line" : "the level described below", oninput: () => this.move(Number(this.slider.value)),
      });
      this.play = make("button", { type: "button", onclick: () => this.#toggle() }, this.#moving());
      this.picture = this.#draw();
      this.element = make("figure", { class: "sweep" }, this.#against(), this.picture,
        make("div", { class: "toolbar" }, this.play, this.slider), this.readout, this.#legend());
      this.move(this.#peak());
      this.slider.value = this.#peak();
    }

    #peak() {
      const { stored } = this.search.profile;
      return stored.indexOf(Math.max(...stored));
    }

    // Two bars: the most states stored at a time, and all states.
    #against() {
      const { states, visited, peak_states: peak, peak_bytes: size } = this.search;
      const all = Math.max(states ?? visited, peak);
      if (!all || !peak) return null;
      const share = peak / all;
      const bar = (label, part, kind) => make("div", { class: "bar-row" },
        make("div", { class: `bar ${kind}`, style: { width: `${Math.max(0.4, 100 * part)}%` } }), make("span", {}, label));
      return make("div", { class: "bars", role: "img", "aria-label": `${number(peak)} of ${number(all)} states stored at most` },
        bar(`${withNoun(all, states === null ? "visit" : "state")} in all`, 1, "all"),
        bar(`${withNoun(peak, "state")} stored at most, ${(100 * share).toPrecision(3)} %${size ? `, ${bytes(size)}` : ""}`, share, "live"));
    }

    #x(place) { return LEFT + ((WIDTH - 2 * LEFT) * place) / this.count; }

    #bars(values, most, kind) {
      const width = (WIDTH - 2 * LEFT) / this.count;
      const path = values.map((value, place) => {
        const height = Math.max(value ? 0.7 : 0, (PANEL * value) / most);
        return `M${this.#x(place).toFixed(2)} ${PANEL}v${(-height).toFixed(2)}h${width.toFixed(2)}v${height.toFixed(2)}z`;
      });
      return draw("path", { d: path.join(""), class: kind });
    }

    #area(values, most, kind) {
      const points = values.map((value, place) =>
        `L${this.#x(place).toFixed(2)} ${(PANEL - (PANEL * value) / most).toFixed(2)}L${this.#x(place + 1).toFixed(2)} ${(PANEL - (PANEL * value) / most).toFixed(2)}`);
      return draw("path", { d: `M${LEFT} ${PANEL}${points.join("")}L${this.#x(this.count)} ${PANEL}Z`, class: kind });
    }

    // Two panels, as wide as the page; their texts stand outside of them and keep their size.
    #draw() {
      const { profile } = this.search;
      const most = Math.max(...profile.visited, 1);
      const total = Math.max(this.found.at(-1), ...profile.stored, 1);
      this.lines = [];
      return make("div", {},
        make("p", { class: "chart-title" }, `States expanded in each ${this.#part()}, at most ${number(most)}`),
        this.#panel("states expanded, by layer", this.#bars(profile.visited, most, "visited"),
          this.#bars(profile.revisited, most, "revisited"), this.#bars(profile.persistent, most, "persistent")),
        make("p", { class: "chart-title" }, `${this.again ? "Expansions so far, repeated ones included" : "Found so far"}, and stored ${this.sweeps ? "while the line was here" : "by then"}`),
        this.#panel("states found and stored, by layer", this.#area(this.found, total, "all"), this.#area(profile.stored, total, "live")),
        make("p", { class: "ends" }, make("span", {}, this.#key(profile.first[0])), make("span", {}, this.#key(profile.last.at(-1)))));
    }

    #panel(label, ...inner) {
      const line = draw("path", { d: `M0 0V${PANEL}`, class: "line" });
      this.lines.push(line);
      return draw("svg", { viewBox: `0 0 ${WIDTH} ${PANEL}`, preserveAspectRatio: "none", role: "img", "aria-label": label, class: "profile" }, inner, line);
    }

    #moving() { return this.sweeps ? "▶ Move the line" : "▶ Go through the levels"; }

    #part() {
      const several = this.search.profile.layers.some((one) => one > 1);
      const name = this.sweeps ? "layer" : "level";
      return several ? `group of ${name}s` : name;
    }

    #key([column, layer]) {
      const { first, last } = this.search.profile;
      if (!this.sweeps) return `distance ${number(layer)}`;
      if (first[0][0] === last.at(-1)[0]) return `layer ${number(layer)}`;
      const plain = first.concat(last).every((key) => key[1] === first[0][1]);
      return plain ? `column ${number(column)}` : `column ${number(column)}, layer ${number(layer)}`;
    }

    #legend() {
      const { profile } = this.search;
      const entry = (kind, text) => make("span", { class: `key ${kind}` }, text);
      return make("figcaption", {}, entry("visited", this.sweeps ? "expanded in the first pass of the line" : "expanded"),
        profile.revisited.some(Boolean) && entry("revisited", "expanded in later passes"),
        profile.persistent.some(Boolean) && entry("persistent", "persistent states"),
        entry("all", this.again ? "all expanded so far" : "all found so far"), entry("live", "stored"),
        entry("slid", this.sweeps ? "the sweep-line; the slider moves it" : "the level described below; the slider selects it"));
    }

    move(place) {
      const { profile } = this.search;
      const x = (this.#x(place) + this.#x(place + 1)) / 2;
      this.lines.forEach((line) => line.setAttribute("d", `M${x} 0V${PANEL}`));
      const gone = this.found[place] - profile.stored[place];
      const parts = [`${this.#key(profile.first[place])}: ${withNoun(profile.visited[place], "state")} expanded`];
      if (profile.revisited[place]) parts.push(`${number(profile.revisited[place])} of them in later passes of the line`);
      if (profile.persistent[place]) parts.push(`${number(profile.persistent[place])} persistent`);
      parts.push(`${number(profile.stored[place])} stored`);
      if (this.sweeps && gone > 0 && !this.again) parts.push(`${number(gone)} deleted by then`);
      this.readout.textContent = `${parts.join(", ")}.`;
    }

    #toggle() {
      if (this.timer) return this.#stop();
      if (Number(this.slider.value) >= this.count - 1) this.slider.value = 0;
      const pause = Math.max(16, Math.min(200, 6000 / this.count));
      this.play.textContent = "⏸ Stop";
      this.timer = setInterval(() => {
        this.slider.value = Number(this.slider.value) + 1;
        this.move(Number(this.slider.value));
        if (Number(this.slider.value) >= this.count - 1) this.#stop();
      }, pause);
      return undefined;
    }

    #stop() {
      clearInterval(this.timer);
      this.timer = null;
      this.play.textContent = this.#moving();
    }
  }

  Object.assign(strandline, { SweepView, bytes });
}
