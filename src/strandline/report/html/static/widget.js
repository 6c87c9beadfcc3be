// The trace explorer as a widget of notebooks: the trace section of a report, and the chosen state shared with Python.
{
  const { TraceSection } = strandline;

  strandline.widget = ({ model, el }, style) => {
    // A shadow root keeps the style of the notebook and that of the widget apart.
    const root = el.shadowRoot ?? el.attachShadow({ mode: "open" });
    const sheet = strandline.make("style", {}, style);
    const page = strandline.make("div", { class: "widget" });
    root.replaceChildren(sheet, page);
    let ready = false;
    const share = (name, value) => {
      if (!ready || model.get(name) === value) return;
      model.set(name, value);
      model.save_changes();
    };
    const opened = (number, view) => {
      share("number", number);
      view.onselect((step) => share("position", step));
    };
    // At first the page shows the state that Python has chosen; from then on each side follows the other.
    const section = new TraceSection(model.get("data"), opened);
    if (model.get("number") !== section.number) section.open(model.get("number"));
    section.view.select(model.get("position"));
    ready = true;
    page.append(section.element);
    const chosen = () => section.view.select(model.get("position"));
    const changed = () => { if (model.get("number") !== section.number) section.open(model.get("number")); };
    model.on("change:position", chosen);
    model.on("change:number", changed);
    return () => {
      model.off("change:position", chosen);
      model.off("change:number", changed);
    };
  };
}
