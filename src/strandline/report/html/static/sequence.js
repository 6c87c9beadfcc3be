// A run as a message sequence chart: a line for each process, time goes down, arrows are messages.
{
  const { make, draw, replace } = strandline;
  const NARROWEST = 150, WIDEST = 260, ROW = 34, LEFT = 44, TOP = 14, CHARACTER = 6.7;

  class SequenceView {
    constructor(data, run, { onchoose = () => {} } = {}) {
      Object.assign(this, { data, run, onchoose, chosen: 0, drawn: false });
      this.element = make("div", { class: "sequence" });
      if (data.why) replace(this.element, make("p", { class: "quiet" }, `There is no chart: ${data.why}.`));
    }

    shown() {
      if (!this.drawn && !this.data.why) this.#draw();
      this.drawn = true;
      this.#mark();
    }

    select(number) {
      this.chosen = number;
      if (this.drawn) this.#mark();
    }

    #x(lifeline) { return LEFT + lifeline * this.width + 50; }
    #y(step) { return TOP + step * ROW + ROW / 2; }

    #draw() {
      const { lifelines, steps, messages } = this.data;
      this.width = Math.max(NARROWEST, Math.min(WIDEST, (this.element.clientWidth - LEFT - 40) / lifelines.length));
      const width = LEFT + lifelines.length * this.width + 10;
      const height = TOP + (steps.length + 1) * ROW;
      this.band = draw("rect", { x: 0, width, height: ROW, class: "band" });
      const svg = draw("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "message sequence chart" },
        draw("defs", {}, draw("marker", { id: "tip", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto" },
          draw("path", { d: "M0 0.8 7.5 4 0 7.2Z", class: "tip" }))),
        this.band, this.#loop(height),
        lifelines.map((_, place) => draw("line", { x1: this.#x(place), x2: this.#x(place), y1: 0, y2: height, class: "life" })),
        steps.map((actors, step) => this.#step(actors, step)),
        messages.map((message) => this.#message(message, steps.length)));
      const heads = make("div", { class: "heads", style: { width: `${width}px`, paddingLeft: `${LEFT + 20}px` } },
        lifelines.map((name) => make("span", { style: { width: `${this.width}px` } }, name)));
      replace(this.element, heads, svg);
    }

    #loop(height) {
      const { loop, length } = this.run;
      if (loop === null || loop >= length) return null;
      const [top, bottom] = [this.#y(loop) - ROW / 2, this.#y(length) - ROW / 2];
      return draw("g", { class: "loop" }, draw("path", { d: `M36 ${bottom}H30V${top}H36` }),
        draw("title", {}, "these steps are taken again and again"));
    }

    #step(actors, step) {
      const first = actors.length ? actors[0] : 0;
      const whole = this.run.step(step + 1)?.action ?? "";
      const owner = this.data.lifelines[first];
      const name = whole.startsWith(owner) ? whole.slice(owner.length).replace(/^[.:\s]+/, "") : whole;
      return draw("g", { class: "event", onclick: () => this.onchoose(step + 1) },
        draw("rect", { x: 0, y: this.#y(step) - ROW / 2, width: "100%", height: ROW, class: "target" }),
        draw("text", { x: 4, y: this.#y(step) + 4, class: "step-number" }, String(step + 1)),
        actors.map((one) => draw("circle", { cx: this.#x(one), cy: this.#y(step), r: 3.5, class: "event-dot" })),
        draw("text", { x: this.#x(first) + 8, y: this.#y(step) - 5, class: "event-name" }, shortened(name, Math.floor((this.width - 16) / CHARACTER))),
        draw("title", {}, whole));
    }

    #message({ from, to, text, channel }, steps) {
      if (!from && !to) return null;
      const label = channel === null ? "" : `${channel}: ${text}`;
      const start = from ? [this.#x(Math.max(0, from[1])), this.#y(from[0])] : [this.#x(Math.max(0, to[1])) - 40, this.#y(to[0])];
      const end = to ? [this.#x(Math.max(0, to[1])), this.#y(to[0])] : [start[0] + 40, start[1] + ROW / 2];
      const same = to && from && from[1] === to[1];
      const bend = same ? `C${start[0] + 50} ${start[1]} ${end[0] + 50} ${end[1]} ${end[0] + 5} ${end[1]}` : `L${end[0]} ${end[1]}`;
      // The text stands near the sender, below the arrow, on the side to which the message goes.
      const left = end[0] < start[0];
      const [x, y] = [start[0] + (left ? -10 : 10), start[1] + 15];
      return draw("g", { class: to ? "message" : "message waiting" },
        draw("path", { d: `M${start[0]} ${start[1]}${bend}` }),
        draw("text", { x, y, class: left ? "left" : null }, shortened(label, Math.floor((this.width - 20) / CHARACTER))),
        draw("title", {}, to ? label : `${label} is not received in this trace`));
    }

    #mark() {
      if (!this.band) return;
      const step = this.chosen - 1;
      this.band.setAttribute("y", this.#y(step) - ROW / 2);
      this.band.setAttribute("visibility", this.chosen ? "visible" : "hidden");
      const top = this.#y(step) - ROW;
      if (top < this.element.scrollTop || top + 2 * ROW > this.element.scrollTop + this.element.clientHeight - 30) {
        this.element.scrollTop = Math.max(0, top - this.element.clientHeight / 3);
      }
    }
  }

  function shortened(text, most) {
    return text.length > most ? `${text.slice(0, most - 1)}…` : text;
  }

  strandline.SequenceView = SequenceView;
}
