// Why a formula of CTL holds or does not: a tree of its parts, each with the run that shows it.
{
  const { make, show, withNoun } = strandline;

  strandline.evidenceTree = (evidence, open) => {
    const { formula, holds, words, trace, parts, component } = evidence;
    const head = [
      make("code", {}, formula), " is ", make("strong", { class: holds ? "true" : "false" }, String(holds)),
      words && !["true here", "false here"].includes(words) ? `: ${words}` : "", " ",
      trace !== null && make("button", { type: "button", class: "link", onclick: () => open(trace) }, "show the run"),
    ];
    const inner = [
      ...parts.map((part) => strandline.evidenceTree(part, open)),
      ...(component ? [make("li", {}, make("p", {}, `A terminal component of ${withNoun(component.states, "state")}`),
        make("ul", { class: "members" }, component.members.slice(0, 20).map((state) =>
          make("li", {}, make("code", {}, Object.entries(state).map(([name, value]) => `${name}=${show(value)}`).join(" "))))))] : []),
    ];
    return make("li", {}, inner.length ? make("details", { open: true }, make("summary", {}, head), make("ul", {}, inner)) : head);
  };
}
