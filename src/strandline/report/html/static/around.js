// The states around the current one as a graph, laid out by the server. A click on a neighbour, or Enter, goes there.
{
  const { make, draw, replace } = strandline;
  const MARGIN = 24, LINE = 15;

  const shortened = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

  function path(points, source, target) {
    if (source === target) {
      const [x, y] = [source.x + source.width / 2, source.y];
      return { d: `M${x} ${y - 6}C${x + 34} ${y - 16} ${x + 34} ${y + 16} ${x} ${y + 6}`, label: [x + 26, y + 4] };
    }
    const way = points.map((point) => [...point]);
    const rim = (box, towards) => (towards[1] > box.y + 1 ? box.height / 2 : towards[1] < box.y - 1 ? -box.height / 2 : 0);
    way[0][1] += rim(source, points[1]);
    way[way.length - 1][1] += rim(target, points[points.length - 2]);
    if (way.length === 2) way.forEach((point) => { point[0] += source.y > target.y ? 9 : -9; });
    let d = `M${way[0]}`;
    for (let at = 1; at < way.length; at += 1) {
      const bend = (way[at][1] - way[at - 1][1]) / 2;
      d += `C${way[at - 1][0]} ${way[at - 1][1] + bend} ${way[at][0]} ${way[at][1] - bend} ${way[at]}`;
    }
    const share = source.y > target.y ? 0.7 : 0.66;
    return { d, label: [way[0][0] + (way[1][0] - way[0][0]) * share, way[0][1] + (way[1][1] - way[0][1]) * share] };
  }

  strandline.drawAround = (data, take) => {
    const { nodes, edges } = data;
    const [width, height] = [data.width + 2 * MARGIN + 40, data.height + 2 * MARGIN];
    const svg = draw("svg", { viewBox: `${-MARGIN} ${-MARGIN} ${width} ${height}`, width, height, class: "around", role: "group", "aria-label": "the states around this one" },
      draw("defs", {}, draw("marker", { id: "around-tip", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto" }, draw("path", { d: "M0 0.8 7.5 4 0 7.2Z" }))),
      edges.map((edge) => {
        const { d } = path(edge.points, nodes[edge.source], nodes[edge.target]);
        return draw("path", { d, class: "way" }, draw("title", {}, edge.lines.join("\n")));
      }),
      nodes.map((node) => {
        const go = node.step === null || node.here ? null : () => take(node.step);
        return draw("g", {
          class: `node${node.here ? " here" : ""}${go ? " near" : ""}`, tabindex: go ? 0 : null, role: go ? "button" : null,
          "aria-label": `${node.here ? "this state" : "state"}: ${node.lines.join(" ")}`, onclick: go,
          onkeydown: go && ((event) => { if (event.key === "Enter") { event.preventDefault(); event.stopPropagation(); go(); } }),
        },
        draw("rect", { x: node.x - node.width / 2, y: node.y - node.height / 2, width: node.width, height: node.height, rx: 6 }),
        node.lines.map((line, place) => draw("text", { x: node.x, y: node.y - ((node.lines.length - 1) * LINE) / 2 + place * LINE + 4 }, line)));
      }),
      edges.map((edge) => {
        const { label } = path(edge.points, nodes[edge.source], nodes[edge.target]);
        const shown = edge.lines.slice(0, 2).concat(edge.lines.length > 2 ? ["…"] : []);
        return shown.map((line, place) => draw("text", { x: label[0], y: label[1] + place * 12, class: "edge-name" }, shortened(line, 32)));
      }));
    return [svg, data.more && make("p", { class: "quiet" }, "There are more states than are drawn.")];
  };
  strandline.AroundView = class {
    constructor(ask, take) {
      Object.assign(this, { ask, take, depth: 1, wanted: false });
      this.place = make("div", { class: "around-place" });
      this.chooser = make("select", { id: "depth", onchange: () => { this.depth = Number(this.chooser.value); this.refresh(); } },
        [1, 2, 3].map((one) => make("option", { value: one }, String(one))));
      this.element = make("div", {}, make("label", { for: "depth" }, "Steps ahead: ", this.chooser), this.place);
    }

    shown() { this.wanted = true; this.refresh(); }

    async refresh() {
      if (!this.wanted || !this.element.offsetParent) return;
      const data = await this.ask("around", { depth: this.depth });
      if (!data) return;
      replace(this.place, ...strandline.drawAround(data, this.take));
      const here = data.nodes.find((node) => node.here);
      this.place.scrollLeft = here.x + MARGIN - this.place.clientWidth / 2;
    }
  };
}
