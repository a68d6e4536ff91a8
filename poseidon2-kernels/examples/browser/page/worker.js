"use strict";

// What runs beside the page. It is made from its own text, so that a page opened as a file has it, too.
const WORKER = () => {
  // Files up to this length are hashed several times.
  const SMALL = 8 << 20;
  const RUNS = 5;
  // The sides by their numbers: ours, stock Plonky3.
  const SIDES = [0, 1];
  // Bytes that are read from the file at once.
  const READ = 4 << 20;

  // An error whose text is for people as it is.
  class Refusal extends Error {}

  // A part of the program's memory. JavaScript sees addresses with a sign.
  const memory = (wasm, from, length) => new Uint8Array(wasm.memory.buffer, from >>> 0, length);

  const text = (wasm) => {
    const bytes = memory(wasm, wasm.page_text(), wasm.page_text_length());
    return new TextDecoder().decode(bytes);
  };

  const answer = (wasm, right) => {
    if (!right) throw new Refusal(text(wasm));
    return text(wasm);
  };

  // Hashes the file once by both sides, by turns, and gives their roots and times.
  const run = async (wasm, file, columns, tell) => {
    const piece = wasm.page_begin(BigInt(file.size), columns) >>> 0;
    answer(wasm, piece > 0);
    const times = [0, 0];
    const timed = (side, work) => {
      const start = performance.now();
      const result = work();
      times[side] += performance.now() - start;
      return result;
    };
    const read = Math.max(1, Math.floor(READ / piece)) * piece;
    let turn = 0;
    for (let at = 0; at < file.size; at += read) {
      const bytes = new Uint8Array(await file.slice(at, at + read).arrayBuffer());
      for (let from = 0; from < bytes.length; from += piece) {
        const part = bytes.subarray(from, from + piece);
        memory(wasm, wasm.page_room(), part.length).set(part);
        answer(wasm, wasm.page_take(part.length));
        // Who goes first alternates.
        const order = turn++ % 2 ? [1, 0] : SIDES;
        for (const side of order) {
          timed(side, () => wasm.page_hash(side));
          tell(side, at + from + part.length, times[side]);
        }
      }
    }
    const roots = SIDES.map((side) => answer(wasm, timed(side, () => wasm.page_root(side))));
    return { roots, times };
  };

  self.onmessage = async ({ data: { program, file, columns } }) => {
    try {
      const { exports: wasm } = await WebAssembly.instantiate(program);
      wasm.page_kernels();
      const kernels = text(wasm);
      const runs = file.size <= SMALL ? RUNS : 1;
      const results = [];
      while (results.length < runs) {
        const before = results.length;
        const tell = (side, bytes, taken) => {
          const done = (before + bytes / file.size) / runs;
          self.postMessage({ progress: { side, done, taken, run: before + 1, runs } });
        };
        results.push(await run(wasm, file, columns, tell));
      }
      self.postMessage({ done: { kernels, results } });
    } catch (error) {
      const known = error instanceof Refusal;
      self.postMessage({ error: known ? error.message : `The file cannot be hashed: ${error}` });
    }
  };
};
