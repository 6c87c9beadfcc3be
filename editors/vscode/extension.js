// Starts `strandline lsp` and connects the editor to it; everything else is done by the server.
"use strict";

const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

function serverOptions() {
  const settings = vscode.workspace.getConfiguration("strandline");
  const [command, ...first] = settings.get("command");
  const args = [
    ...first,
    "lsp",
    "--max-seconds",
    String(settings.get("maxSeconds")),
    "--memory",
    String(settings.get("memory")),
  ];
  if (settings.get("executePython") && vscode.workspace.isTrusted) {
    args.push("--allow-python");
  }
  return { command, args };
}

const documentSelector = [
  { scheme: "file", language: "dve" },
  { scheme: "file", language: "psl" },
  { scheme: "file", language: "lotus" },
  { scheme: "file", pattern: "**/*.{aut,lola,pml,pnml,prom,promela,ss}" },
  { scheme: "file", pattern: "**/expected.toml" },
  { scheme: "file", language: "python" },
];

async function start() {
  client = new LanguageClient("strandline", "Strandline", serverOptions(), { documentSelector });
  try {
    await client.start();
  } catch (error) {
    vscode.window.showErrorMessage(
      `Strandline does not start: ${error.message}. Install it with: pip install 'strandline[lsp]'`,
    );
  }
}

async function stop() {
  const running = client;
  client = undefined;
  if (running && running.isRunning()) {
    await running.stop();
  }
}

async function restart() {
  await stop();
  await start();
}

async function activate(context) {
  context.subscriptions.push(
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("strandline")) {
        restart();
      }
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(restart),
  );
  await start();
}

module.exports = { activate, deactivate: stop };
