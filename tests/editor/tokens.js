// Print the tokens of a text by a TextMate grammar: node tokens.js MODULES GRAMMAR SCOPE < TEXT
"use strict";

const fs = require("fs");
const path = require("path");

const [modules, file, scope] = process.argv.slice(2);
const textmate = require(path.join(modules, "vscode-textmate"));
const oniguruma = require(path.join(modules, "vscode-oniguruma"));

async function main() {
  await oniguruma.loadWASM(fs.readFileSync(path.join(modules, "vscode-oniguruma/release/onig.wasm")).buffer);
  const registry = new textmate.Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async () => textmate.parseRawGrammar(fs.readFileSync(file, "utf8"), file),
  });
  const grammar = await registry.loadGrammar(scope);
  let stack = textmate.INITIAL;
  const found = [];
  for (const line of fs.readFileSync(0, "utf8").split("\n")) {
    const result = grammar.tokenizeLine(line, stack);
    stack = result.ruleStack;
    for (const token of result.tokens) {
      found.push([line.slice(token.startIndex, token.endIndex), token.scopes[token.scopes.length - 1]]);
    }
  }
  console.log(JSON.stringify(found));
}

main();
