"use strict";

const element = (id) => document.getElementById(id);
const SIDES = [0, 1];
const SAMPLE = 4 << 20;

// PROGRAM and WORKER are those of program.js and worker.js.
const bytes = Uint8Array.from(atob(PROGRAM), (letter) => letter.charCodeAt(0));
const program = WebAssembly.compile(bytes);
program.catch((error) => lacking(error));
const script = URL.createObjectURL(new Blob([`(${WORKER})()`], { type: "text/javascript" }));

let worker = null;
let chosen = null;

// Milliseconds below which a time is mostly the clock's.
const SHORT = 20;

const time = (milliseconds) =>
  milliseconds < 1000 ? `${milliseconds.toFixed(1)} ms` : `${(milliseconds / 1000).toFixed(2)} s`;
const median = (...of) => of.sort((a, b) => a - b)[of.length >> 1];

const size = (count) =>
  count < 1 << 20 ? `${count} bytes` : `${+(count / (1 << 20)).toFixed(1)} MiB`;

// Says something once: it is read out.
const say = (text) => {
  if (element("status").textContent !== text) element("status").textContent = text;
};

const clear = () => {
  worker?.terminate();
  worker = null;
  for (const id of ["error", "verdict", "method"]) element(id).textContent = "";
  for (const side of SIDES) {
    element(`progress-${side}`).value = 0;
    element(`time-${side}`).textContent = "–";
    element(`root-${side}`).textContent = "";
  }
};

const refuse = (text) => {
  clear();
  say("No root.");
  element("error").textContent = text;
};

const lacking = (error) => refuse(`This browser lacks WebAssembly with SIMD: ${error}`);

const progress = (name, { side, done, taken, run, runs }) => {
  element(`progress-${side}`).value = done;
  element(`time-${side}`).textContent = time(taken);
  const quarter = Math.floor(done * 4) * 25;
  const which = runs > 1 ? `, run ${run} of ${runs}` : "";
  say(`Hashing ${name}: ${quarter} %${which}.`);
};

const done = (name, length, { kernels, results }) => {
  const times = SIDES.map((side) => results.map((result) => result.times[side]));
  const roots = results.flatMap((result) => result.roots);
  for (const side of SIDES) {
    element(`progress-${side}`).value = 1;
    element(`time-${side}`).textContent = time(median(...times[side]));
    element(`root-${side}`).textContent = results[0].roots[side];
  }
  say(`Done: ${name}, ${size(length)}.`);
  if (roots.some((root) => root !== roots[0])) {
    element("error").textContent = "The roots differ. That is a bug; please report it with the file.";
    return;
  }
  if (Math.min(...times.flat()) < SHORT) {
    element("verdict").textContent = "The roots are equal. The file is too small to compare times.";
    return;
  }
  const [ours, stock] = times.map((of) => median(...of));
  element("verdict").textContent =
    `The roots are equal. Stock Plonky3 took ${(stock / ours).toFixed(2)} times as long.`;
  const ratios = results.map(({ times: [ours, stock] }) => stock / ours);
  const [least, most] = [Math.min, Math.max].map((of) => of(...ratios).toFixed(2));
  const runs = results.length > 1 ? `Medians of ${results.length} runs (${least} to ${most})` : "One run";
  element("method").textContent =
    `${runs} of hashing alone, both by turns on the same pieces of the file. ` +
    `Instruction set of these kernels: ${kernels}. Plonky3 0.8 has its packed type and the same flags.`;
};

const start = (file) => {
  chosen = file;
  clear();
  const columns = element("columns");
  if (!columns.checkValidity()) {
    refuse(`Words in a row: ${columns.validationMessage}`);
    return;
  }
  const name = file.name ?? "made-up leaves";
  say(`Hashing ${name}.`);
  const own = new Worker(script);
  worker = own;
  own.onmessage = ({ data }) => {
    // What was under way when the worker was ended.
    if (own !== worker) return;
    if (data.progress) progress(name, data.progress);
    else if (data.done) done(name, file.size, data.done);
    else refuse(data.error);
  };
  own.onerror = (event) => refuse(`The worker cannot be started: ${event.message}`);
  const begin = (program) =>
    own.postMessage({ program, file, columns: columns.valueAsNumber });
  program.then(begin, lacking);
};

// Leaves that mean nothing, each word below 2^63.
const sample = () => {
  const parts = [];
  for (let at = 0; at < SAMPLE; at += 1 << 16) {
    const part = crypto.getRandomValues(new Uint8Array(1 << 16));
    for (let last = 7; last < part.length; last += 8) part[last] &= 0x7f;
    parts.push(part);
  }
  return new Blob(parts);
};

const drop = element("drop");
document.addEventListener("dragover", (event) => {
  event.preventDefault();
  drop.classList.add("over");
});
document.addEventListener("dragleave", (event) => {
  if (!event.relatedTarget) drop.classList.remove("over");
});
document.addEventListener("drop", (event) => {
  event.preventDefault();
  drop.classList.remove("over");
  const [file] = event.dataTransfer.files;
  if (file) start(file);
});
element("choice").addEventListener("submit", (event) => event.preventDefault());
element("file").addEventListener("change", ({ target }) => {
  if (target.files[0]) start(target.files[0]);
});
element("columns").addEventListener("change", () => {
  if (chosen) start(chosen);
});
element("sample").addEventListener("click", () => start(sample()));
