/* The checker page: takes a file, and tells what a check of it found. */
(() => {
  "use strict";
  const MOST = 64e6;
  const $ = id => document.getElementById(id);
  let data = null;

  const broken = text => ({ok: false, faults: [{part: "file", event: 0, text}], counts: {}, parts: [], engine: "", ms: 0});

  async function run() {
    if (!data) return;
    $("bar").hidden = false;
    const result = data.error ? broken(data.error) : await Checker.check(data, {
      head: $("head").value,
      plain: /[?&]plain\b/.test(location.search),
      progress: done => { $("bar").value = done; },
    });
    $("bar").hidden = true;
    tellCheck(result, $("report"), false);
    window.lastCheck = result;
  }

  /* The export in a file: JSON, the same packed, or a page that holds it. */
  async function read(file) {
    if (file.size > MOST) return {error: "This file is larger than any game."};
    try {
      const start = new Uint8Array(await file.slice(0, 2).arrayBuffer());
      const text = start[0] === 0x1f && start[1] === 0x8b
        ? await new Response(file.stream().pipeThrough(new DecompressionStream("gzip"))).text() : await file.text();
      if (!/^\s*</.test(text)) return JSON.parse(text);
      const found = new DOMParser().parseFromString(text, "text/html").querySelector("script#export");
      return await Checker.unpack(found);
    } catch {
      return {error: "This file does not contain an exported game."};
    }
  }

  async function take(file) {
    if (!file) return;
    data = await read(file);
    const about = data && data.name ? `: ${data.name}, ${(data.events || []).length} events` : "";
    $("name").textContent = file.name + about;
    run();
  }

  const drop = $("drop");
  $("file").addEventListener("change", () => take($("file").files[0]));
  $("head").addEventListener("change", run);
  for (const kind of ["dragenter", "dragover"]) {
    drop.addEventListener(kind, event => { event.preventDefault(); drop.classList.add("over"); });
  }
  drop.addEventListener("dragleave", () => drop.classList.remove("over"));
  drop.addEventListener("drop", event => { event.preventDefault(); drop.classList.remove("over"); take(event.dataTransfer.files[0]); });
})();
