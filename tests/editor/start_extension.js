// Activate the extension with the interfaces of the editor in place; print how it starts the server.
"use strict";

const Module = require("module");

const settings = { command: ["python", "-m", "strandline"], maxSeconds: 5, memory: 1024, executePython: true };
const vscode = {
  workspace: {
    isTrusted: process.argv[3] === "trusted",
    getConfiguration: () => ({ get: (name) => settings[name] }),
    onDidChangeConfiguration: () => ({}),
    onDidGrantWorkspaceTrust: () => ({}),
  },
  window: { showErrorMessage: (text) => console.error(text) },
};
class LanguageClient {
  constructor(id, name, server, client) {
    console.log(JSON.stringify({ server, client }));
  }
  async start() {}
}

const load = Module._load;
Module._load = (name, ...rest) =>
  name === "vscode" ? vscode : name === "vscode-languageclient/node" ? { LanguageClient } : load(name, ...rest);
require(process.argv[2]).activate({ subscriptions: [] });
