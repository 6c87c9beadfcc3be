// Elements without a framework. `make("p", {class: "note", onclick: f}, "text", child)`; `draw` does the same for SVG.
{
  const SVG = "http://www.w3.org/2000/svg";

  function fill(element, attributes, children) {
    for (const [name, value] of Object.entries(attributes || {})) {
      if (value === null || value === undefined || value === false) continue;
      if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
      else if (name === "style") Object.assign(element.style, value);
      else if (name === "value") element.value = value;
      else element.setAttribute(name, value === true ? "" : value);
    }
    add(element, children);
    return element;
  }

  function add(element, children) {
    for (const child of children.flat(3)) {
      if (child !== null && child !== undefined && child !== false) element.append(child);
    }
  }

  strandline.make = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
  strandline.draw = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);
  strandline.replace = (element, ...children) => {
    element.replaceChildren();
    add(element, children);
    return element;
  };
  strandline.number = (value) => value.toLocaleString("en");
  strandline.withNoun = (value, noun, plural) =>
    `${strandline.number(value)} ${value === 1 ? noun : plural || noun + "s"}`;

  // Tabs: buttons in a row, one panel each; arrows go from one to the next.
  strandline.tabs = (label, panels) => {
    const { make } = strandline;
    const names = Object.keys(panels);
    const id = `tabs-${(strandline.tabCount = (strandline.tabCount || 0) + 1)}`;
    const buttons = names.map((name, place) => make("button", {
      type: "button", role: "tab", id: `${id}-${place}`, "aria-controls": `${id}-panel-${place}`,
      onclick: () => show(place), onkeydown: (event) => move(event, place),
    }, name));
    const sheets = names.map((name, place) => make("div", {
      role: "tabpanel", id: `${id}-panel-${place}`, "aria-labelledby": `${id}-${place}`,
    }, panels[name].element || panels[name]));
    function show(chosen) {
      buttons.forEach((button, place) => {
        button.setAttribute("aria-selected", place === chosen);
        button.tabIndex = place === chosen ? 0 : -1;
        sheets[place].hidden = place !== chosen;
      });
      panels[names[chosen]].shown?.();
    }
    function move(event, place) {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      event.preventDefault();
      const next = (place + step + buttons.length) % buttons.length;
      show(next);
      buttons[next].focus();
    }
    show(0);
    return make("div", { class: "tabs" }, make("div", { role: "tablist", "aria-label": label }, buttons), sheets);
  };
}
