// Drives a page in headless Chromium by WebDriver, and prints what was seen as JSON. Its argument is JSON:
// { driver, page, picture, cases: [{ file, columns }] }.
import { spawn } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";

const { driver: program, page, picture, cases } = JSON.parse(process.argv[2]);

const url = pathToFileURL(page).href;

// WebDriver's names of things.
const ELEMENT = "element-6066-11e4-a52e-4f735466cecf";
const TAB = "\uE004";
const DELETE_ALL = "\uE009a\uE000\uE017";

const started = (driver) =>
  new Promise((resolve, reject) => {
    let told = "";
    driver.stdout.on("data", (data) => {
      told += data;
      const port = told.match(/started successfully on port (\d+)/);
      if (port) resolve(port[1]);
    });
    driver.on("error", reject);
    driver.on("exit", (code) => reject(new Error(`${program}: exit ${code}\n${told}`)));
  });

const driver = spawn(program, ["--port=0"], { stdio: ["ignore", "pipe", "inherit"] });
const port = await started(driver);

const ask = async (method, path, body) => {
  const address = `http://127.0.0.1:${port}/session${path}`;
  const answer = await fetch(address, { method, body: body && JSON.stringify(body) });
  const { value } = await answer.json();
  if (!answer.ok) throw new Error(`${method} ${path}: ${value.error}: ${value.message}`);
  return value;
};

const args = [
  "--headless=new",
  "--window-size=900,880",
  "--disable-dev-shm-usage",
  "--host-resolver-rules=MAP * ~NOTFOUND",
];
// Chromium has no sandbox for root.
if (process.getuid() === 0) args.push("--no-sandbox");

let session = "";
try {
  const created = await ask("POST", "", {
    capabilities: {
      alwaysMatch: {
        browserName: "chrome",
        "goog:chromeOptions": { args },
        "goog:loggingPrefs": { browser: "ALL", performance: "ALL" },
      },
    },
  });
  session = `/${created.sessionId}`;
  const post = (path, body) => ask("POST", session + path, body);
  const run = (script, ...args) => post("/execute/sync", { script, args });
  const find = async (id) =>
    (await post("/element", { using: "css selector", value: `#${id}` }))[ELEMENT];
  const type = async (id, text) => post(`/element/${await find(id)}/value`, { text });

  // Waits for a root or a refusal, and tells what the page shows.
  const outcome = async () => {
    for (let tries = 0; tries < 1200; tries++) {
      const seen = await run(`
        const text = (id) => document.getElementById(id).textContent;
        return {
          status: text("status"), error: text("error"),
          roots: [text("root-0"), text("root-1")], times: [text("time-0"), text("time-1")],
          method: text("method"), progress: window.seen,
        };`);
      if (seen.error || seen.status.startsWith("Done")) return seen;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error("neither a root nor a refusal after a minute");
  };

  // Keeps every value that a progress bar shows from now on.
  const watch = () =>
    run(`
      window.seen = [[], []];
      for (const side of [0, 1]) {
        const bar = document.getElementById("progress-" + side);
        const watcher = new MutationObserver(() => window.seen[side].push(bar.value));
        watcher.observe(bar, { attributes: true });
      }`);

  await post("/url", { url });

  // What the tabulator key reaches from the top.
  const reached = [];
  for (let n = 0; n < 3; n++) {
    const key = (type) => ({ type, value: TAB });
    const actions = [{ type: "key", id: "keys", actions: [key("keyDown"), key("keyUp")] }];
    await post("/actions", { actions });
    reached.push(await run("return document.activeElement.id;"));
  }

  const outcomes = [];
  for (const { file, columns } of cases) {
    await post("/url", { url });
    await watch();
    await type("columns", DELETE_ALL + columns);
    await type("file", file);
    outcomes.push(await outcome());
    if (outcomes.length === 1) {
      const png = await ask("GET", `${session}/screenshot`);
      await writeFile(picture, Buffer.from(png, "base64"));
    }
  }

  // The last file once more, dropped; and what the button has.
  await run(`
    const [file] = document.getElementById("file").files;
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(file);
    document.dispatchEvent(new DragEvent("drop", { dataTransfer }));`);
  const dropped = await outcome();
  await post(`/element/${await find("sample")}/click`, {});
  const sample = await outcome();

  const log = (type) => post("/se/log", { type });
  const console = (await log("browser")).map(({ level, message }) => `${level}: ${message}`);
  const events = (await log("performance")).map(({ message }) => JSON.parse(message).message);
  const requests = events.filter(({ method }) => method === "Network.requestWillBeSent");
  const urls = requests.map(({ params }) => params.request.url);
  const version = created.capabilities.browserVersion;
  const seen = { version, reached, outcomes, dropped, sample, console, urls: [...new Set(urls)] };
  process.stdout.write(JSON.stringify(seen));
} finally {
  if (session) await ask("DELETE", session).catch(() => {});
  driver.removeAllListeners("exit");
  driver.kill();
}
