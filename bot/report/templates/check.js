/* The checker: recomputes an export from nothing but the export. It knows nothing of a page; one global: Checker. */
const Checker = (() => {
  "use strict";
  const {NO_TEXTS, PROTOCOL, bytes, hex, unhex, engine, canonical, whole, dice: thrower, selfTest} = Proof;
  const SLICE = 40, VERSION = 2, LARGEST_DIE = 4294967296, MANY_WRONG = 8, MOST_OF = 0.6, BY_CHANCE = 0.001, LAST_UNRELEASED_COMMIT = "e8fe7cd8";
  const isMap = value => value !== null && typeof value === "object" && !Array.isArray(value);
  const has = (value, key) => isMap(value) && Object.prototype.hasOwnProperty.call(value, key);
  const number = value => value.toLocaleString("en");
  const count = (value, one, many) => `${number(value)} ${value === 1 ? one : many}`;

  /* The keys of each row of a file with their types; one with ? may be absent. Both programs ask for the same. */
  const FORM = {
    events: {number: "number", body: "map", hash: "text"},
    seeds: {epoch: "number", commitment: "text", seed: "hex?"},
    texts: {event: "number", key: "text", salt: "text", text: "text", person: "text?"},
    persons: {person: "text", name: "text", key: "text?", user: "text?"},
  };
  const TYPES = {
    number: value => Number.isSafeInteger(value) && value >= 0,
    text: value => typeof value === "string",
    map: isMap,
    hex: value => typeof value === "string" && /^([ \t-\r]*[0-9a-f]{2})*[ \t-\r]*$/i.test(value),
  };
  const fits = (value, type) => (type.endsWith("?") && value === undefined) || TYPES[type.replace("?", "")](value);
  const isRow = (row, form) => isMap(row) && Object.entries(form).every(([key, type]) => fits(row[key], type));

  /* What is wrong with the file as such; nothing: it can be read. */
  function unreadable(data) {
    if (!isMap(data) || data.format !== "grognard-game" || !TYPES.number(data.version)) return "This is not a game exported by Grognard.";
    if (!(data.version <= VERSION)) return "This file was written by a newer Grognard.";
    if (data.version < VERSION) return unreleased(`export version ${data.version}`);
    if (!TYPES.text(data.game)) return "The file is damaged: it does not name a game.";
    if (!TYPES.text(data.head)) return "The file is damaged: it does not name its head.";
    if (!Array.isArray(data.events)) return "The file is damaged: its events cannot be read.";
    for (const [part, form] of Object.entries(FORM)) {
      const rows = data[part] === undefined ? [] : data[part];
      if (!Array.isArray(rows) || !rows.every(row => isRow(row, form))) return `The file is damaged: its ${part} cannot be read.`;
    }
    const persons = (data.persons || []).map(row => row.person);
    if (new Set(persons).size < persons.length) return "The file is damaged: it lists a person twice.";
    const older = data.events.map(row => row.body.secret).find(secret => has(secret, "commitment") && (!has(secret, "protocol") || secret.protocol < PROTOCOL));
    return older ? unreleased(`dice protocol ${older.protocol || 1}`) : "";
  }

  const unreleased = what => `This game was made by an unreleased build of Grognard (${what}). Commit ${LAST_UNRELEASED_COMMIT} opens it.`;

  /* What a log holds, read once: texts by event and key, sealed contents, events by number. */
  function read(data) {
    const texts = new Map((data.texts || []).map(row => [row.event + "\n" + row.key, row]));
    const text = (event, key) => texts.get(event + "\n" + key) || null;
    const opened = event => {
      const row = text(event, "sealed");
      if (!row) return null;
      try { const content = JSON.parse(row.text); return isMap(content) ? content : {}; } catch { return {}; }
    };
    return {data, text, opened, bodies: new Map(data.events.map(row => [row.number, row.body]))};
  }

  /* The seeds as the log promised them, in order: from which event, by which commitment, and which digest of the
     players' texts the dice of each event were made with. */
  async function promises(log, sha, fault) {
    const list = [], ruling = new Map();
    let current = null;
    for (const {number: at, body} of log.data.events) {
      ruling.set(at, current ? {promise: current, digest: current.digest} : null);
      const secret = body.secret;
      if (has(secret, "commitment")) {
        current = {epoch: list.length + 1, from: at, commitment: String(secret.commitment), protocol: secret.protocol, seed: "", failed: false,
          digest: NO_TEXTS, known: [], closed: false, wiped: false, used: false, publishedIn: 0};
        if (list.some(earlier => earlier.commitment === current.commitment)) fault("seeds", at, "It promises a seed that was promised before.");
        if (secret.epoch !== current.epoch) fault("seeds", at, `It begins seed ${secret.epoch}, but the next one is ${current.epoch}.`);
        if (current.protocol !== PROTOCOL) fault("seeds", at, `Its dice do not use protocol ${current.protocol}.`);
        list.push(current);
      } else if (isMap(secret) && current) await addText(log, sha, fault, current, at, secret);
      if (!current) continue;
      const rolls = ((body.dice && body.dice.length) || has(body, "sealed") || has(body, "closed")) && !body.hand;
      if (rolls) current.used = true;
      if (body.closes) current.closed = true;
      if (body.kind === "privacy") current.wiped = true;
    }
    return {list, ruling};
  }

  /* A player's text changes the digest. Whose texts were deleted still have their part: the digest of before stands
     for them. */
  async function addText(log, sha, fault, promise, at, secret) {
    if (promise.closed) fault("texts", at, "The players’ words were changed after they were closed.");
    const added = log.text(at, "text"), given = String(secret.digest || ""), ways = [];
    if (added && promise.known) ways.push(promise.known);
    if (added && promise.wiped) ways.push([promise.digest]);
    let fitting = null;
    for (const way of ways) {
      if (!fitting && hex(await sha(bytes(whole([...way, added.text].join("\n"))))) === given) fitting = [...way, added.text];
    }
    if (added && !fitting && promise.known) fault("texts", at, "The players’ words do not give the digest that the dice were made with.");
    promise.known = fitting;
    promise.digest = given;
  }

  /* The seeds in the file and in the events that publish one: they are those that were promised, or a fault. */
  async function seeds(data, list, sha, fault) {
    const fits = async (seed, promise) => typeof seed === "string" && /^([0-9a-f]{2})+$/i.test(seed) && hex(await sha(unhex(seed))) === promise.commitment;
    for (const row of data.seeds || []) {
      const promise = list[row.epoch - 1];
      if (!promise) { fault("seeds", 0, `Seed ${row.epoch} is in the file, but no event promised it.`); continue; }
      if (row.commitment !== promise.commitment) fault("seeds", promise.from, `Seed ${row.epoch}: the file’s commitment is not the one published in event ${promise.from}.`);
      if (!row.seed) continue;
      if (await fits(row.seed, promise)) promise.seed = row.seed;
      else {
        promise.failed = true;
        fault("seeds", promise.from, `Seed ${row.epoch} is the wrong one: it is not what was promised in event ${promise.from} before the first die.`);
      }
    }
    for (const {number: at, body} of data.events) {
      if (!isMap(body.revealed)) continue;
      const promise = list[body.revealed.epoch - 1], seed = String(body.revealed.seed || "");
      if (promise && !promise.publishedIn) promise.publishedIn = at;
      if (promise && await fits(seed, promise)) promise.seed = seed;
      else {
        if (promise) promise.failed = true;
        fault("seeds", at, "The seed that it publishes is not the one that was promised.");
      }
    }
  }

  const isNumberOfSides = value => Number.isInteger(value) && value >= 1 && value <= LARGEST_DIE;

  /* A die has its number of sides, its value, and its faces if they are not 1 to `sides`. */
  const isDie = die => isMap(die) && has(die, "value") && isNumberOfSides(die.sides)
    && (!has(die, "faces") || (Array.isArray(die.faces) && die.faces.length === die.sides));

  /* Compute the dice of one event, and name those that are wrong. */
  async function eventDice(check, at, content) {
    const {counts, fault, log, macs} = check, dice = content.dice, held = check.ruling.get(at);
    if (!Array.isArray(dice) || !dice.every(isDie)) { fault("dice", at, "Its dice cannot be read."); return; }
    if (content.hand === true) { counts.hand += dice.length; return; }
    if (!held) { fault("dice", at, "Dice were rolled before any commitment was published."); return; }
    const {promise, digest} = held;
    if (promise.publishedIn && promise.publishedIn <= at) fault("dice", at, `Its dice come from a seed that #${promise.publishedIn} published.`);
    if (!promise.seed) { counts[promise.failed ? "unproved" : "waiting"] += dice.length; return; }
    if (promise.protocol !== PROTOCOL) { counts.unproved += dice.length; return; }
    if (!macs.has(promise.epoch)) macs.set(promise.epoch, await check.eng.mac(unhex(promise.seed)));
    const next = thrower(macs.get(promise.epoch), log.data.game, at, digest);
    for (let i = 0; i < dice.length; i++) {
      const die = dice[i], drawn = await next(die.sides);
      const face = Array.isArray(die.faces) ? die.faces[drawn.face - 1] : drawn.face;
      counts.dice++;
      if (face === die.value) continue;
      fault("dice", at, `Die ${i + 1} (${die.label || "d" + die.sides}) shows ${die.value}; the seed gives ${face}.`);
      check.wrongDice.add(at);
    }
  }

  /* The dice of an event that closed faces, those by their own texts; nothing where one is not in the file. A card of known place came without a die. */
  const namesCard = die => isMap(die) && has(die, "deck") && typeof die.value === "string";
  const canReadHidden = body => (!has(body, "closed") || (Array.isArray(body.closed) && body.closed.every(isNumberOfSides)))
    && (!Array.isArray(body.dice) || body.dice.every(die => !namesCard(die) || die.sides === 0 || isNumberOfSides(die.sides)));
  function closedDice(log, at, {closed, deck, dice = []}) {
    const thrown = Array.isArray(closed) ? closed.map(sides => ({label: deck, sides, value: "", deck})) : Array.isArray(dice) ? dice : [];
    const rows = thrown.map((die, n) => namesCard(die) && die.sides ? log.text(at, `face.${n + 1}`) : {text: "0"});
    if (!rows.every(Boolean)) return null;
    const face = text => /^[0-9]{1,10}$/.test(text) ? Number(text) : 0;  // no seed gives 0
    return {dice: thrown.map((die, n) => namesCard(die) ? {...die, value: face(rows[n].text)} : die).filter(die => die.sides !== 0)};
  }
  const closes = body => has(body, "closed") || (Array.isArray(body.dice) && body.dice.some(namesCard));

  async function dice(check) {
    for (const {number: at, body} of check.log.data.events) {
      if (!canReadHidden(body)) { check.fault("dice", at, "Its dice cannot be read."); continue; }
      const sealed = has(body, "sealed") || closes(body), content = closes(body) ? closedDice(check.log, at, body) : sealed ? check.log.opened(at) : body;
      if (sealed && !content) check.counts.sealed++;
      if (["dice", "sealed", "closed"].filter(key => has(body, key)).length > 1) check.fault("dice", at, "It has dice of two kinds.");
      const isEmpty = !content || !has(content, "dice") || (Array.isArray(content.dice) && !content.dice.length);
      if (!isEmpty) await eventDice(check, at, content);
      await check.tick();
    }
    sayCommonCause(check);
  }

  /* Many wrong dice in a row have one cause; it is said first. */
  function sayCommonCause(check) {
    const wrong = check.faults.filter(fault => fault.part === "dice");
    if (wrong.length <= MANY_WRONG) return;
    const first = wrong[0].event;
    const rolled = check.log.data.events.filter(row => Array.isArray(row.body.dice) && row.body.dice.length && !row.body.hand);
    const after = rolled.filter(row => row.number >= first);
    const chance = rolled.filter(row => row.number < first).flatMap(row => row.body.dice)
      .reduce((product, die) => product / Math.max(1, Number(die && die.sides) || 1), 1);
    const before = chance < BY_CHANCE; // else the first dice may fit a wrong seed as well as a right one
    if (after.filter(row => check.wrongDice.has(row.number)).length <= after.length * MOST_OF) return;
    check.faults.unshift({part: "dice", event: before ? first : 0, text: before
      ? `From #${first} on, hardly any dice fit: an event before it was probably taken out (or put in), and the rest renumbered.`
      : "Hardly any dice fit: these dice were not rolled with this seed and these words."});
  }

  /* The chain: each event over the one before, as it is stored, so that one change is one fault. */
  async function chain(check) {
    const {data} = check.log, {events} = data, {fault} = check;
    const link = async (previous, text) => hex(await check.eng.sha(bytes(previous + "\n" + text)));
    let previous = hex(await check.eng.sha(bytes(data.game))), expected = 1;
    const numbers = new Set(events.map(row => row.number));
    for (let i = 0; i < events.length; i++) {
      const row = events[i], hash = await link(previous, canonical(row.body));
      const misplaced = row.number !== expected;
      if (misplaced) fault("chain", row.number, misplacedWords(events, i, expected, numbers));
      if (row.body.number !== row.number) fault("chain", row.number, `Its own content says that it is #${row.body.number}.`);
      if (holdsLargeNumber(row.body)) fault("chain", row.number, "It contains a number of 2^53 or more, which programs read differently.");
      let stored = row.hash;
      if (hash !== row.hash && !misplaced) {
        const next = events[i + 1], text = next && canonical(next.body);
        if (next && await link(hash, text) === next.hash) {
          fault("chain", row.number, "Only its hash was overwritten; its content is unchanged.");
          stored = hash;
        } else {
          const follows = !next || await link(row.hash, text) === next.hash;
          fault("chain", row.number, follows ? changedWords(check, row) : i
            ? `It does not follow from #${events[i - 1].number}: one of the two was changed or swapped.`
            : "It is not the first event of this game.");
        }
      }
      previous = stored;
      expected = row.number + 1;
      await check.tick();
    }
    if (data.head !== previous) fault("chain", events.length ? events[events.length - 1].number : 0, `The file names ${String(data.head).slice(0, 8)} as its head, but it ends with ${previous.slice(0, 8)}. Events were cut off or added.`);
  }

  const holdsLargeNumber = value => typeof value === "number" ? Math.abs(value) > Number.MAX_SAFE_INTEGER
    : value !== null && typeof value === "object" && Object.values(value).some(holdsLargeNumber);

  function changedWords(check, row) {
    if (check.wrongDice.has(row.number)) return "Its dice were changed after it was written.";
    const rolled = Array.isArray(row.body.dice) && row.body.dice.length;
    return `Its content was changed after it was written${rolled && check.counts.dice ? " (the dice are as they were rolled: look at inputs, outcome and units)." : "."}`;
  }

  function misplacedWords(events, i, expected, numbers) {
    const at = events[i].number, missing = [];
    if (at < expected) return `#${at} is in the wrong place: it comes after #${events[i - 1].number}.`;
    for (let n = expected; n < at && missing.length < 6; n++) if (!numbers.has(n)) missing.push("#" + n);
    if (!missing.length) return `#${at} is in the wrong place: #${expected} should come here. The order was changed.`;
    const where = i ? `#${events[i - 1].number} is followed by` : "the log begins with";
    return `${missing.join(", ")} ${missing.length > 1 ? "are" : "is"} missing: ${where} #${at}. Something was removed.`;
  }

  /* The heads that the reader brought: bare digits, or lines copied from a channel. */
  function heads(events, typed, fault) {
    const text = typed.trim();
    if (!text) return {typed: false, found: null};
    const pairs = [...text.matchAll(/#(\d{1,9})[\s\u00a0]*[·|,]?[\s\u00a0]*[`*]*([0-9a-f]{8,64})\b/gi)].map(found => [+found[1], found[2].toLowerCase()]);
    const bare = pairs.length ? [] : (text.match(/\b[0-9a-f]{8,64}\b/gi) || []).map(digits => [null, digits.toLowerCase()]);
    const known = [...pairs, ...bare];
    if (!known.length) fault("head", 0, "A head has at least 8 hex digits, as /fair show gives it. What you pasted is not one.");
    let last = null;
    for (const [at, digits] of known) {
      if (at === 0) { fault("head", 0, `Events are numbered from 1, so there is no #0 ${digits}.`); continue; }
      const row = at ? events.find(one => one.number === at) : events.find(one => one.hash.startsWith(digits));
      if (!row) fault("head", 0, `No event has the head ${digits.slice(0, 16)}: the end was cut off, or the log was written anew.`);
      else if (!row.hash.startsWith(digits)) fault("head", at, `Its hash is ${row.hash.slice(0, digits.length)}, not ${digits}: the log was written anew.`);
      else if (!last || row.number > last.number || (row.number === last.number && digits.length > last.digits)) last = {number: row.number, last: row === events[events.length - 1], digits: digits.length};
    }
    return {typed: true, found: last};
  }

  /* Labels, sealed contents and the players' words: each is what was hashed, with a salt, into its event. */
  async function texts(check) {
    const {log, fault, counts} = check;
    for (const row of log.data.texts || []) {
      const body = log.bodies.get(row.event) || {};
      let promised;
      if (row.key === "sealed" || row.key === "said") promised = body[row.key];
      else for (const part of [log.opened(row.event), body]) if (part && has(part.texts, row.key)) promised = part.texts[row.key];
      const salt = String(row.salt), text = String(row.text);
      if (promised === undefined) fault("texts", row.event, `The file has a text “${row.key}” for it, but the event has none.`);
      else if (hex(await check.eng.sha(bytes(whole(row.key === "said" ? text : salt + "\n" + text)))) !== promised) fault("texts", row.event, row.key === "sealed" ? "What was opened is not what was sealed." : `Its text (${row.key}) was changed.`);
      else if (row.key === "sealed" && canonical(log.opened(row.event)) !== text) fault("texts", row.event, "What was sealed is not written as Grognard writes it.");
      else if (salt.includes("\n")) fault("texts", row.event, `Its text (${row.key}) has no salt of the kind that Grognard writes.`);
      else if (row.person && has(body, "who") && row.person !== body.who) fault("texts", row.event, `Its text (${row.key}) is said to be another person’s.`);
      counts.texts++;
      await check.tick();
    }
  }

  /* Units and game: every change starts from what the log had led to. */
  function changes(check) {
    const now = {units: new Map(), game: new Map(), cards: new Map()}, absent = {units: null, cards: 0};
    for (const {number: at, body} of check.log.data.events) {
      for (const part of ["units", "game", "cards"]) {
        const before = isMap(body.before) && isMap(body.before[part]) ? body.before[part] : {};
        const after = isMap(body.after) && isMap(body.after[part]) ? body.after[part] : {};
        for (const key of Object.keys(before)) {
          check.counts.changes++;
          if (!now[part].has(key) && part === "game") continue;
          const was = now[part].has(key) ? now[part].get(key) : absent[part];
          if (canonical(was) !== canonical(before[key])) check.fault("units", at, `It says “${key}” was otherwise before than the log had led to.`);
        }
        for (const key of Object.keys(after)) now[part].set(key, after[key]);
      }
    }
  }

  /* What a page shows, held against its log: rows, head sentence, counts, losses and rosters. Of an event that keeps the
     first line of its answer every word is proved; of one from before that its dice, its result and its states. */
  const MOST_DICE = 14, COMMON = /\s+/g;
  const spaced = value => String(value || "").replace(COMMON, " ").trim();
  const textOf = (node, what) => Array.from(node.querySelectorAll(what), one => spaced(one.textContent)).join("|");
  const unitsOf = (body, part) => isMap(body[part]) && isMap(body[part].units) ? body[part].units : {};

  function asLogged(body, sides) {
    const before = unitsOf(body, "before"), named = text => sides.length === 2 ? text.replace(/\b[Ss]ide ([ab])\b/g, (_, letter) => sides["ab".indexOf(letter)]) : text;
    const states = Object.entries(unitsOf(body, "after")).filter(([key, unit]) => unit && before[key] && (before[key].state || "") !== (unit.state || ""))
      .sort(([one], [other]) => one < other ? -1 : 1).map(([, unit]) => `${unit.name}: ${unit.state || "no state"}`);
    return [...body.result ? ["as logged: " + named(spaced(body.result))] : [], ...states].join("; ");
  }

  async function shown(check, {root, lost, facts, made}) {
    const {log, fault, counts} = check, {data} = log, names = new Map((data.persons || []).map(row => [row.person, row.name]));
    const nameOf = who => names.get(who) || "someone", gone = unit => !unit || lost.has(unit.state || "");
    const filled = words => spaced(words.replace(/⟦([^⟦⟧]+)⟧/g, (_, what) => {
      const part = /^(\d+)\.(.*)$/.exec(what), row = part && log.text(+part[1], part[2]);
      return part ? row ? row.text : "(deleted)" : nameOf(what);
    }));
    const undone = new Set(), openings = new Map(), units = new Map(), firsts = new Map(), game = {}, ends = [], out = new Map(), seats = new Set();
    for (const {body} of data.events) {
      if (body.kind === "reveal") for (const opened of body.opens || []) openings.set(opened, body.number);
      const turned = [body.event, ...openings.has(body.event) ? [openings.get(body.event)] : []];
      if (body.kind === "undo") turned.forEach(number => undone.add(number));
      if (body.kind === "redo") turned.forEach(number => undone.delete(number));
      for (const [key, unit] of Object.entries(unitsOf(body, "after"))) { units.set(key, unit); if (unit && !firsts.has(key)) firsts.set(key, unit); }
      Object.assign(game, isMap(body.after) ? body.after.game : null);
      if (ends.length && ends[ends.length - 1][0] === (game.turn || 0)) ends.pop();
      for (const [key, count] of Object.entries(isMap(body.after) && isMap(body.after.cards) ? body.after.cards : {})) out.set(key, count);
      const held = new Map();
      for (const [key, count] of out) {
        const [, place, ...rest] = key.split("/"), seat = rest.slice(0, place === "known" ? -1 : rest.length).join("/");
        if (["hand", "known"].includes(place) && seat && !seat.startsWith("=") && !key.startsWith("+")) { held.set(seat, (held.get(seat) || 0) + count); seats.add(seat); }
      }
      ends.push([game.turn || 0, new Map(units), held, {...game.tracks}]);
    }
    const first = data.events.map(({body}) => isMap(body.after) && isMap(body.after.game) && body.after.game.sides).find(list => list && list.length);
    const sides = first || [...new Set([...units.values()].filter(Boolean).map(unit => unit.side || ""))].filter(Boolean).sort();
    const rows = Array.from(root.querySelectorAll(".ev")), byId = new Map(rows.map(row => [row.id, row]));
    if (rows.map(row => row.id).join() !== data.events.map(row => "e" + row.number).join()) fault("page", 0, "The page does not show the same events as its log.");
    for (const {number: at, body} of data.events) {
      const row = byId.get("e" + at), held = {...body, ...log.text(at, "sealed") ? log.opened(at) : {}};
      if (!row) continue;
      const summary = row.querySelector("summary"), line = [textOf(summary, ".res"), textOf(summary, ".by")].filter(Boolean).join(" · ");
      const kept = log.text(at, "said"), dice = (held.dice || []).map(die => String(die.value)), before = unitsOf(held, "before");
      const loses = ["sequence", "roll", "reveal"].includes(held.kind) && Object.entries(unitsOf(held, "after")).some(([key, unit]) => unit && before[key] && gone(unit) && !gone(before[key]));
      const tags = [undone.has(at) && "taken back", held.hand && "real dice", has(body, "sealed") && "sealed", loses && !undone.has(at) && "loss"].filter(Boolean).join("|");
      const fits = [
        ["its number", textOf(summary, ".no"), "#" + at],
        ["its side", textOf(summary, ".sd"), spaced(held.side)],
        ["who did it", textOf(summary, ".who"), spaced(nameOf(held.who))],
        ["its marks", textOf(summary, ".tag"), tags],
        ["its dice", textOf(summary, ".dice"), dice.length ? ["dice", ...dice.slice(0, MOST_DICE), ...dice.length > MOST_DICE ? ["…"] : []].join(" ") : ""],
        ["its result", textOf(summary, ".log"), has(body, "said") ? "" : asLogged(held, sides)],
        ["its words", line, !has(body, "said") ? line : kept ? filled(kept.text) : hex(await check.eng.sha(bytes(whole(line)))) === body.said ? line : ""],
      ];
      const wrong = fits.find(([, is, due]) => is !== due);
      if (wrong) fault("page", at, `The page shows something else than its log (${wrong[0]}).`);
      if (!has(body, "said")) counts.unsaid++;
      counts.rows++;
      await check.tick();
    }
    const countOf = side => { const own = [...units.values()].filter(unit => unit && (unit.side || "") === side); return [own.filter(gone).length, own.length]; };
    if (textOf(root, "h1") !== (spaced(game.name) || "Free play")) fault("page", 0, "The page and its log name the game differently.");
    const won = game.winner === "draw" ? "A draw. " : game.winner ? `${game.winner} won. ` : "", turn = game.turn || 0;
    const losses = sides.map(side => [side, ...countOf(side)]).filter(([, , all]) => all).map(([side, some, all]) => `${side} lost ${some || "none"} of ${all} units`).join(", ");
    const sum = textOf(root, "#sum"), start = spaced(won + (game.ended ? `Ended in turn ${turn}.` : turn ? `Turn ${turn}, ` : "Free play.")), end = losses ? ` ${losses}.` : ".";
    const between = sum.slice(start.length, sum.length - (losses ? end.length : 0));
    if (!sum.startsWith(start) || (losses && !sum.endsWith(end)) || (!game.ended && turn ? !/^ [^.]*\.$/.test(between) : between)) fault("page", 0, "The sentence at the top of the page does not match its log.");
    for (const part of root.querySelectorAll(".left")) {
      const [some, all] = countOf(part.dataset.side);
      if (spaced(part.textContent) !== `${all - some} of ${all} units left`) fault("page", 0, `The page counts the units of ${part.dataset.side} otherwise than its log.`);
    }
    const cells = Array.from(root.querySelectorAll(".losses tbody tr"), row => Array.from(row.querySelectorAll("td"), cell => {
      const text = spaced(cell.textContent);
      return text === "none" || text.startsWith("hurt: ") ? "" : text.split("; hurt: ")[0];
    }));
    let earlier = new Map(), due = [];
    for (const [at, now] of ends) {
      if (at) due.push(sides.map(side => [...now].filter(([key, unit]) => unit && (unit.side || "") === side && gone(unit) && !gone(earlier.has(key) ? earlier.get(key) : firsts.get(key))).map(([, unit]) => unit.name).join(", ")));
      earlier = now;
    }
    if (cells.length && JSON.stringify(cells) !== JSON.stringify(due)) fault("page", 0, "The losses by turn on the page do not match its log.");
    const sizes = Array.from(root.querySelectorAll(".hands tbody tr"), row => Array.from(row.querySelectorAll("td"), cell => spaced(cell.textContent)));
    const counted = (ends.some(([at]) => at) ? ends.filter(([at]) => at) : ends.slice(-1)).map(([, , held]) => [...seats].sort().map(seat => String(held.get(seat) || 0)));
    if (sizes.length && JSON.stringify(sizes) !== JSON.stringify(counted)) fault("page", 0, "The sizes of hands on the page do not match its log.");
    for (const part of root.querySelectorAll(".points")) {
      const due = (game.tracks || {})[`${part.dataset.side}/${part.dataset.track}`];
      if (due !== undefined && !spaced(part.textContent).endsWith(`: ${due}`)) fault("page", 0, `The score of ${part.dataset.side} on the page does not match its log.`);
    }
    for (const table of root.querySelectorAll(".scores")) {
      const rows = Array.from(table.querySelectorAll("tbody tr")), byTurn = ends.filter(([at]) => at);
      const fits = rows.length === byTurn.length && rows.every((row, index) => Array.from(row.querySelectorAll("td")).every(cell => {
        const due = byTurn[index][3][`${cell.dataset.side}/${table.dataset.track}`];
        return due === undefined || spaced(cell.textContent) === String(due).replace("-", "−");
      }));
      if (!fits) fault("page", 0, "The score by turn on the page does not match its log.");
    }
    const numberOf = link => +(link.getAttribute("href") || "").slice(2), over = data.events.filter(({body}) => body.kind === "end" && !undone.has(body.number)).pop();
    const words = game.ended && over ? log.text(over.number, "text") : null;
    if (textOf(root, ".closing") !== (words && words.text ? `“${spaced(words.text)}”` : "")) fault("page", 0, "The closing words on the page do not match its log.");
    for (const link of root.querySelectorAll(".shots a, #p-now a")) {
      const row = byId.get("e" + numberOf(link)), out = textOf(link.parentNode, ".out"), {body} = data.events.find(one => one.number === numberOf(link)) || {body: {}};
      const before = unitsOf(body, "before"), due = Object.entries(unitsOf(body, "after")).filter(([key, unit]) => unit && before[key] && gone(unit) && !gone(before[key]));
      if (!row || spaced(link.textContent) !== textOf(row, ".res") || (out && out !== spaced(due.map(([, unit]) => unit.name).join(", ")))) fault("page", numberOf(link), "A list on the page describes this event differently from its log.");
    }
    if (hex(await check.eng.sha(bytes(facts.trim()))) !== made) fault("page", 0, "The odds and traces on the page are not the ones it was made with.");
  }

  async function check(data, {head = "", plain = false, page = null, progress = () => {}} = {}) {
    const started = performance.now(), eng = engine(plain), faults = [];
    const refused = text => ({ok: false, faults: [{part: "file", event: 0, text}], counts: {}, parts: [], engine: eng.name, found: null, typed: false, ms: 0});
    const broken = unreadable(data);
    if (broken) return refused(broken);
    if (!await selfTest(eng)) return refused("This browser does not compute SHA-256 as published. Nothing was checked.");
    const total = data.events.length * 2 + (data.texts || []).length + 1;
    let done = 0, last = performance.now();
    const state = {
      log: read(data), eng, faults, macs: new Map(), wrongDice: new Set(),
      counts: {events: data.events.length, dice: 0, waiting: 0, unproved: 0, hand: 0, sealed: 0, texts: 0, changes: 0, rows: 0, unsaid: 0},
      fault: (part, event, text) => faults.push({part, event, text}),
      async tick() {  // a slice of the main thread at a time
        done++;
        if (performance.now() - last < SLICE) return;
        progress(done / total);
        await new Promise(resolve => setTimeout(resolve));
        last = performance.now();
      },
    };
    const {list, ruling} = await promises(state.log, eng.sha, state.fault);
    state.ruling = ruling;
    await seeds(data, list, eng.sha, state.fault);
    await dice(state);  // before the chain: what the dice say makes its words clearer
    await chain(state);
    const {typed, found} = heads(data.events, head, state.fault);
    await texts(state);
    changes(state);
    if (page) await shown(state, page);
    progress(1);
    return {ok: !faults.length, faults, counts: state.counts, parts: parts(state, list, typed, found), engine: eng.name, found, typed, ms: performance.now() - started};
  }

  /* What was checked, part by part: good, wrong (false), or not to be known (null). */
  function parts(state, list, typed, found) {
    const {counts} = state, bad = part => state.faults.some(fault => fault.part === part);
    const published = list.some(promise => promise.seed);
    return [
      {id: "chain", good: !bad("chain"), title: bad("chain") ? "Something was changed, moved or removed" : "Nothing was changed, moved or removed",
        told: bad("chain") ? "" : `${count(counts.events, "event follows", "events follow")} from one another by SHA-256.`},
      headPart(typed, found, bad("head")),
      {id: "seeds", good: bad("seeds") ? false : published ? true : null,
        title: bad("seeds") ? "A seed is not the one that was promised" : published ? "The seeds are the ones that were promised" : "The seed is still secret",
        told: bad("seeds") ? "" : list.map(seedWords).join(" ")},
      dicePart(counts, bad("dice")),
      {id: "texts", good: !bad("texts"), title: bad("texts") ? "A text is not what was written" : "Labels and sealed rolls are what was written",
        told: bad("texts") ? "" : `${count(counts.texts, "text fits", "texts fit")} the salted hash in the log.`},
      {id: "units", good: !bad("units"), title: bad("units") ? "A change to a unit does not match its earlier state" : "Every change to a unit matches its earlier state",
        told: bad("units") ? "" : `${count(counts.changes, "change starts", "changes start")} where the log had led to.`},
      {id: "rules", good: null, title: "Did everybody play by the rules?", told: "This page cannot tell. grognard verify checks who may do what, and replays each result."},
      ...counts.rows ? [pagePart(counts, bad("page"))] : [],
    ];
  }

  function pagePart(counts, bad) {
    const older = counts.unsaid ? ` Of ${count(counts.unsaid, "event", "events")} from before answers were kept the dice, the result and the states of units were compared; nothing proves their sentences.` : "";
    return {id: "page", good: !bad, title: bad ? "The page does not show what is in its log" : "The page shows what is in its log",
      told: bad ? "" : `${count(counts.rows, "row", "rows")}, the sentence at the head, rosters and losses.${older} Names of persons are not part of the proof; luck, odds and traces are the word of whoever made the page.`};
  }

  function headPart(typed, found, bad) {
    if (!typed) return {id: "head", good: null, title: "Is this the log that you saw?", told: "Paste the head that /fair show gave you last. Without one there is no way to see if the end was cut off, or the whole log rewritten."};
    if (bad || !found) return {id: "head", good: false, title: "This is not the log that you saw", told: ""};
    const short = found.digits < 16 ? " Eight digits alone can be forged in minutes: paste sixteen if you have them." : "";
    if (found.last) return {id: "head", good: true, title: "It ends where you saw it end", told: `Your head belongs to the last event, #${found.number}.${short}`};
    return {id: "head", good: true, title: `It holds what you saw up to #${found.number}`, told: `Your head belongs to #${found.number}. What comes after it follows from it, but check a later head to be sure of the end.${short}`};
  }

  function seedWords(promise) {
    const how = promise.seed ? "published, and it matches its commitment" : promise.failed ? "does not match its commitment" : promise.used ? "not published yet" : "for later dice, not used yet";
    return `Seed ${promise.epoch}: ${how} (${promise.commitment.slice(0, 8)}, #${promise.from}).`;
  }

  function dicePart(counts, bad) {
    const told = [
      counts.dice ? `${count(counts.dice, "die", "dice")} computed again.` : "",
      counts.waiting ? `${count(counts.waiting, "die waits", "dice wait")} for a seed: they can be checked after /fair reveal.` : "",
      counts.hand ? `${count(counts.hand, "real die", "real dice")} typed in by hand: no computer can check those.` : "",
      counts.sealed ? `${count(counts.sealed, "roll is", "rolls are")} still sealed.` : "",
    ].filter(Boolean).join(" ");
    if (bad) return {id: "dice", good: false, title: "Some dice are not as they were rolled", told: counts.dice ? "" : told};
    if (counts.unproved) return {id: "dice", good: false, title: "The dice cannot be proved with this seed", told};
    if (counts.dice) return {id: "dice", good: true, title: "Every die matches the seed", told};
    return {id: "dice", good: null, title: counts.waiting ? "The dice cannot be computed yet" : "There are no dice to compute", told};
  }

  /* How one event's dice came about, for the reader who opens it. */
  async function explain(data, at, plain = false) {
    const eng = engine(plain), log = read(data), {ruling} = await promises(log, eng.sha, () => {});
    const held = ruling.get(at);
    if (!held) return null;
    const {promise, digest} = held, row = (data.seeds || []).find(one => one.epoch === promise.epoch);
    if (!row || !row.seed || promise.protocol !== PROTOCOL) return {promise, dice: null};
    const body = log.bodies.get(at), content = (has(body, "sealed") ? log.opened(at) : closes(body) ? closedDice(log, at, body) : body) || {}, mac = await eng.mac(unhex(row.seed)), dice = [];
    const next = thrower(mac, data.game, at, digest);
    for (const die of content.hand ? [] : content.dice || []) {
      const drawn = await next(die.sides);
      dice.push({...drawn, sides: die.sides, label: die.label, shows: die.value, gives: die.faces ? die.faces[drawn.face - 1] : drawn.face});
    }
    return {promise, dice};
  }

  /* The data of a page: plain JSON, or gzip in base64 for a long game. */
  async function unpack(script) {
    if (script.type !== "application/gzip") return JSON.parse(script.textContent);
    const packed = Uint8Array.from(atob(script.textContent.trim()), char => char.charCodeAt(0));
    return JSON.parse(await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).text());
  }

  return {check, explain, unpack};
})();
if (typeof module !== "undefined") module.exports = {Proof, Checker};
