/* The checker: recomputes an export from nothing but the export. No dependency, no network, one global: Checker. */
const Checker = (() => {
  "use strict";
  const utf8 = new TextEncoder();
  const hex = bytes => Array.from(bytes, b => b.toString(16).padStart(2, "0")).join("");
  const unhex = text => Uint8Array.from(text.match(/../g) || [], pair => parseInt(pair, 16));
  const well = text => text.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "?");
  const bytesOf = text => utf8.encode(text);

  /* SHA-256 in plain JavaScript: for pages on http://, where the browser keeps WebCrypto to itself. */
  const PRIMES = []; for (let n = 2; PRIMES.length < 64; n++) if (PRIMES.every(p => n % p)) PRIMES.push(n);
  const frac = (x, r) => { const y = Math.pow(x, r); return ((y - Math.floor(y)) * 4294967296) | 0; };
  const K = Int32Array.from(PRIMES, p => frac(p, 1 / 3)), H0 = Int32Array.from(PRIMES.slice(0, 8), p => frac(p, 1 / 2));
  const W = new Int32Array(64);
  function sha256(bytes) {
    const n = bytes.length, m = new Uint8Array(((n + 72) >> 6) << 6); m.set(bytes); m[n] = 128;
    const v = new DataView(m.buffer); v.setUint32(m.length - 4, n << 3); v.setUint32(m.length - 8, Math.floor(n / 536870912));
    const h = Int32Array.from(H0);
    for (let o = 0; o < m.length; o += 64) {
      for (let i = 0; i < 16; i++) W[i] = v.getInt32(o + 4 * i);
      for (let i = 16; i < 64; i++) {
        const a = W[i - 15], b = W[i - 2];
        W[i] = W[i - 16] + ((a >>> 7 | a << 25) ^ (a >>> 18 | a << 14) ^ a >>> 3) + W[i - 7] + ((b >>> 17 | b << 15) ^ (b >>> 19 | b << 13) ^ b >>> 10);
      }
      let a = h[0], b = h[1], c = h[2], d = h[3], e = h[4], f = h[5], g = h[6], q = h[7];
      for (let i = 0; i < 64; i++) {
        const t1 = q + ((e >>> 6 | e << 26) ^ (e >>> 11 | e << 21) ^ (e >>> 25 | e << 7)) + (e & f ^ ~e & g) + K[i] + W[i] | 0;
        const t2 = ((a >>> 2 | a << 30) ^ (a >>> 13 | a << 19) ^ (a >>> 22 | a << 10)) + (a & b ^ a & c ^ b & c) | 0;
        q = g; g = f; f = e; e = d + t1 | 0; d = c; c = b; b = a; a = t1 + t2 | 0;
      }
      h[0] += a; h[1] += b; h[2] += c; h[3] += d; h[4] += e; h[5] += f; h[6] += g; h[7] += q;
    }
    const out = new Uint8Array(32), ov = new DataView(out.buffer); h.forEach((x, i) => ov.setInt32(4 * i, x)); return out;
  }
  function plainMac(key) {
    const long = key.length > 64 ? sha256(key) : key;
    const pad = x => { const k = new Uint8Array(64).fill(x); long.forEach((b, i) => k[i] ^= b); return k; };
    const inner = pad(0x36), outer = pad(0x5c), join = (a, b) => { const r = new Uint8Array(a.length + b.length); r.set(a); r.set(b, a.length); return r; };
    return message => sha256(join(outer, sha256(join(inner, message))));
  }
  const subtle = () => (typeof crypto !== "undefined" && crypto.subtle) || null;
  const engine = plain => {
    const web = plain ? null : subtle();
    if (!web) return {name: "plain JavaScript", sha: async b => sha256(b), mac: async key => { const f = plainMac(key); return async m => f(m); }};
    return {name: "WebCrypto", sha: async b => new Uint8Array(await web.digest("SHA-256", b)),
      mac: async key => { const k = await web.importKey("raw", key, {name: "HMAC", hash: "SHA-256"}, false, ["sign"]);
        return async m => new Uint8Array(await web.sign("HMAC", k, m)); }};
  };

  /* The one JSON text of a value: keys by code point, no blanks, only the necessary escapes. */
  const points = (a, b) => { const x = Array.from(a), y = Array.from(b);
    for (let i = 0; i < Math.min(x.length, y.length); i++) { const d = x[i].codePointAt(0) - y[i].codePointAt(0); if (d) return d; }
    return x.length - y.length; };
  const ascii = /^[\x00-\x7f]*$/;
  function canonical(value) {
    if (Array.isArray(value)) return "[" + value.map(canonical).join(",") + "]";
    if (value && typeof value === "object") {
      const keys = Object.keys(value); keys.every(k => ascii.test(k)) ? keys.sort() : keys.sort(points);
      return "{" + keys.map(k => JSON.stringify(well(k)) + ":" + canonical(value[k])).join(",") + "}";
    }
    return JSON.stringify(typeof value === "string" ? well(value) : value);
  }

  /* One die: the face, and the numbers that lead to it, for whoever wants to see them. */
  async function draw(mac, game, event, at, sides, texts) {
    for (let attempt = 0; attempt < 64; attempt++) {
      const message = `${game}:${event}:${at}:${texts}:${attempt}`, digest = await mac(bytesOf(message));
      const view = new DataView(digest.buffer, digest.byteOffset, 32), below = Math.floor(4294967296 / sides) * sides;
      for (let i = 0; i < 8; i++) { const word = view.getUint32(4 * i);
        if (word < below) return {index: word % sides + 1, word, place: i, message, digest: hex(digest)}; }
    }
    throw new Error("no face in 64 tries");
  }
  const NO_TEXTS = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
  const own = (o, k) => o != null && typeof o === "object" && Object.prototype.hasOwnProperty.call(o, k);
  const isMap = v => v !== null && typeof v === "object" && !Array.isArray(v);
  const equal = (a, b) => canonical(a) === canonical(b);

  /* Published test vectors (docs/dice.md): a checker that fails its own test says so and checks nothing. */
  async function selfTest(eng) {
    const seed = Uint8Array.from({length: 32}, (_, i) => i), mac = await eng.mac(seed), got = [];
    if (hex(await eng.sha(seed)) !== "630dcd2966c4336691125448bbb25b4ff412a49c732db2c8abc1b8581bd710dd") return false;
    for (let i = 0; i < 6; i++) got.push((await draw(mac, "a1b2c3d4e5f60718", 2, i, 20, NO_TEXTS)).index);
    const big = (await draw(mac, "a1b2c3d4e5f60718", 3, 186, 2147483649, NO_TEXTS)).index;
    return got.join() === "19,14,12,14,17,5" && big === 983927020;
  }

  /* Who promised what, and when it came into force: [{from, commitment, digest, seed}] */
  function promises(data, fault) {
    const list = []; let current = null;
    for (const event of data.events) {
      const body = event.body || {}, secret = body.secret;
      if (isMap(secret)) {
        if (own(secret, "commitment")) {
          current = {epoch: list.length + 1, from: event.number, commitment: String(secret.commitment), digest: NO_TEXTS, seed: "", drawn: false, texts: []};
          if (secret.epoch !== current.epoch) fault("seeds", event.number, `It begins seed ${secret.epoch}, but the next one is ${current.epoch}.`);
          list.push(current);
        } else if (current && current.drawn) fault("texts", event.number, "The players’ texts were changed after the first die had fallen.");
        if (current) { current.digest = String(secret.digest || current.digest); if (!own(secret, "commitment")) current.texts.push(event.number); }
      }
      if (current && ((body.dice && body.dice.length) || own(body, "sealed")) && !body.hand) current.drawn = true;
    }
    return list;
  }
  const standing = (list, number) => list.filter(p => p.from < number).pop() || null;

  function readable(data) {
    if (!isMap(data) || data.format !== "grognard-game") return "This is not a game exported by Grognard.";
    if (!Array.isArray(data.events) || data.events.some(e => !isMap(e) || !isMap(e.body) || !Number.isInteger(e.number) || typeof e.hash !== "string")) return "The file is damaged: its events cannot be read.";
    for (const part of ["seeds", "texts", "persons"]) if (data[part] !== undefined && (!Array.isArray(data[part]) || data[part].some(x => !isMap(x)))) return `The file is damaged: its ${part} cannot be read.`;
    if (typeof data.game !== "string") return "The file is damaged: it names no game.";
    return "";
  }

  async function check(data, {head = "", plain = false, progress = () => {}} = {}) {
    const started = performance.now(), eng = engine(plain), faults = [];
    const fault = (part, event, text) => faults.push({part, event, text});
    const broken = readable(data);
    if (broken) return {ok: false, faults: [{part: "file", event: 0, text: broken}], counts: {}, parts: [], engine: eng.name, ms: 0};
    if (!await selfTest(eng)) return {ok: false, faults: [{part: "file", event: 0, text: "This browser does not compute SHA-256 as published. Nothing was checked."}], counts: {}, parts: [], engine: eng.name, ms: 0};
    const events = data.events, texts = data.texts || [], seeds = data.seeds || [], count = {events: events.length, dice: 0, waiting: 0, hand: 0, sealed: 0, texts: 0, changes: 0};
    let last = performance.now(), done = 0; const total = events.length * 2 + texts.length + 1;
    const tick = async () => { done++; if (performance.now() - last > 40) { progress(done / total); await new Promise(r => setTimeout(r)); last = performance.now(); } };

    /* 1 the dice first: what they say makes the words about the chain clearer */
    const list = promises(data, fault), seedOk = new Map();
    for (const row of seeds) {
      const p = list[row.epoch - 1];
      if (!p) { fault("seeds", 0, `Seed ${row.epoch} is in the file, but no event promised it.`); continue; }
      if (row.commitment !== p.commitment) fault("seeds", p.from, `Seed ${row.epoch}: the file’s commitment is not the one published in event ${p.from}.`);
      if (row.seed) {
        if (!/^([0-9a-f]{2})+$/.test(row.seed) || hex(await eng.sha(unhex(row.seed))) !== p.commitment) { fault("seeds", p.from, `Seed ${row.epoch} is the wrong one: it is not what was promised in event ${p.from} before the first die.`); seedOk.set(p.epoch, false); }
        else p.seed = row.seed;
      }
    }
    for (const event of events) {
      const told = event.body.revealed; if (!isMap(told)) continue;
      const p = list[told.epoch - 1], seed = String(told.seed || "");
      if (!p || !/^([0-9a-f]{2})+$/.test(seed) || hex(await eng.sha(unhex(seed))) !== p.commitment) { fault("seeds", event.number, "The seed that it publishes is not the one that was promised."); if (p) seedOk.set(p.epoch, false); }
      else p.seed = seed;
    }
    const byKey = new Map(texts.map(t => [t.event + "\n" + t.key, t]));
    const opened = number => { const t = byKey.get(number + "\nsealed"); if (!t) return null; try { const v = JSON.parse(t.text); return isMap(v) ? v : {}; } catch { return {}; } };
    const macs = new Map(), wrongDice = new Map();
    for (const event of events) {
      const sealed = own(event.body, "sealed"), content = sealed ? opened(event.number) : event.body;
      if (sealed && !content) count.sealed++;
      const dice = content && content.dice;
      if (Array.isArray(dice) && dice.length) {
        const p = standing(list, event.number);
        if (content.hand === true) count.hand += dice.length;
        else if (!p) fault("dice", event.number, "Dice fell before any commitment was published.");
        else if (!p.seed) { if (seedOk.get(p.epoch) === undefined) count.waiting += dice.length; else count.unproved = (count.unproved || 0) + dice.length; }
        else {
          if (!macs.has(p.epoch)) macs.set(p.epoch, await eng.mac(unhex(p.seed)));
          for (let i = 0; i < dice.length; i++) {
            const die = dice[i], sides = isMap(die) ? die.sides : 0;
            if (!Number.isInteger(sides) || sides < 1 || sides > 4294967296) { fault("dice", event.number, `Die ${i + 1} cannot be read.`); continue; }
            const got = await draw(macs.get(p.epoch), data.game, event.number, i, sides, p.digest);
            const face = Array.isArray(die.faces) ? die.faces[got.index - 1] : got.index;
            count.dice++;
            if (face !== die.value) { fault("dice", event.number, `Die ${i + 1} (${die.label || "d" + sides}) shows ${die.value}; the seed gives ${face}.`); wrongDice.set(event.number, true); }
          }
        }
      }
      await tick();
    }

    /* Many wrong dice in a row have one cause; say it first. */
    const wrong = faults.filter(f => f.part === "dice"), firstWrong = wrong.length ? wrong[0].event : 0;
    if (wrong.length > 8) {
      const rolled = events.filter(e => Array.isArray(e.body.dice) && e.body.dice.length && !e.body.hand), before = rolled.filter(e => e.number < firstWrong).length, after = rolled.filter(e => e.number >= firstWrong);
      if (after.filter(e => wrongDice.get(e.number)).length > after.length * .6) faults.unshift({part: "dice", event: before ? firstWrong : 0, text: before ?
        `From #${firstWrong} on hardly a die fits: an event before it was probably taken out (or put in), and the rest numbered anew.` : "Hardly a die fits: these dice were not rolled with this seed and these texts."});
    }

    /* 2 the chain */
    let previous = hex(await eng.sha(bytesOf(data.game))), expected = 1;
    const numbers = new Set(events.map(e => e.number)), computed = [];
    for (let i = 0; i < events.length; i++) {
      const event = events[i], text = canonical(event.body), hash = hex(await eng.sha(bytesOf(previous + "\n" + text)));
      computed.push(hash);
      const gap = event.number !== expected;
      if (gap) {
        const missing = []; for (let n = expected; n < event.number && missing.length < 6; n++) if (!numbers.has(n)) missing.push("#" + n);
        if (event.number < expected) fault("chain", event.number, `#${event.number} is in the wrong place: it comes after #${events[i - 1].number}.`);
        else if (missing.length) fault("chain", event.number, `${missing.join(", ")} ${missing.length > 1 ? "are" : "is"} missing: ${i ? "#" + events[i - 1].number + " is followed by" : "the log begins with"} #${event.number}. Something was removed.`);
        else fault("chain", event.number, `#${event.number} is in the wrong place: #${expected} should come here. The order was changed.`);
      }
      if (event.body.number !== event.number) fault("chain", event.number, `Its own content says that it is #${event.body.number}.`);
      if (hash !== event.hash && !gap) {
        const next = events[i + 1], follows = next && hex(await eng.sha(bytesOf(event.hash + "\n" + canonical(next.body)))) === next.hash;
        const onlyHash = next && hex(await eng.sha(bytesOf(hash + "\n" + canonical(next.body)))) === next.hash;
        if (onlyHash) { fault("chain", event.number, "Only its hash was overwritten; its content is as it was."); previous = hash; expected = event.number + 1; await tick(); continue; }
        else if (follows || !next) fault("chain", event.number, wrongDice.get(event.number) ? "Its dice were changed after it was written." :
          "Its content was changed after it was written" + (Array.isArray(event.body.dice) && event.body.dice.length ? " (the dice are as they fell: look at inputs, outcome and units)." : "."));
        else fault("chain", event.number, i ? `It does not follow from #${events[i - 1].number}: one of the two was changed or exchanged.` : "It is not the first event of this game.");
      }
      previous = event.hash; expected = event.number + 1;
      await tick();
    }
    const end = events.length ? events[events.length - 1].hash : previous;
    if (data.head !== end) fault("chain", events.length ? events[events.length - 1].number : 0, `The file names ${String(data.head).slice(0, 8)} as its head, but it ends with ${end.slice(0, 8)}. Events were cut off or added.`);

    /* 3 the head that the reader brought */
    const known = head.trim().toLowerCase().replace(/[^0-9a-f]/g, ""), typed = head.trim() !== "";
    let found = null;
    if (typed && known.length < 8) fault("head", 0, "A head has at least 8 hex digits, as under an answer. What was pasted is too short.");
    else if (typed) {
      const at = events.findIndex(e => e.hash.startsWith(known));
      if (at < 0) fault("head", 0, `No event has the head ${known.slice(0, 8)}: the end was cut off, or the log was written anew.`);
      else found = {number: events[at].number, last: at === events.length - 1};
    }

    /* 4 texts: labels, sealed contents, and the texts the players added to the dice */
    const bodies = new Map(events.map(e => [e.number, e.body]));
    for (const t of texts) {
      const body = bodies.get(t.event) || {};
      let promised = t.key === "sealed" ? body.sealed : undefined;
      if (t.key !== "sealed") for (const part of [body, opened(t.event) || {}]) if (isMap(part.texts) && own(part.texts, t.key)) { promised = part.texts[t.key]; break; }
      if (promised === undefined) fault("texts", t.event, `The file has a text “${t.key}” for it, but the event has none.`);
      else if (hex(await eng.sha(bytesOf(well(t.salt + "\n" + t.text)))) !== promised) fault("texts", t.event, t.key === "sealed" ? "What was sealed is not what was opened." : `Its text (${t.key}) was changed.`);
      count.texts++; await tick();
    }
    for (const p of list) {
      const said = p.texts.map(n => byKey.get(n + "\ntext"));
      if (said.length && said.every(Boolean) && hex(await eng.sha(bytesOf(well(said.map(t => t.text).join("\n"))))) !== p.digest) fault("texts", p.texts[p.texts.length - 1], "The players’ texts do not give the digest that the dice were made with.");
    }

    /* 5 units and game: every change starts from what the log had led to */
    const state = {units: Object.create(null), game: Object.create(null)};
    for (const event of events) {
      const before = event.body.before, after = event.body.after;
      for (const part of ["units", "game"]) {
        if (isMap(before) && isMap(before[part])) for (const key of Object.keys(before[part])) {
          count.changes++;
          if (key in state[part] || part === "units") {
            const now = key in state[part] ? state[part][key] : null;
            if (!equal(now, before[part][key])) fault("units", event.number, `It says “${key}” was otherwise before than the log had led to.`);
          }
        }
        if (isMap(after) && isMap(after[part])) for (const key of Object.keys(after[part])) state[part][key] = after[part][key];
      }
    }
    progress(1);
    const bad = part => faults.some(f => f.part === part);
    const n = (x, one, many) => `${x.toLocaleString("en")} ${x === 1 ? one : many}`;
    const parts = [
      {id: "chain", good: !bad("chain"), title: "Nothing was changed, moved or removed", told: `${n(count.events, "event follows", "events follow")} from one another by SHA-256.`},
      {id: "head", good: !typed ? null : !bad("head"), title: found ? (found.last ? "It ends where you saw it end" : `It holds what you saw up to #${found.number}`) : typed ? "It is not the log that you saw" : "Is it the log that you saw?",
        told: found ? (found.last ? `Your head belongs to the last event, #${found.number}.` : `Your head belongs to #${found.number}. What comes after it follows from it, but check a later head to be sure of the end.`) : typed ? "" : "Paste the 8 digits under the last answer that you remember. Without them nobody can see whether the end was cut off, or the whole log written anew."},
      {id: "seeds", good: bad("seeds") ? false : list.some(p => p.seed) ? true : null, title: list.some(p => p.seed) || bad("seeds") ? "The seeds are those that were promised" : "The seed is still secret",
        told: list.map(p => `Seed ${p.epoch}: ${p.seed ? "published, and it fits its commitment" : seedOk.get(p.epoch) === false ? "does not fit its commitment" : p.drawn ? "not published yet" : "for later dice, not used yet"} (${p.commitment.slice(0, 8)}, #${p.from}).`).join(" ")},
      {id: "dice", good: bad("dice") || count.unproved ? false : count.dice ? true : null, title: count.dice ? (bad("dice") ? "Some dice are not as they fell" : "Every die is as the seed gave it") : count.unproved ? "The dice cannot be proved with this seed" : "The dice cannot be computed yet",
        told: [count.dice ? `${n(count.dice, "die", "dice")} computed again.` : "", count.waiting ? `${n(count.waiting, "die waits", "dice wait")} for a seed: they can be checked after /fair reveal.` : "", count.hand ? `${n(count.hand, "real die", "real dice")} typed in by hand: no computer can check those.` : "", count.sealed ? `${n(count.sealed, "roll is", "rolls are")} still sealed.` : ""].filter(Boolean).join(" ")},
      {id: "texts", good: !bad("texts"), title: "Labels and sealed rolls are what was written", told: `${n(count.texts, "text fits", "texts fit")} the salted hash in the log.`},
      {id: "units", good: !bad("units"), title: "Units change from what they were", told: `${n(count.changes, "change starts", "changes start")} where the log had led to.`}];
    for (const part of parts) if (part.good === false && part.id !== "head") part.told = part.id === "dice" && !count.dice ? part.told : "";
    return {ok: !faults.length, faults, counts: count, parts, engine: eng.name, found, typed, ms: performance.now() - started};
  }

  /* How one event's dice came about, for the reader who opens it. */
  async function explain(data, number, plain = false) {
    const eng = engine(plain), p = standing(promises(data, () => {}), number); if (!p) return null;
    const row = (data.seeds || []).find(s => s.epoch === p.epoch), seed = row && row.seed; if (!seed) return {promise: p, dice: null};
    const event = data.events.find(e => e.number === number), t = (data.texts || []).find(x => x.event === number && x.key === "sealed");
    const content = own(event.body, "sealed") ? (t ? JSON.parse(t.text) : {}) : event.body, mac = await eng.mac(unhex(seed)), dice = [];
    if (!content.hand) for (let i = 0; i < (content.dice || []).length; i++) { const die = content.dice[i], d = await draw(mac, data.game, number, i, die.sides, p.digest); dice.push({...d, sides: die.sides, label: die.label, face: die.faces ? die.faces[d.index - 1] : d.index, shown: die.value}); }
    return {promise: p, dice};
  }
  /* The data of a page: plain JSON, or gzip in base64 for a long game. */
  async function unpack(script) {
    if (script.type !== "application/gzip") return JSON.parse(script.textContent);
    const bytes = Uint8Array.from(atob(script.textContent.trim()), c => c.charCodeAt(0));
    return JSON.parse(await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text());
  }
  return {check, explain, canonical, unpack};
})();
if (typeof module !== "undefined") module.exports = Checker;
