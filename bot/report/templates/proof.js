/* Hashes, canonical JSON and dice, as docs/dice-protocol.md describes them. No dependency, no network; one global: Proof. */
const Proof = (() => {
  "use strict";
  const NO_TEXTS = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
  const PROTOCOL = 2, WORDS = 8, TRIES = 64, WORD = 4294967296;
  const encoder = new TextEncoder();
  const bytes = text => encoder.encode(text);
  const hex = array => Array.from(array, byte => byte.toString(16).padStart(2, "0")).join("");
  const unhex = text => Uint8Array.from(text.match(/../g) || [], pair => parseInt(pair, 16));

  /* SHA-256 in plain JavaScript: for pages on http://, where a browser keeps its own to itself. */
  const PRIMES = [];
  for (let n = 2; PRIMES.length < 64; n++) if (PRIMES.every(prime => n % prime)) PRIMES.push(n);
  const fraction = (x, power) => { const root = Math.pow(x, power); return ((root - Math.floor(root)) * WORD) | 0; };
  const K = Int32Array.from(PRIMES, prime => fraction(prime, 1 / 3));
  const START = Int32Array.from(PRIMES.slice(0, 8), prime => fraction(prime, 1 / 2));
  const turn = (x, by) => x >>> by | x << (32 - by);
  const W = new Int32Array(64);

  function sha256(data) {
    const length = data.length, padded = new Uint8Array(((length + 72) >> 6) << 6);
    padded.set(data);
    padded[length] = 128;
    const view = new DataView(padded.buffer);
    view.setUint32(padded.length - 4, length << 3);
    view.setUint32(padded.length - 8, Math.floor(length / 536870912));
    const state = Int32Array.from(START);
    for (let at = 0; at < padded.length; at += 64) block(view, at, state);
    const out = new Uint8Array(32), outView = new DataView(out.buffer);
    state.forEach((word, i) => outView.setInt32(4 * i, word));
    return out;
  }

  function block(view, at, state) {
    for (let i = 0; i < 16; i++) W[i] = view.getInt32(at + 4 * i);
    for (let i = 16; i < 64; i++) {
      const a = W[i - 15], b = W[i - 2];
      W[i] = W[i - 16] + W[i - 7] + (turn(a, 7) ^ turn(a, 18) ^ a >>> 3) + (turn(b, 17) ^ turn(b, 19) ^ b >>> 10);
    }
    let [a, b, c, d, e, f, g, h] = state;
    for (let i = 0; i < 64; i++) {
      const one = h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + (e & f ^ ~e & g) + K[i] + W[i] | 0;
      const two = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + (a & b ^ a & c ^ b & c) | 0;
      h = g; g = f; f = e; e = d + one | 0; d = c; c = b; b = a; a = one + two | 0;
    }
    [a, b, c, d, e, f, g, h].forEach((word, i) => { state[i] += word; });
  }

  function joined(one, other) {
    const both = new Uint8Array(one.length + other.length);
    both.set(one);
    both.set(other, one.length);
    return both;
  }

  function plainMac(key) {
    const short = key.length > 64 ? sha256(key) : key;
    const pad = byte => { const block = new Uint8Array(64).fill(byte); short.forEach((b, i) => { block[i] ^= b; }); return block; };
    const inner = pad(0x36), outer = pad(0x5c);
    return message => sha256(joined(outer, sha256(joined(inner, message))));
  }

  /* What computes: the browser's own, or ours. Both are told what they did by name. */
  function engine(plain) {
    const web = !plain && typeof crypto !== "undefined" && crypto.subtle;
    if (!web) return {name: "plain JavaScript", sha: async data => sha256(data), mac: async key => { const mac = plainMac(key); return async message => mac(message); }};
    return {
      name: "WebCrypto",
      sha: async data => new Uint8Array(await web.digest("SHA-256", data)),
      mac: async key => {
        const imported = await web.importKey("raw", key, {name: "HMAC", hash: "SHA-256"}, false, ["sign"]);
        return async message => new Uint8Array(await web.sign("HMAC", imported, message));
      },
    };
  }

  /* The one JSON text of a value: keys by code point, no blanks, only the necessary escapes. */
  function canonical(value) {
    if (Array.isArray(value)) return "[" + value.map(canonical).join(",") + "]";
    if (value !== null && typeof value === "object") {
      const keys = Object.keys(value);
      if (keys.every(key => ASCII.test(key))) keys.sort(); else keys.sort(byCodePoint);
      return "{" + keys.map(key => JSON.stringify(whole(key)) + ":" + canonical(value[key])).join(",") + "}";
    }
    return JSON.stringify(typeof value === "string" ? whole(value) : value);
  }
  const ASCII = /^[\x00-\x7f]*$/;
  const HALF = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
  const whole = text => text.replace(HALF, "?");

  function byCodePoint(one, other) {
    const a = Array.from(one), b = Array.from(other);
    for (let i = 0; i < Math.min(a.length, b.length); i++) {
      const difference = a[i].codePointAt(0) - b[i].codePointAt(0);
      if (difference) return difference;
    }
    return a.length - b.length;
  }

  /* Return a function that rolls the dice of one event, one after another. Each roll gives the face and the numbers
     that lead to it, for readers who want to see them. All dice of the event take their words from one row. */
  function dice(mac, game, event, digest) {
    let place = 0, digests = 0, view = null, message = "";
    return async sides => {
      const below = Math.floor(WORD / sides) * sides;
      for (const last = digests + TRIES; digests <= last;) {
        if (!view || place === WORDS) {
          message = `${PROTOCOL}:${game}:${event}:${digest}:${digests}`;
          const made = await mac(bytes(message));
          view = new DataView(made.buffer, made.byteOffset, 32);
          place = 0;
          digests++;
        }
        const word = view.getUint32(4 * place++);
        if (word >= below) continue;
        return {face: word % sides + 1, word, place: place - 1, message};
      }
      throw new Error("no face after that many tries");
    };
  }

  const MIXED = [6, 6, 20, 10, 10, 10, 10, 10, 10, 100, 2, 6], MIXED_FACES = "6,5,9,5,6,8,7,8,5,80,1,4";
  const LARGE = 2147483649, LARGE_FACES = "860200860,356471403,1658414585,3";

  /* The published vectors of docs/dice-protocol.md: a checker that fails them says so and checks nothing. */
  async function selfTest(eng) {
    const seed = Uint8Array.from({length: 32}, (_, i) => i), mac = await eng.mac(seed);
    const game = "a1b2c3d4e5f60718", faces = async (event, sides) => {
      const next = dice(mac, game, event, NO_TEXTS), found = [];
      for (const each of sides) found.push((await next(each)).face);
      return found.join();
    };
    if (hex(await eng.sha(seed)) !== "630dcd2966c4336691125448bbb25b4ff412a49c732db2c8abc1b8581bd710dd") return false;
    return await faces(2, MIXED) === MIXED_FACES && await faces(3, [LARGE, LARGE, LARGE, 6]) === LARGE_FACES;
  }

  return {NO_TEXTS, PROTOCOL, bytes, hex, unhex, engine, canonical, whole, dice, selfTest};
})();
