// Expressions that a reader types, evaluated in the states of a run. They look like those of the models' languages:
// names, `a[1]`, `P.waiting`, `x.field`, arithmetic on integers without bounds, comparisons (also chained, and `in`),
// `and or not`, `&& || !`, `imply`, `a if c else b`, and calls: len, abs, min, max, sum, tokens, was (the state before).
{
  const TOKEN = /\s*(?:(\d+)|([A-Za-z_]\w*)|"([^"]*)"|'([^']*)'|(->|=>|\/\/|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%<>!~&|^()[\].,={}]))/y;
  const BINARY = [
    ["imply", "->", "=>"], ["or", "||"], ["and", "&&"], ["not"], ["==", "!=", "<", "<=", ">", ">=", "in", "="],
    ["|"], ["^"], ["&"], ["<<", ">>"], ["+", "-"], ["*", "/", "//", "%"],
  ];
  const NOT = 3, COMPARING = 4;
  const CONSTANTS = { true: true, True: true, false: false, False: false, None: null, null: null };
  const WORDS = new Set(["and", "or", "not", "in", "imply", "if", "else"]);

  class ExpressionError extends Error {}

  function tokens(text) {
    const found = [];
    TOKEN.lastIndex = 0;
    while (TOKEN.lastIndex < text.trimEnd().length) {
      const start = TOKEN.lastIndex;
      const token = TOKEN.exec(text);
      if (!token) throw new ExpressionError(`'${text.slice(start).trim()[0]}' is not understood`);
      const [, digits, name, quoted, single, sign] = token;
      if (digits !== undefined) found.push({ kind: "number", value: BigInt(digits) });
      else if (name !== undefined) found.push({ kind: WORDS.has(name) ? "sign" : "name", value: name });
      else if (sign !== undefined) found.push({ kind: "sign", value: sign });
      else found.push({ kind: "text", value: quoted ?? single });
    }
    return found;
  }

  class Parser {
    constructor(text) { this.tokens = tokens(text); this.at = 0; }

    whole() {
      if (!this.tokens.length) throw new ExpressionError("an expression is missing");
      const node = this.choice();
      if (this.at < this.tokens.length) throw new ExpressionError(`'${this.tokens[this.at].value}' is not expected here`);
      return node;
    }

    sign(...signs) {
      const token = this.tokens[this.at];
      if (token?.kind !== "sign" || !signs.includes(token.value)) return null;
      this.at += 1;
      return token.value;
    }

    need(sign) {
      if (!this.sign(sign)) throw new ExpressionError(`'${sign}' is missing`);
    }

    choice() {
      const node = this.binary(0);
      if (!this.sign("if")) return node;
      const condition = this.binary(0);
      this.need("else");
      return { kind: "choice", condition, then: node, otherwise: this.choice() };
    }

    binary(level) {
      if (level === BINARY.length) return this.prefix();
      if (level === NOT) return this.sign("not") ? { kind: "not", of: this.binary(NOT) } : this.binary(NOT + 1);
      if (level === COMPARING) return this.comparison();
      let left = this.binary(level + 1);
      for (let sign = this.sign(...BINARY[level]); sign; sign = this.sign(...BINARY[level])) {
        left = { kind: "binary", sign, left, right: this.binary(level === 0 ? 0 : level + 1) };
      }
      return left;
    }

    comparison() {
      const parts = [this.binary(COMPARING + 1)];
      const signs = [];
      for (;;) {
        let sign = this.sign(...BINARY[COMPARING]);
        if (!sign && this.tokens[this.at]?.value === "not" && this.tokens[this.at + 1]?.value === "in") {
          this.at += 2;
          sign = "not in";
        }
        if (!sign) break;
        signs.push(sign);
        parts.push(this.binary(COMPARING + 1));
      }
      return signs.length ? { kind: "comparison", parts, signs } : parts[0];
    }

    prefix() {
      const sign = this.sign("-", "+", "!", "~");
      if (sign === "!") return { kind: "not", of: this.prefix() };
      return sign ? { kind: "unary", sign, of: this.prefix() } : this.postfix();
    }

    postfix() {
      let node = this.primary();
      for (;;) {
        if (this.sign(".")) {
          const field = this.tokens[this.at++];
          if (!["name", "number"].includes(field?.kind)) throw new ExpressionError("a name is missing behind '.'");
          node = { kind: "field", of: node, field: String(field.value) };
        } else if (this.sign("[")) {
          node = { kind: "index", of: node, index: this.choice() };
          this.need("]");
        } else return node;
      }
    }

    primary() {
      const token = this.tokens[this.at++];
      if (!token) throw new ExpressionError("the expression ends too early");
      if (token.kind === "number" || token.kind === "text") return { kind: "constant", value: token.value };
      if (token.kind === "name") {
        if (this.sign("(")) return { kind: "call", name: token.value, given: this.list(")") };
        return token.value in CONSTANTS ? { kind: "constant", value: CONSTANTS[token.value] } : { kind: "name", name: token.value };
      }
      if (token.value === "[") return { kind: "list", items: this.list("]") };
      if (token.value === "{") return { kind: "list", items: this.list("}") };
      if (token.value !== "(") throw new ExpressionError(`'${token.value}' is not expected here`);
      const node = this.choice();
      if (this.sign(",")) return { kind: "list", items: [node, ...this.list(")")] };
      this.need(")");
      return node;
    }

    list(end) {
      const items = [];
      if (this.sign(end)) return items;
      do items.push(this.choice()); while (this.sign(","));
      this.need(end);
      return items;
    }
  }

  const { show } = strandline;
  const isNumber = (value) => ["bigint", "number", "boolean"].includes(typeof value) || value?.integer !== undefined;
  const integer = (value) => {
    if (!isNumber(value)) throw new ExpressionError(`${show(value)} is no number`);
    return BigInt(value.integer ?? value);
  };
  const truth = (value) => {
    if (!isNumber(value)) throw new ExpressionError(`${show(value)} is no condition`);
    return integer(value) !== 0n;
  };
  const equal = (one, other) =>
    isNumber(one) && isNumber(other) ? integer(one) === integer(other) : show(one) === show(other);
  const members = (value) => {
    const found = Array.isArray(value) ? value : value?.set;
    if (!found) throw new ExpressionError(`${show(value)} holds no values`);
    return found;
  };

  function divided(sign, left, right, floors) {
    if (right === 0n) throw new ExpressionError("division by zero");
    const rest = left % right;
    const down = rest !== 0n && (rest < 0n) !== (right < 0n);
    if (sign === "/") return left / right;
    if (sign === "//") return left / right - (down ? 1n : 0n);
    return floors && down ? rest + right : rest;
  }

  const ARITHMETIC = {
    "+": (a, b) => a + b, "-": (a, b) => a - b, "*": (a, b) => a * b, "&": (a, b) => a & b, "|": (a, b) => a | b,
    "^": (a, b) => a ^ b, "<<": (a, b) => a << b, ">>": (a, b) => a >> b,
  };
  const ORDER = {
    "<": (a, b) => a < b, "<=": (a, b) => a <= b, ">": (a, b) => a > b, ">=": (a, b) => a >= b,
  };
  const CALLS = {
    len: (value) => BigInt(members(value).length),
    abs: (value) => { const number = integer(value); return number < 0n ? -number : number; },
    min: (...given) => chosen(given, (a, b) => a < b),
    max: (...given) => chosen(given, (a, b) => a > b),
    sum: (value) => members(value).reduce((total, one) => total + integer(one), 0n),
    tokens: (...given) => given.reduce((total, one) => total + integer(one), 0n),
  };

  function chosen(given, better) {
    const numbers = (given.length === 1 && !isNumber(given[0]) ? members(given[0]) : given).map(integer);
    if (!numbers.length) throw new ExpressionError("there is no value to choose from");
    return numbers.reduce((best, one) => (better(one, best) ? one : best));
  }

  // An expression; `value(state, before)` evaluates it. `places` are the locations of processes by the names of the
  // variables that hold them, `floors` says whether a remainder has the sign of the divisor.
  class Expression {
    constructor(text, { places = {}, floors = true } = {}) {
      this.text = text;
      this.places = places;
      this.floors = floors;
      this.node = new Parser(text).whole();
    }

    value(state, before) {
      this.state = state;
      this.before = before;
      const found = this.#of(this.node);
      return typeof found === "bigint" ? plain(found) : found;
    }

    #of(node) {
      switch (node.kind) {
        case "constant": return node.value;
        case "list": return node.items.map((item) => this.#of(item));
        case "not": return !truth(this.#of(node.of));
        case "unary": return this.#unary(node.sign, integer(this.#of(node.of)));
        case "choice": return truth(this.#of(node.condition)) ? this.#of(node.then) : this.#of(node.otherwise);
        case "binary": return this.#binary(node);
        case "comparison": return node.signs.every((sign, at) =>
          this.#compares(sign, this.#of(node.parts[at]), this.#of(node.parts[at + 1])));
        case "call": return this.#call(node);
        default: {
          const { value, prefix } = this.#reference(node);
          if (prefix !== undefined) throw new ExpressionError(`'${prefix}' is no value by itself${this.#hint(prefix)}`);
          return value;
        }
      }
    }

    #unary(sign, value) {
      return sign === "-" ? -value : sign === "~" ? ~value : value;
    }

    #binary({ sign, left, right }) {
      if (["and", "&&"].includes(sign)) return truth(this.#of(left)) && truth(this.#of(right));
      if (["or", "||"].includes(sign)) return truth(this.#of(left)) || truth(this.#of(right));
      if (["imply", "->", "=>"].includes(sign)) return !truth(this.#of(left)) || truth(this.#of(right));
      const [one, other] = [integer(this.#of(left)), integer(this.#of(right))];
      return ARITHMETIC[sign] ? ARITHMETIC[sign](one, other) : divided(sign, one, other, this.floors);
    }

    #compares(sign, one, other) {
      if (sign === "==" || sign === "=") return equal(one, other);
      if (sign === "!=") return !equal(one, other);
      if (sign.endsWith("in")) return members(other).some((member) => equal(member, one)) === (sign === "in");
      return ORDER[sign](integer(one), integer(other));
    }

    #call({ name, given }) {
      if (name === "was") return this.#was(given);
      if (!Object.hasOwn(CALLS, name)) throw new ExpressionError(`there is no '${name}(...)' here (there are ${Object.keys(CALLS).join(", ")}, was)`);
      if (name !== "tokens") return CALLS[name](...given.map((one) => this.#of(one)));
      return CALLS.tokens(...given.map((one) => one.kind === "constant" && typeof one.value === "string"
        ? this.#variable(one.value) : this.#of(one)));
    }

    #was(given) {
      if (given.length !== 1) throw new ExpressionError("was(...) takes one expression");
      if (!this.before) throw new ExpressionError("there is no state before");
      const { state, before } = this;
      this.state = before;
      this.before = null;
      try { return this.#of(given[0]); } finally { Object.assign(this, { state, before }); }
    }

    #variable(name) {
      if (!Object.hasOwn(this.state, name)) throw new ExpressionError(`'${name}' is not known${this.#hint(name)}`);
      return this.state[name];
    }

    // A value with the name of the variable that holds it, or the beginning of names of variables.
    #reference(node) {
      if (node.kind === "name") return this.#named(node.name);
      const of = ["name", "field", "index"].includes(node.of?.kind) ? this.#reference(node.of) : { value: this.#of(node.of) };
      return node.kind === "field" ? this.#field(of, node.field) : this.#element(of, this.#of(node.index));
    }

    #named(name) {
      if (Object.hasOwn(this.state, name)) return { value: this.state[name], name };
      if (this.#begins(name)) return { prefix: name };
      throw new ExpressionError(`'${name}' is not known${this.#hint(name)}`);
    }

    #begins(prefix) {
      return Object.keys(this.state).some((one) => one.startsWith(prefix) && /^([.[]|_\d)/.test(one.slice(prefix.length)));
    }

    #field(of, field) {
      const whole = `${of.prefix ?? of.name}.${field}`;
      if ((of.prefix ?? of.name) !== undefined && Object.hasOwn(this.state, whole)) return { value: this.state[whole], name: whole };
      if (of.prefix !== undefined || (of.name !== undefined && this.#begins(whole))) return this.#named(whole);
      if (of.value?.fields) {
        if (!Object.hasOwn(of.value.fields, field)) throw new ExpressionError(`${of.value.record} has no field '${field}'`);
        return { value: of.value.fields[field] };
      }
      const places = this.places[of.name];
      if (places?.includes(field)) return { value: of.value === field };
      if (places && field === "state") return { value: places.indexOf(of.value) };
      if (places) throw new ExpressionError(`${of.name} has no location '${field}' (it has ${places.slice(0, 12).join(", ")})`);
      if (field === "length") return { value: members(of.value).length };
      // DVE: a part of all messages of a channel; behind the last message it is 0.
      if (Array.isArray(of.value) && /^\d+$/.test(field)) {
        return { value: of.value.map((message) => (Array.isArray(message) ? message[field] : message)), name: whole, padded: true };
      }
      throw new ExpressionError(`${of.name ?? show(of.value)} has no '${field}'`);
    }

    #element(of, index) {
      if (of.prefix !== undefined) return this.#named(`${of.prefix}_${integer(index)}`);
      if (!Array.isArray(of.value)) throw new ExpressionError(`${of.name ?? show(of.value)} has no elements`);
      const place = integer(index);
      if (of.padded && place >= BigInt(of.value.length)) return { value: 0 };
      if (!of.value.length) throw new ExpressionError(`${of.name ?? "this"} is empty`);
      if (place < 0n || place >= BigInt(of.value.length)) throw new ExpressionError(`index ${place} is outside 0..${of.value.length - 1}`);
      return { value: of.value[Number(place)] };
    }

    #hint(name) {
      const start = name.slice(0, 2).toLowerCase();
      const near = Object.keys(this.state).filter((one) => one.toLowerCase().startsWith(start)).slice(0, 5);
      const shown = near.length ? near : Object.keys(this.state).slice(0, 5);
      return ` (the trace has ${shown.join(", ")}${Object.keys(this.state).length > shown.length ? ", ..." : ""})`;
    }
  }

  function plain(value) {
    return value >= -(2n ** 53n) && value <= 2n ** 53n ? Number(value) : { integer: String(value) };
  }

  Object.assign(strandline, { Expression, ExpressionError });
}
