// Values of a model and runs made of them. A list is an array or a queue, {set: [...]} a set or a bag,
// {record: name, fields: {...}} a record, {integer: digits} a number too large for JavaScript; the rest is itself.
{
  const STEP = /\[([^[\]]+)\]|\.([^.[\]]+)/y;
  const EVERY = 128; // States of a run that are kept; those between are made again from the one before.

  function show(value) {
    if (value === null || value === undefined) return "None";
    if (value === true) return "True";
    if (value === false) return "False";
    if (Array.isArray(value)) return `[${value.map(show).join(", ")}]`;
    if (typeof value !== "object") return String(value);
    if ("set" in value) return `{${value.set.map(show).join(", ")}}`;
    if ("integer" in value) return value.integer;
    const fields = Object.entries(value.fields).map(([name, inner]) => `${name}=${show(inner)}`);
    return `${value.record}(${fields.join(", ")})`;
  }

  function same(one, other) {
    return one === other || (typeof one === "object" && show(one) === show(other));
  }

  // The members that the one set has more often than the other.
  function without(one, other) {
    const rest = other.map(show);
    return one.filter((value) => {
      const place = rest.indexOf(show(value));
      if (place >= 0) rest.splice(place, 1);
      return place < 0;
    });
  }

  function changeText({ name, old, now }) {
    if (old?.set && now?.set) {
      const added = without(now.set, old.set).map((one) => `+ ${show(one)}`);
      const removed = without(old.set, now.set).map((one) => `- ${show(one)}`);
      return `${name}: ${[...added, ...removed].join(" ")}`;
    }
    return `${name}: ${show(old)} → ${show(now)}`;
  }

  // Split `votes[1].says` into the variable and the path inside it.
  function located(name, state) {
    let end = name.length;
    while (end > 0 && !Object.hasOwn(state, name.slice(0, end))) {
      end = Math.max(name.lastIndexOf("[", end - 1), name.lastIndexOf(".", end - 1));
    }
    if (end <= 0) return { variable: name, way: [] };
    const way = [];
    STEP.lastIndex = end;
    for (let part = STEP.exec(name); part; part = STEP.exec(name)) {
      way.push(part[1] === undefined ? part[2] : Number(part[1]));
    }
    return { variable: name.slice(0, end), way };
  }

  const inside = (value) => (value?.fields ? value.fields : value);

  function read(state, { variable, way }) {
    return way.reduce((value, key) => inside(value)?.[key], state[variable]);
  }

  function written(value, way, now) {
    if (!way.length) return now;
    const [key, ...rest] = way;
    if (Array.isArray(value)) return value.with(key, written(value[key], rest, now));
    return { ...value, fields: { ...value.fields, [key]: written(value.fields[key], rest, now) } };
  }

  // A run: state 0, then a step to each further state. `known` are the numbers of the states that there are.
  class Run {
    constructor(data) {
      this.data = data;
      this.length = data.length;
      this.loop = data.loop;
      this.fault = data.fault;
      this.known = [];
      this.kept = new Map();
      this.steps = new Map();
      for (const piece of data.pieces) this.#take(piece);
    }

    #take({ first, state, steps }) {
      const { names, actions } = this.data;
      const places = new Map();
      let now = state;
      if (!this.known.includes(first)) this.known.push(first);
      this.kept.set(first, now);
      steps.forEach(([action, ...changed], offset) => {
        const changes = [];
        const number = first + offset + 1;
        now = { ...now };
        for (let at = 0; at < changed.length; at += 2) {
          const name = names[changed[at]];
          if (!places.has(name)) places.set(name, located(name, state));
          const place = places.get(name);
          changes.push({ name, variable: place.variable, old: read(now, place), now: changed[at + 1] });
          now[place.variable] = written(now[place.variable], place.way, changed[at + 1]);
        }
        this.steps.set(number, { action: actions[action], changes, places });
        this.known.push(number);
        if (number % EVERY === 0) this.kept.set(number, now);
      });
    }

    step(number) { return this.steps.get(number); }

    // The state of this number; undefined where it was left out.
    state(number) {
      if (this.last?.number === number) return this.last.state;
      let from = number;
      while (from >= 0 && !this.kept.has(from)) from -= 1;
      if (this.last && this.last.number < number && this.last.number > from) from = this.last.number;
      let state = this.last?.number === from ? this.last.state : this.kept.get(from);
      for (let next = from + 1; state && next <= number; next += 1) state = this.#after(state, this.steps.get(next));
      if (state) this.last = { number, state };
      return state;
    }

    #after(state, step) {
      if (!step) return undefined;
      const now = { ...state };
      for (const { name, now: value } of step.changes) {
        const { variable, way } = step.places.get(name);
        now[variable] = written(now[variable], way, value);
      }
      return now;
    }
  }

  Object.assign(strandline, { show, same, changeText, Run });
}
