/* Whether events are of the closed list and follow on each other: who wrote them, when texts close, what is opened, what
   is taken back and brought back, and who agreed. As bot/game/follows*.py has it. One global: Follow. */
const Follow = (() => {
  "use strict";
  const BARE = {game: {}, units: {}, cards: {}}, SILENT = 7 * 24 * 3600, RULED = ["sequence", "table", "choice"], HELD = ["next", "pass", "end"], FACES = EVENTS.faces.join();
  const words = text => text.split(" ").filter(Boolean), isMap = value => value !== null && typeof value === "object" && !Array.isArray(value);
  const whole = (value, least, most = 2 ** 53) => Number.isInteger(value) && value >= least && value < most;
  const text = (value, least, most) => typeof value === "string" && Array.from(value).length >= least && Array.from(value).length <= most;
  const KINDS = new Map(Object.entries(EVENTS.kinds).map(([name, [needs, may, game, traits, ...told]]) => [name, {
    needs: words(`${EVENTS.common} ${needs}`), may: [...words(may), "said", ...words(traits).some(one => one === "beside" || one === "quiet") ? ["keeps"] : []],
    game: words(game), traits: words(traits), told,
  }]));
  const is = (body, trait) => KINDS.has(body.kind) && KINDS.get(body.kind).traits.includes(trait);

  /* What tells whether a value is of a kind, as the list writes it. */
  const BASE = {
    whole: value => whole(value, 0), count: value => whole(value, 1), time: value => whole(value, 0, 1e11), sides: value => whole(value, 1, 2 ** 32 + 1), second: value => value === 2,
    word: value => text(value, 1, 200), name: value => text(value, 0, 200), text: value => text(value, 1, 8000), digits: value => /^\p{Decimal_Number}+$/u.test(value),
    hash: value => /^[0-9a-f]{64}$/.test(value), tables: value => /^[0-9a-f]{12}$/.test(value), true: value => value === true, yes: value => typeof value === "boolean", none: value => value === null,
    face: value => typeof value === "string" || Number.isInteger(value), object: value => isMap(value) && Object.keys(value).length > 0,
    value: value => Array.isArray(value) ? value.length <= 200 && value.every(one => !Array.isArray(one) && BASE.value(one)) : ["boolean", "number"].includes(typeof value) || BASE.name(value),
    game: value => isMap(value) && Object.entries(value).every(([field, one]) => !(field in EVENTS.game) || checkOf(EVENTS.game[field])(one)),
    units: value => isMap(value) && Object.values(value).every(one => one === null || checkOf("unit")(one)),
  };
  const checks = new Map(), checkOf = kind => checks.get(kind) || checks.set(kind, made(kind)).get(kind);
  function made(kind) {
    const map = /^\{(\w+):(.+)\}(\+?)(\d*)$/.exec(kind), list = /^(\w+)([*+])(\d*)$/.exec(kind), record = EVENTS.records[kind];
    const between = (count, least, most) => count >= least && count <= (most || Infinity);
    if (map) return value => isMap(value) && between(Object.keys(value).length, map[3].length, map[4]) && Object.entries(value).every(([key, one]) => checkOf(map[1])(key) && checkOf(map[2])(one));
    if (kind.includes("|")) return value => kind.split("|").some(one => checkOf(one)(value));
    if (list) return value => Array.isArray(value) && between(value.length, list[2] === "+" ? 1 : 0, list[3]) && value.every(one => checkOf(list[1])(one));
    if (kind[0] === "=") return value => value === kind.slice(1);
    return record ? value => isMap(value) && Object.keys(record).every(field => field.endsWith("?") || field in value)
      && Object.entries(value).every(([field, one]) => field in record ? checkOf(record[field])(one) : `${field}?` in record && checkOf(record[`${field}?`])(one)) : BASE[kind];
  }

  /* What is wrong with an event by itself: kind, fields, what it may change. */
  function shape(body, canonical) {
    const kind = KINDS.get(body.kind);
    if (!kind) return `Grognard writes no event of the kind ${body.kind}.`;
    const {needs, may, game, told} = kind, field = Object.keys(body).find(one => !needs.includes(one) && !may.includes(one));
    if (field || !needs.every(one => one in body)) return `An event of the kind ${body.kind} ${field ? `cannot hold ${field}` : `needs ${needs.find(one => !(one in body))}`}.`;
    const unread = Object.keys(body).find(one => !checkOf(EVENTS.fields[one])(body[one]));
    if (unread) return `Its ${unread} cannot be read.`;
    for (const part of ["game", "units", "cards"]) {
      const [before, after] = ["before", "after"].map(one => ({...BARE, ...body[one]})[part]);
      const keys = Object.keys(after), other = part === "game" ? keys.find(one => !game.includes(one)) : is(body, part) ? "" : keys[0];
      if (other) return `An event of the kind ${body.kind} cannot change ${other}.`;
      if (Object.keys(before).sort().join("\n") !== keys.sort().join("\n") || keys.some(one => canonical(before[one]) === canonical(after[one]))) return "Before and after do not tell one change.";
    }
    if (told.length && !told.includes(body.result)) return `Its words are none that Grognard writes: ${body.result}.`;
    if ((body.dice || []).some(die => "deck" in die !== "to" in die || ("deck" in die && (die.faces || body.kind !== "sequence")))) return "It draws cards, which only open sequences do.";
    if ((body.dice || []).some(die => die.sides > 2 ** 32 || (die.sides < 1 && !namesCard(die)))) return "A die has no sides that a die has.";
    if (RULED.includes(body.kind) && !same(Object.keys(body.texts || {}), (body.dice || []).flatMap((die, n) => namesCard(die) && die.sides ? [`face.${n + 1}`] : []))) return "It holds other texts than the faces that it closes.";
    if (body.hand && (body.dice || []).some(namesCard)) return "It closes faces of real cards.";
    if (RULED.includes(body.kind) && "edition" in body === "tables" in body) return "It must name one edition of the rules.";
    return RULED.includes(body.kind) && (body.dice || []).some(die => die.faces && die.faces.join() !== FACES) ? "A die has faces that no rule asks for." : "";
  }

  const escaped = text => String(text).replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const rolled = body => Boolean(body.dice && body.dice.length) || "closed" in body || body.kind === "sealed";
  const passedOver = body => is(body, "beside") || (is(body, "quiet") && !body.after);
  const fields = (body, part) => ({...BARE, ...body[part]}).game;

  /* Decks: what is left of one, which card a die draws, and where cards go. See "Cards drawn" in docs/dice.md. */
  const FROM = {discard: ["play"], remove: ["play", "discard"], return: ["play", "discard"], shuffle: ["discard"]}, TO = {discard: "discard", remove: "removed"};
  const SUITS = ["S", "H", "D", "C"], RANKS = ["A", 2, 3, 4, 5, 6, 7, 8, 9, 10, "J", "Q", "K"], FRENCH = SUITS.flatMap(suit => RANKS.map(rank => `${rank}${suit}`));
  const STANDARD = {"standard-52": FRENCH, "standard-54": [...FRENCH, "RJ", "BJ"]}, MOST_MOVED = 60, MOST_CARDS = 1000;
  const lone = (id, count = 1) => ({id, count}), sum = counts => [...counts].reduce((all, one) => all + one, 0), own = (what, key) => Object.prototype.hasOwnProperty.call(what, key);

  const OPEN = ["play", "discard", "removed"], tail = key => key.slice(key.lastIndexOf("/") + 1), headOf = key => key.slice(0, key.lastIndexOf("/"));
  const at = (out, id, place) => [...out].filter(([key]) => key.startsWith(`${id}/${place}/`)).map(([key, count]) => [key.slice(id.length + place.length + 2), count]);
  const more = (out, key, count = 1) => out.set(key, (out.get(key) || 0) + count), idsOf = text => text.slice(text.indexOf(": ") + 2).split(", ");
  const range = (count, what) => Array.from({length: count}, (_, n) => `${what}.${n + 1}`), same = (one, other) => [...one].sort().join("\n") === [...other].sort().join("\n");

  /* Known ends of a pile are hands that nobody holds; a peek draws to the top. `taken` says which end comes next, if any. */
  const TOP = "=top", BOTTOM = "=bottom", ENDS = {[TOP]: "the top of the pile", [BOTTOM]: "the bottom of the pile"};
  const noEnds = (id, out) => { for (const end in ENDS) out.delete(`${id}/hand/${end}`); }, closes = body => ["closed", "seat", "to"].some(key => key in body);
  const seatsOf = body => body.does === "peek" ? Object.keys(body.texts || {}).filter(key => key.startsWith("card.")).map(() => TOP) : body.seats || [];
  const taken = (has, peeks, size) => !peeks && has(TOP) ? TOP : !size && has(BOTTOM) ? BOTTOM : "";
  const joinEnd = (hands, end, held) => hands.set(end, end === TOP ? [...held, ...hands.get(end) || []] : [...hands.get(end) || [], ...held]);

  /* Draws card after card; `out` is how many are out of the pile, by DECK/PLACE/CARD; `held` are those in closed hands. */
  function drawing(id, deck, out, held = []) {
    const left = new Map(deck.cards.map(one => [one.id, one.count]));
    for (const place of OPEN) for (const [card, count] of at(out, id, place)) more(left, card, -count);
    for (const [key, count] of at(out, id, "known")) more(left, tail(key), -count);
    for (const card of held) more(left, card, -1);
    const next = die => {
      if (!sum(left.values()) && deck.empty === "reshuffle") {
        for (const [card, count] of at(out, id, "discard")) { more(left, card, count); out.delete(`${id}/discard/${card}`); }
      }
      const {label, sides, value} = die, size = sum(left.values());
      if (Object.keys(die).length !== 3 || label !== id || sides !== size || !Number.isInteger(value) || value < 1 || value > size) return null;
      let rest = value;
      const [card, count] = [...left].find(([, some]) => (rest -= some) <= 0);
      left.set(card, count - 1);
      more(out, `${id}/play/${card}`);
      return card;
    };
    Object.assign(next, {left, size: () => sum(left.values())});
    return next;
  }

  /* What is left, and where they would join it the discards, as a sequence says what it drew from. */
  function pileText(id, deck, out, known = []) {
    const {left} = drawing(id, deck, new Map(out), known), there = new Map(at(out, id, "discard"));
    const half = counts => deck.cards.filter(one => counts.get(one.id)).map(one => counts.get(one.id) === 1 ? one.id : `${one.id}*${counts.get(one.id)}`).join(" ") || "-";
    return deck.empty === "reshuffle" ? `${half(left)} / ${half(there)}` : half(left);
  }

  /* The same of a deck with closed cards: what all have not seen, and how it comes; of known places "?" is one that only some have seen. */
  const endsIn = said => {
    const row = (/\|(.*)/.exec(said) || ["", ""])[1].split(" ").map(one => /^([A-Za-z0-9.-]{1,40}|[?])(?:\*([1-9][0-9]{0,3}))?$/.exec(one)).filter(one => one && one[0] !== "-").map(one => [one[1], Number(one[2] || 1)]);
    return sum(row.map(one => one[1])) > MOST_CARDS ? ["|"] : row.flatMap(([one, count]) => Array(count).fill(one));
  };
  function closedText(id, deck, out, ends) {
    const known = ends.filter(one => one !== "?"), [top, bottom] = [TOP, BOTTOM].map(end => out.get(`${id}/hand/${end}`) || 0), row = [];
    if (ends.length !== top + bottom || Math.min(...drawing(id, deck, new Map(out), known).left.values()) < 0) return null;
    for (const one of [...ends.slice(0, top), ...Array(pileSize(id, deck, out)).fill("_"), ...ends.slice(top)]) if (row.length && row[row.length - 1][0] === one) row[row.length - 1][1]++; else row.push([one, 1]);
    return `${pileText(id, deck, out, known)} | ${row.map(([one, count]) => count === 1 ? one : `${one}*${count}`).join(" ") || "-"}`;
  }

  /* The sides of the dice of so many cards, which all can tell, and whether some came from a known end, without a die. */
  const pileSize = (id, deck, out) => sum(deck.cards.map(one => one.count)) - sum([...OPEN, "known", "hand"].flatMap(place => at(out, id, place).map(([, count]) => count)));
  function sidesDrawn(id, deck, out, count, peeks = false) {
    const sides = [];
    let size = pileSize(id, deck, out), ends = false;
    for (let n = 0; n < count; n++) {
      const end = taken(one => out.get(`${id}/hand/${one}`), peeks, size);
      if (end) { more(out, `${id}/hand/${end}`, -1); ends = true; continue; }
      if (!size && deck.empty === "reshuffle") for (const [card, some] of at(out, id, "discard")) { size += some; out.delete(`${id}/discard/${card}`); }
      sides.push(size--);
    }
    return {sides, ends};
  }
  const namesCard = die => "deck" in die && typeof die.value === "string";

  /* What is wrong with the cards that a sequence draws: each by a die over its pile, each goes where its die says. Of a deck with closed cards
     a die names its card; that this is what its face draws is told once that is open. */
  function sequenceDraws(body, decks, was) {
    const out = new Map(was), piles = new Map(), gone = [];
    for (const {deck: id, to, sides, value} of (body.dice || []).filter(die => "deck" in die)) {
      if (!own(decks, id) || !own(body.read || {}, `deck.${id}`)) return "Its dice are not those that its pile asks for.";
      if (was.get(`${id}/last`)) {
        const [asked] = sidesDrawn(id, decks[id], out, 1).sides;
        more(out, `${id}/play/${value}`);
        if (typeof value !== "string" || asked === 0 || sides !== (asked || 0) || tooMany(id, decks, out)) return "Its dice are not those that its pile asks for.";
        gone.push([id, value, to]);
        continue;
      }
      if (!piles.has(id)) piles.set(id, drawing(id, decks[id], out));
      const card = piles.get(id)({label: id, sides, value});
      if (card === null) return "Its dice are not those that its pile asks for.";
      gone.push([id, card, to]);
    }
    for (const [id, card, to] of gone) { more(out, `${id}/play/${card}`, -1); if (to !== "back") more(out, `${id}/${to}/${card}`); }
    return otherCards(body, was, out);
  }

  function declared(body, decks, out, canonical) {
    const all = fields(body, "after").decks || decks, changed = Object.keys(all).filter(one => !own(decks, one) || canonical(all[one]) !== canonical(decks[one])), [id] = changed.length ? changed : body.result.split(":");
    if (changed.length > 1 || !own(all, id) || Object.keys(decks).some(one => !own(all, one)) || !/^[a-z0-9][a-z0-9-]{0,23}$/.test(id)) return ["It declares no deck."];
    const {cards} = all[id], ids = cards.map(one => one.id), size = sum(cards.map(one => one.count));
    if (canonical(fields(body, "before").decks || decks) !== canonical(decks)) return ["It says that other decks were there before."];
    if (new Set(ids).size < ids.length || size > MOST_CARDS || !ids.every(one => /^[A-Za-z0-9.-]{1,40}$/.test(one))) return ["Its cards are too many, or twice there, or have no ids."];
    if (own(STANDARD, id) && JSON.stringify(cards.map(one => [one.id, one.count])) !== JSON.stringify(STANDARD[id].map(one => [one, 1]))) return [`${id} has other cards.`];
    const typed = ids.filter(one => /^[1-9][0-9]{0,15}\.w[1-9][0-9]{0,2}$/.test(one)).sort(), keys = Object.keys(body.texts || {}).map(one => `${body.number}.${one}`).sort();
    if (typed.join() !== keys.join()) return ["Its cards have other words than are under its hashes."];
    if (at(out, id, "hand").length) return ["It declares a deck anew while hands hold closed cards of it."];
    for (const key of [...out.keys()]) if (key.startsWith(`${id}/`)) out.delete(key);
    return ["", `${id}: ${size} cards`];
  }

  function drew(body, decks, out, canonical, seats) {
    if (body.closed) return drewClosed(body, decks, out, seats);
    const {dice = [], deck, does, number} = body, orders = does === "names" && !("deck" in body), list = dice.map((_, n) => `w${n + 1}`);
    if (body.seats || !(orders || does === "draw")) return ["Cards are drawn into hands with their faces closed."];
    if (Object.keys(body.texts || {}).sort().join() !== (orders ? list.sort().join() : "")) return ["It has other texts than the names that it puts in order."];
    if (!dice.length || dice.length > MOST_MOVED || !(orders || own(decks, deck || ""))) return ["It draws from a deck that nobody declared, or too much at once."];
    if (out.get(`${deck}/last`)) return ["It shows its dice while cards of the deck are closed."];
    const names = {cards: dice.map((_, n) => lone(`${number}.w${n + 1}`)), empty: "refuse"};
    const next = orders ? drawing("names", names, new Map()) : drawing(deck, decks[deck], out), drawn = dice.map(die => next(die));
    return drawn.includes(null) ? ["Its dice are not those that its pile asks for."] : ["", (orders ? "" : `${deck}: `) + drawn.join(", ")];
  }

  /* Cards drawn whose faces stay closed: into hands, or open ones while others of the deck are closed. */
  function drewClosed(body, decks, out, seats) {
    const {deck, does, number, closed: sides} = body, to = seatsOf(body), peeks = does === "peek";
    if (!own(decks, deck || "") || "dice" in body || (peeks && "seats" in body)) return ["It draws from a deck that nobody declared, or too much at once."];
    const fits = {draw: !to.length, peek: true, hold: to.length > 0 && to.every(one => one === seats.own), deal: to.length > 0 && to.every(one => seats.sides.includes(one))};
    if (!fits[does]) return ["It draws for hands that are not theirs."];
    const named = to.length || peeks ? [] : idsOf(body.result), keys = [...range(sides.length, "face"), ...range(to.length, "card")], count = to.length || named.length;
    const looked = peeks ? Number((/: ([1-9][0-9]?) closed/.exec(body.result) || [0, 0])[1]) : count, fresh = peeks ? Math.max(0, looked - (out.get(`${deck}/hand/${TOP}`) || 0)) : count;
    if (!looked || looked > MOST_MOVED) return ["It draws nothing, or too much at once."];
    if (!same(Object.keys(body.texts || {}), keys) || count !== fresh) return ["It has other texts than the cards and faces that it closes."];
    if (!to.length && !peeks && !out.get(`${deck}/last`)) return ["It closes its dice though no card of the deck is closed."];
    const {sides: asked, ends} = sidesDrawn(deck, decks[deck], out, count, peeks);
    if (asked.join() !== sides.join()) return ["Its dice are not those that its pile asks for."];
    for (let n = 0; n < count; n++) more(out, to.length ? `${deck}/hand/${to[n]}` : `${deck}/play/${named[n]}`);
    if (to.length || peeks || ends) out.set(`${deck}/last`, number);
    return tooMany(deck, decks, out) || ["", `${deck}: ${to.length || peeks ? `${looked} closed` : named.join(", ")}`];
  }

  function tooMany(deck, decks, out) {
    const told = new Map(decks[deck].cards.map(one => [one.id, one.count]));
    for (const place of OPEN) for (const [card, count] of at(out, deck, place)) more(told, card, -count);
    return Math.min(...told.values()) < 0 ? ["It plays a card more often than the deck has it."] : null;
  }

  /* Cards leave a hand: into play or to the discards by name, or closed, into another hand or back into the pile. */
  function leftHand(body, decks, out, seats) {
    const {deck, does, seat, to = ""} = body, texts = Object.keys(body.texts || {}), hand = `${deck}/hand/${seat}`, there = out.get(hand) || 0;
    const toEnd = does === "back" && own(ENDS, to);
    if (seat !== seats.own || (does === "give") !== (Boolean(to) && !toEnd) || to === seat) return ["It takes cards out of a hand that is not theirs."];
    if (to && !toEnd && !seats.sides.includes(to) && !seats.acted.has(to.replace(/^@/, ""))) return ["It gives cards to nobody."];
    let count = 0, names = [];
    if (does === "give" || does === "back") {
      count = texts.filter(key => key.startsWith("from.")).length;
      names = [`${count} closed`];
      if (to) more(out, `${deck}/hand/${to}`, count);
    } else if (does === "play" || does === "discard") {
      names = idsOf(body.result);
      for (const card of names) {
        const known = `${deck}/known/${seat}/${card}`;
        if (out.get(known)) more(out, known, -1); else count++;
        more(out, `${deck}/${does}/${card}`);
      }
    } else return ["It takes cards out of a hand for nothing."];
    const keys = [...range(count, "from"), ...to ? range(count, "card") : []];
    if (!same(texts, keys) || names.length > MOST_MOVED || count > there || (!count && names[0] === "0 closed")) return ["It has other texts than the cards that it takes."];
    out.set(hand, there - count);
    if (count) out.set(`${deck}/last`, body.number);
    return tooMany(deck, decks, out) || ["", `${deck}: ${names.join(", ")}`];
  }

  function moved(body, decks, out, canonical, seats) {
    const stands = ["seats", "by", "reason"].some(one => one in body), [seat = ""] = body.seats || [];
    const other = ["deck", "seat", "to", "texts"].filter(one => one in body), agreed = `+agreed/${stands ? seat : seats.own}`;
    if (stands && body.does !== "agree") return ["It moves cards that do not go there."];
    if (stands) {
      const others = seat[0] === "@" ? [seat.slice(1)] : Object.keys(seats.players).filter(one => seats.players[one] === seat);
      const holds = !own(ENDS, seat) && Object.keys(decks).some(id => out.get(`${id}/hand/${seat}`));
      const fits = body.by && ["left", "silent"].includes(body.reason) && body.seats.length === 1 && others.length && holds;
      if (!fits || others.includes(body.who) || body.who in seats.players) return ["Who agreed had no say in it."];
      if (body.reason === "silent" && !seats.silent(others, body.at)) return ["It says that the other side was silent for seven days, but it was not."];
    }
    if (body.does === "agree") {
      if (other.length || out.get(agreed)) return ["It agrees to what was agreed to."];
      out.set(agreed, 1);
      return ["", "hands may be opened"];
    }
    if (own(decks, body.deck || "") && "seat" in body) return leftHand(body, decks, out, seats);
    const {deck = "", does, to: end} = body, before = (body.before || BARE).cards || {}, after = body.after.cards || {}, took = [];
    if ("texts" in body || ("to" in body && (does !== "return" || !own(ENDS, end)))) return ["It moves cards that do not go there."];
    if (!own(decks, deck) || !own(FROM, does)) return ["It moves cards of a deck that nobody declared."];
    const known = sum(Object.keys(ENDS).map(one => out.get(`${deck}/hand/${one}`) || 0)), every = sum([...out].filter(([key]) => key.startsWith(`${deck}/discard/`)).map(([, count]) => count)), add = (key, count) => out.set(key, (out.get(key) || 0) + count);
    for (const place of ["play", "discard", "removed"]) {
      for (const {id} of decks[deck].cards) {
        const key = `${deck}/${place}/${id}`, fewer = (before[key] || 0) - (after[key] || 0);
        if (fewer <= 0) continue;
        if (!FROM[does].includes(place)) return ["It moves cards that do not go there."];
        took.push(...Array(fewer).fill(id));
        add(key, -fewer);
        if (TO[does]) add(`${deck}/${TO[does]}/${id}`, fewer);
      }
    }
    const fits = does === "shuffle" ? took.length === every && every + known : took.length && took.length <= MOST_MOVED;
    if (does === "shuffle") noEnds(deck, out);
    if (end) {
      more(out, `${deck}/hand/${end}`, took.length);
      out.set(`${deck}/last`, body.number);
      if (fits && same(took, idsOf(body.result))) return ["", `${deck}: ${idsOf(body.result).join(", ")}`];
    }
    return fits ? ["", `${deck}: ${does === "shuffle" ? `${every + known} cards` : took.join(", ")}`] : ["It moves cards that do not go there."];
  }

  /* What is wrong with an event about decks: it is held against what follows from the cards that were out before. */
  function ofCards(body, decks, was, canonical, seats) {
    const out = new Map(was), [problem, said] = {deck: declared, draw: drew, cards: moved}[body.kind](body, decks, out, canonical, seats);
    return problem || otherCards(body, was, out) || (body.result === said ? "" : "Its words are not what it does.");
  }

  function otherCards(body, was, out) {
    const keys = [...new Set([...out.keys(), ...was.keys()])].filter(key => (out.get(key) || 0) !== (was.get(key) || 0)).sort();
    const fits = (part, counts) => { const told = (body[part] || BARE).cards || {}; return Object.keys(told).sort().join("\n") === keys.join("\n") && keys.every(key => told[key] === (counts.get(key) || 0)); };
    return fits("before", was) && fits("after", out) ? "" : "It changes other cards than it draws or moves.";
  }

  /* A cup that leads a phase: which chit has the go, where it goes behind it, and whose go it gives (null: none of it is left). */
  const chitOf = ({led, decks}) => { const [id, card = ""] = led.split("/"); return {...(own(decks, id) ? decks[id].cards : []).find(one => one.id === card), id, card}; };

  function settled(game, was) {
    const {id, card, after = "discard"} = chitOf(game), out = new Map(was), key = `${id}/play/${card}`;
    if (!card || !out.get(key)) return out;
    more(out, key, -1);
    if (after !== "back") more(out, `${id}/${after}/${card}`);
    return out;
  }

  function calledBy(game, units, led) {
    const {id, side = "", of = {}} = chitOf({...game, led}), named = Object.entries(of), lost = game.decks[id].lost || [];
    if (!side && !named.length) return game.sides;
    const mine = [...units.values()].filter(one => (!side || one.side === side) && named.every(([name, value]) => ({...one.numbers, handle: one.handle})[name] === value));
    const left = new Set(mine.filter(one => ![one.state || "", ...one.marks || []].some(word => lost.includes(word))).map(one => one.side || ""));
    if (!left.size && (mine.length || (named.length && units.size))) return null;
    const sides = game.sides.filter(one => left.has(one));
    return side ? [side] : sides.length ? sides : game.sides;
  }

  /* What is wrong with how an event begins a led phase, draws the chit of a go, or ends its go. */
  function leading(body, game, units, was) {
    const said = fields(body, "after"), {led = game.led, go = game.go, sides = game.sides} = said, [words] = (body.result || "").split("; "), {id, card} = chitOf(game), out = settled(game, was);
    const isAll = go.join("\n") === sides.join("\n"), moves = ["turn", "phase", "turn_of"].some(one => one in said), other = "It gives the go to others than the chit does.";
    if (body.kind === "draw" && body.does === "lead") {
      const {dice = [], deck} = body;
      if (!own(game.decks, deck || "") || !["", deck].includes(game.led) || dice.length !== 1 || !guards(game)) return "It draws a chit for a go that has one, or that no cup leads.";
      if ("closed" in body || "seats" in body || "texts" in body || was.get(`${deck}/last`)) return "A chit that leads a phase is drawn openly.";
      const next = drawing(deck, game.decks[deck], out), drawn = next.size() > 0 ? next(dice[0]) : null;
      if (drawn === null) return "Its dice are not those that its pile asks for.";
      const gives = calledBy(game, units, `${deck}/${drawn}`);
      if (!gives) { more(out, `${deck}/play/${drawn}`, -1); more(out, `${deck}/${game.decks[deck].dead ? "removed" : "discard"}/${drawn}`); }
      if (led !== (gives ? `${deck}/${drawn}` : deck) || go.join("\n") !== (gives || game.sides).join("\n")) return other;
      return otherCards(body, was, out) || (body.result === `${deck}: ${drawn}` ? "" : "Its words are not what it does.");
    }
    if (body.kind === "draw") return Object.keys(said).length ? "It changes whose go it is." : "";
    if (["initiative", "sequence"].includes(body.kind)) return game.led && "go" in said ? "A chit says whose go it is." : "";
    if (!["start", "next", "pass"].includes(body.kind)) return "";
    if (body.kind === "pass" && game.led && (!card || words !== `${card} is done`)) return "It ends the go of another chit than has it.";
    if (body.kind === "pass" && !moves) return (game.led ? led === id && isAll && !("passes" in said) : led === "") ? otherCards(body, was, out) : "Behind the go of a chit the next one is drawn.";
    if (led && !(/^[a-z0-9][a-z0-9-]{0,23}$/.test(led) && isAll)) return "A phase that a deck leads begins without a chit.";
    for (const key of [...out.keys()]) if (led && (key.startsWith(`${led}/play/`) || key.startsWith(`${led}/discard/`))) out.delete(key);
    return otherCards(body, was, out);
  }
  const guards = game => game.started && !game.ended;

  /* Hands that an event puts back or opens: of seats where nobody sits any more, at an import, at the end of a game. */
  function ofHands(body, game, was, hidden, seats) {
    const {kind, who} = body, out = new Map(was), decks = Object.keys(game.decks), holding = new Set(decks.flatMap(id => at(out, id, "hand").map(([seat]) => seat)));
    const putBack = gone => { for (const id of decks) for (const seat of gone) for (const key of [...out.keys()]) if (key === `${id}/hand/${seat}` || key.startsWith(`${id}/known/${seat}/`)) out.delete(key); };
    const drop = test => { for (const key of [...out.keys()]) if (test(key)) out.delete(key); }, isLast = key => key.endsWith("/last"), isClosing = key => key.startsWith("+") || isLast(key);
    if (["join", "leave", "claim", "privacy"].includes(kind)) {
      const {players = game.players, master = game.master} = fields(body, "after"), stay = Object.values(players);
      const gone = [who, body.own || "", ...Object.keys(game.players).filter(one => !(one in players)), ...master === game.master ? [] : [game.master]];
      putBack([...Object.values(game.players).filter(side => !stay.includes(side)), ...gone.map(one => `@${one}`)]);
      return otherCards(body, was, out);
    }
    if (kind === "import") {
      putBack([...holding, ...decks.flatMap(id => at(out, id, "known").map(([key]) => headOf(key)))]);
      drop(isClosing);
      return otherCards(body, was, out);
    }
    if (kind === "fair" && !("revealed" in body)) return "shows" in body || "before" in body ? "It opens closed cards, which only the seed does." : "";
    if (kind !== "fair" && kind !== "end") return "";
    if ((body.shows || 0) !== hidden) return "It opens other cards than are closed.";
    if (kind === "fair") {
      drop(isLast);
      return holding.size ? "A seed is not revealed while a card under it is closed." : otherCards(body, was, out);
    }
    if ([...holding].some(seat => seat !== seats.own && !own(ENDS, seat) && !out.get(`+agreed/${seat}`))) return "Closed hands are opened though not every side agreed.";
    const after = (body.after || BARE).cards || {};
    for (const id of decks) {
      noEnds(id, out);
      for (const [seat, count] of at(was, id, "hand").filter(([one]) => !own(ENDS, one))) {
        const added = game.decks[id].cards.map(one => `${id}/known/${seat}/${one.id}`).map(key => [key, Math.max(0, (after[key] || 0) - (was.get(key) || 0))]);
        if (sum(added.map(([, some]) => some)) !== count) return "It opens other hands than there are.";
        for (const [key, some] of added) if (some) more(out, key, some);
        out.delete(`${id}/hand/${seat}`);
      }
    }
    drop(isClosing);
    return otherCards(body, was, out);
  }

  /* Closed cards and faces that an event opened, computed again: fault(event, words). */
  function opened(bodies, text, fault) {
    const opens = bodies.filter(body => "shows" in body).map(body => [body.shows, body.number]), out = new Map(), decks = {}, told = new Map(), seen = new Set(), numbered = new Map(bodies.map(body => [body.number, body]));
    const handsOf = id => new Map([...told.get(out.get(`${id}/last`)) || []].map(([seat, held]) => [seat, held, out.get(`${id}/hand/${seat}`)]).filter(([, , there]) => there).map(([seat, held, there]) => [seat, held.slice(own(ENDS, seat) ? Math.max(0, held.length - there) : 0)]));
    const add = (hands, seat, one) => hands.set(seat, [...hands.get(seat) || [], one]);
    for (const body of bodies) {
      const {number, deck, closed, seat, to} = body, seats = seatsOf(body), word = key => { const row = text(number, key); if (!row) throw new Error(key); return row.text; };
      if (opens.some(([first, by]) => first <= number && number < by) && closes(body)) {
        const hands = handsOf(deck), face = key => (/^[0-9]{1,9}$/.test(word(key)) ? Number(word(key)) : 0);
        try {
          if (closed) {
            const next = drawing(deck, decks[deck], new Map(out), [...hands.values()].flat().map(one => one[1])), peeks = body.does === "peek", named = seats.length || peeks ? seats.map((_, n) => word(`card.${n + 1}`)) : idsOf(body.result);
            const draws = named.map((_, n) => `${number}.${n + 1}`);
            let die = 0;
            for (const [n, card] of named.entries()) {
              const end = taken(one => (hands.get(one) || []).length, peeks, next.size()), was = end && hands.get(end).shift();
              if (end && peeks) draws[n] = was[0];  // it is on top then, and still the same draw to whoever knew it
              if (end ? was[1] !== card : next({label: deck, sides: closed[die], value: face(`face.${++die}`)}) !== card) throw new Error("card");
            }
            if (die !== closed.length) throw new Error("die");
            seats.forEach((one, n) => add(hands, one, [draws[n], named[n]]));
          } else if (!seat) joinEnd(hands, to, idsOf(body.result).map((card, n) => [`${number}.${n + 1}`, card]));
          else {
            const moves = [];
            const known = new Map(out), names = ["play", "discard"].includes(body.does) ? idsOf(body.result) : [];
            const wanted = names.filter(card => { const key = `${deck}/known/${seat}/${card}`; if (!known.get(key)) return true; more(known, key, -1); return false; });
            range(Object.keys(body.texts || {}).filter(key => key.startsWith("from.")).length, "from").forEach((key, n) => {
              const held = hands.get(seat) || [], place = held.findIndex(one => one[0] === word(key));
              if (place < 0 || (wanted.length && place !== held.findIndex(one => one[1] === wanted[n]))) throw new Error("card");
              const [[, card]] = held.splice(place, 1);
              if (to && word(`card.${n + 1}`) !== card) throw new Error("card");
              moves.push([`${number}.${n + 1}`, card]);
            });
            if (to) joinEnd(hands, to, moves);
          }
          told.set(number, hands);
        } catch { fault(number, "What it closed is not in the file as it was opened, or not what its dice draw."); }
      }
      if (body.kind === "sequence" && opens.some(([first, by]) => first <= number && number < by)) {
        try { for (const id of Object.keys(decks)) if (own(body.read || {}, `deck.${id}`) && out.get(`${id}/last`)) named(body, id, decks[id], new Map(out), handsOf(id), word, seen); }
        catch { fault(number, "Its closed faces are not in the file as they were opened, or do not draw its cards."); }
      }
      if ("to" in body && !("seat" in body)) for (let n = 1; n <= 60; n++) seen.add(`${number}.${n}`);
      const before = (body.before || BARE).cards || {}, after = (body.after || BARE).cards || {};
      if ("shows" in body && body.kind === "end") {
        for (const id of Object.keys(decks)) for (const [one, held] of handsOf(id)) for (const [, card] of own(ENDS, one) ? [] : held) {
          const key = `${id}/known/${one}/${card}`;
          if ((after[key] || 0) - (before[key] || 0) !== held.filter(other => other[1] === card).length) fault(number, "It opens other hands than were drawn.");
        }
      }
      for (const [key, count] of Object.entries(after)) if (count) out.set(key, count); else out.delete(key);
      Object.assign(decks, fields(body, "after").decks);
      const {seats: into, does, before: was = BARE, after: now = BARE} = after["+seen"] ? numbered.get(body.event) : BARE;
      const fewer = key => Math.max(0, ((was.cards || {})[key] || 0) - ((now.cards || {})[key] || 0));
      if (!into && does !== "peek") for (const id of Object.keys(decks)) for (const end of [TOP, BOTTOM]) for (const [draw] of (handsOf(id).get(end) || []).slice(0, fewer(`${id}/hand/${end}`))) seen.add(draw);
    }
  }

  /* Throws where the closed faces of a sequence draw other cards of a deck than it names, or where others were known to all on its ends than it
     says: those whose draws all have `seen`. */
  function named(body, id, deck, out, hands, word, seen) {
    const next = drawing(id, deck, out, [...hands.values()].flat().map(one => one[1])), known = [TOP, BOTTOM].flatMap(end => hands.get(end) || []).map(([drawn, card]) => seen.has(drawn) ? card : "?");
    if (endsIn(body.read[`deck.${id}`].join(" ")).join("\n") !== known.join("\n")) throw new Error("ends");
    (body.dice || []).forEach(({deck: from, sides, value}, n) => {
      const end = from === id && taken(one => (hands.get(one) || []).length, false, next.size()), key = `face.${n + 1}`;
      if (from === id && (end ? hands.get(end).shift()[1] : next({label: id, sides, value: /^[0-9]{1,9}$/.test(word(key)) ? Number(word(key)) : 0})) !== value) throw new Error("card");
    });
  }

  /* What does not follow, as fault(event, words), and what is the host's word alone, as remark(event, words). */
  function follow(log, canonical, fault, remark) {
    const game = {players: {}, master: "", sides: [], started: false, ended: false, decks: {}, tracks: {}, turn_of: "", led: "", go: []}, out = new Map(), bodies = [], contents = new Map();
    const sealed = new Map(), waits = new Map(), withdrawn = new Set(), present = new Map(), redo = [], acted = new Set(), agreed = new Map(), claimed = new Map();
    let hidden = 0, here = new Set(), leftHere = new Set(), left = new Set(), last = 0, imported = 0, closing = false, closed = false, adder = "", solo = "";

    const guarded = () => game.started && !game.ended && game.sides.length > 0;
    const owns = roll => !game.system || String(roll.base || roll.system).split("@")[0] === game.system || (!game.started && !present.size);
    const until = number => bodies.filter(one => one.number <= number).map(one => one.who);

    /* The events that are not undone, newest first. */
    function holding() {
      const turned = new Map();
      return bodies.slice().reverse().filter(one => {
        if (one.kind !== "undo" && one.kind !== "redo") return turned.get(one.number) !== "undo";
        if (!turned.has(one.event)) turned.set(one.event, one.kind);
        return false;
      });
    }

    /* Who played and who was game master when an event fell, as far as the latter still is and plays no side. */
    function seats(number) {
      let players = game.players, {master} = game;
      const claims = bodies.filter(one => one.number > number && one.own);
      for (const one of bodies.slice().reverse()) if (one.number > number) ({players, master} = {players, master, ...fields(one, "before")});
      for (const {own, who} of claims) {
        players = Object.fromEntries(Object.entries(players).map(([one, side]) => [one === own ? who : one, side]));
        if (master === own) master = who;
      }
      return {players, master: master === game.master && !(master in game.players) ? master : ""};
    }

    function consenters(asking, persons, undone) {
      const {players, master} = seats(undone.number), side = players[asking];
      if (!guarded() && !(game.sides.length && Object.keys(players).length)) return new Set([...persons].filter(one => one !== asking));
      const others = new Set(Object.keys(players).filter(one => players[one] !== (side || undone.side) && (side || one !== undone.who)));
      if (master && !(master in players)) others.add(master);
      others.delete(asking);
      return others;
    }

    function areSilent(persons, at) {
      const known = new Set(persons), since = new Set();
      for (const one of bodies) {
        if (one.at > at - SILENT) since.add(one.who);
        if (known.has(one.own)) known.add(one.who);
      }
      return ![...known].some(one => since.has(one));
    }

    /* Who agreed; where nothing was passed over, nobody can have come or gone since. */
    function agreement(body, undone) {
      const {who, asked, event: at, kind} = body, noSay = `Who agreed to the ${kind} had no say in it.`;
      if (asked && (body.alone || !acted.has(asked))) return `Who asked for the ${kind} had no part in the game.`;
      const earlier = new Set(until(at)), upTo = kind === "undo" && at !== body.behind ? earlier : acted;
      const others = consenters(asked || who, upTo, undone), present = kind === "redo" ? earlier : upTo;
      const free = consenters(who, [...here].filter(one => !leftHere.has(one) && present.has(one)), undone).size === 0;
      if (body.by || body.reason) {
        if (!asked || !body.by || !body.reason || !others.size || who in game.players || who in seats(at).players || who === asked || who === undone.who) return noSay;
        if (body.reason === "left") remark(body.number, "that the other side had left is the host’s word");
        return body.reason === "left" || areSilent(others, body.at) ? "" : "It says that the other side was silent for seven days, but it was not.";
      }
      if (asked) return who !== asked && others.has(who) ? "" : noSay;
      if (kind === "redo" && agreed.get(at) && !free) return "It was undone by agreement, and nobody agreed to bring it back.";
      return kind === "undo" && body.alone && !free ? "It says that nobody else could agree, but others play." : "";
    }

    /* What an undo turns round; where closed cards were changed it says that nobody forgets what they saw of known ends. */
    const turned = (undone, number) => undone.does !== "shuffle" && Object.keys((undone.before || BARE).cards || {}).some(key => key.endsWith("/last") || key.includes("/hand/="))
      ? {before: {...undone.before, cards: {...undone.before.cards, "+seen": number}}, after: {...undone.after, cards: {...undone.after.cards, "+seen": out.get("+seen") || 0}}} : undone;
    const turnsRound = (body, other, before, after) => canonical([body.before || null, body.after || null]) === canonical([other[before] || null, other[after] || null]);

    function undo(body) {
      const at = body.event, events = holding(), place = events.findIndex(one => one.number === at), undone = events[place];
      const way = events.find(one => one.number > at && one.kind !== "reveal" && !passedOver(one));
      if (way) return `It takes back #${at}, but #${way.number} changed the game since.`;
      if (!undone || is(undone, "final")) return `It takes back #${at}, which cannot be taken back.`;
      const before = at === last && events.slice(place + 1).find(one => !(one.kind === "reveal" && "last" in one));
      if (body.last !== (at === last ? before ? before.number : 0 : last) || !turnsRound(body, turned(undone, body.number), "after", "before")) return `It does not turn round what #${at} did.`;
      if (body.reason === "edition" && waits.has(at)) { remark(body.number, "that the rules had changed is the host’s word"); return ""; }
      if ((rolled(undone) || undone.kind === "choice" || "seat" in undone) && !body.asked && !body.alone) return "Dice are taken back, and nobody agreed.";
      return agreement(body, undone);
    }

    function again(body) {
      const at = body.event, done = redo[redo.length - 1] === at && bodies.find(one => one.number === at);
      if (!done) return `It brings back #${at}, which was not undone last.`;
      return turnsRound(body, done, "before", "after") && canonical([body.asks || null]) === canonical([done.asks || null]) ? agreement(body, done) : `It does not do again what #${at} did.`;
    }

    /* What a side is asked for, what it chooses, and what waits until then. */
    function asking({asks, used = [], at, after}) {
      if (!asks) return "";
      const {options, says, side = "", units = [], due = 0} = asks;
      const fits = options.includes(asks.else) && new Set(options).size === options.length && says.length === options.length && units.join("\n") === used.map(one => one.name).join("\n");
      if (!fits || (side && !game.sides.includes(side)) || (due > 0 && due <= at)) return "It asks for a choice as Grognard does not.";
      return Object.keys({...BARE, ...after}.units).length ? "It changes units before the choice is made." : "";
    }

    function choice(body) {
      const {event: at, picks} = body, asks = waits.get(at), first = bodies.find(one => one.number === at);
      if (!asks || !first) return `It answers #${at}, which asks for no choice.`;
      if (body.system !== first.system || body.target !== first.target) return `It carries on something else than #${at}.`;
      if (picks.length !== (asks.items || [""]).length || !picks.every(one => asks.options.includes(one))) return `It chooses what #${at} does not ask for.`;
      const {side = "", due = 0} = asks;
      if (body.as === "else" && !(due > 0 && due <= body.at && picks.every(one => one === asks.else))) return "It counts as nobody chose, before its deadline.";
      if (body.as !== "else" && side && body.side !== side && !(body.as && !Object.values(game.players).includes(side))) return "Who chose does not play the side that was asked.";
      return body.edition !== first.edition ? `It goes on under other rules than #${at}.` : "";
    }

    function waiting(body) {
      const own = body.kind === "choice" || body.kind === "undo" ? body.event : 0, {units} = {...BARE, ...body.before}, after = fields(body, "after");
      const names = new Set([...(body.used || []), ...Object.values(units).filter(Boolean)].map(one => one.name)), held = HELD.includes(body.kind) || ["packs", "system", "tracks", "led"].some(one => one in after);
      const found = [...waits].find(([at, asks]) => at !== own && (held || (asks.units || []).some(one => names.has(one))));
      return found ? `#${found[0]} waits for a choice, which comes first.` : "";
    }

    function opening(body) {
      const {opens = [], number: at} = body, gone = one => !contents.has(one) && (one < imported || left.has(sealed.get(one)));
      if (body.kind === "end" ? opens.join() !== [...sealed.keys()].join() : opens.length !== 1 || !sealed.has(opens[0])) return "It opens what is not sealed, or not all that is.";
      if (body.kind === "reveal" && opens[0] >= imported && sealed.get(opens[0]) !== body.who && !left.has(sealed.get(opens[0]))) return "Only who rolled may open what is sealed.";
      if (body.kind === "reveal" && "last" in body && body.last !== last) return "Opening what is sealed leaves the last event that held as it was.";
      const shown = opens.filter(one => !gone(one)), title = roll => roll.kind === "roll" ? escaped((roll.inputs || {}).dice || "") : "[^\\n]{1,100}";
      if (!shown.every(one => contents.has(one))) { missing.push([at, shown.filter(one => !contents.has(one))]); return ""; }
      const moved = Object.assign({}, game.tracks, ...shown.filter(one => !withdrawn.has(one) && owns(contents.get(one))).map(one => contents.get(one).tracks));
      if (canonical(fields(body, "after").tracks || game.tracks) !== canonical(moved)) return "It changes tracks otherwise than was sealed.";
      const said = shown.map(one => `#${one} ${title(contents.get(one))}: ${escaped(contents.get(one).result || "")}`);
      return new RegExp(`^(?:${said.join("; ")})$`, "su").test(body.result || "") ? "" : "Its words are not what was sealed.";
    }

    /* Upkeep comes right behind the phase that has begun, or behind other upkeep, and the decks that it draws from. */
    function upkeep(body) {
      const before = bodies.filter(one => one.kind !== "deck").pop() || {}, moved = ["start", "next", "pass"].includes(before.kind) && ["turn", "phase", "turn_of"].some(one => one in fields(before, "after"));
      return body.upkeep === game.phase && (moved || "upkeep" in before) ? "" : "It is the upkeep of a phase that has not just begun.";
    }

    /* The tracks that a sequence read are as the log led to, of the side that acts; it changes no others, and by hand one at a time is set. */
    function tracks(body) {
      const roll = contents.get(body.number) || body, {side = "", foe = "", ...read} = roll.read || {}, was = game.tracks, said = {...fields(body, "after").tracks || was, ...roll.tracks};
      const changed = Object.keys(said).filter(key => canonical([said[key]]) !== canonical([key in was ? was[key] : null])), kept = Object.keys(was).every(key => key in said);
      if (body.kind === "track") return kept && changed.length === 1 && body.result.endsWith(`${changed[0].includes("/") ? ` (${changed[0].slice(0, changed[0].lastIndexOf("/"))})` : ""}: ${said[changed[0]]}`) ? "" : "Its words are not the track that it sets.";
      if (!["sequence", "sealed", "choice"].includes(body.kind)) return "";
      for (const name of Object.keys(read).filter(one => one.startsWith("deck."))) {
        const id = name.slice(5), from = body.kind === "choice" ? bodies.find(one => one.number === body.event).read || {} : null, said = Array.isArray(read[name]) ? read[name].join(" ") : "";
        if (from ? canonical([from[name] || null]) !== canonical([read[name]]) : !Object.keys(game.decks).includes(id) || said !== (out.get(`${id}/last`) ? closedText(id, game.decks[id], out, endsIn(said)) : pileText(id, game.decks[id], out))) return `It draws from ${id} otherwise than the log led to.`;
        delete read[name];
      }
      const drew = body.kind === "sequence" ? sequenceDraws(body, game.decks, out) : (roll.dice || []).some(die => "deck" in die) ? "It draws cards, which only open sequences do." : "";
      if (drew) return drew;
      let first = body;
      while (first && first.kind === "choice") first = bodies.find(one => one.number === first.event);
      const units = (roll.used || []).filter(one => one.side), acts = units.filter(one => (roll.acting || []).includes(one.name)), names = Object.keys(read), ofSides = names.some(name => /^(side|foe)\./.test(name));
      const due = ofSides ? [...acts.map(one => one.side), (first || body).side, ...units.map(one => one.side), game.turn_of].find(one => one) || "" : "", others = game.sides.filter(one => one !== due);
      if (side !== due || foe !== (due && others.length === 1 ? others[0] : "")) return "It reads the tracks of another side than acts.";
      if (!names.every(name => /^(track|side|foe)\../.test(name))) return "It reads what is no track.";
      const own = owns(roll), key = name => { const at = name.indexOf("."), whose = name.slice(0, at), owner = {side, foe}[whose]; return whose === "track" ? name.slice(at + 1) : owner ? `${owner}/${name.slice(at + 1)}` : ""; };
      const wrong = own && names.find(name => key(name) in was && canonical([was[key(name)]]) !== canonical([read[name]])), may = own ? names.map(key) : [];
      return wrong ? `It reads ${wrong} otherwise than the log led to.` : kept && changed.every(one => may.includes(one)) ? "" : "It changes a track that it did not read.";
    }

    /* When the players’ texts close, see docs/dice.md. */
    function texts(body) {
      const {who} = body, draws = rolled(body) && !body.hand, open = closing && !closed;
      const alone = guarded() ? [...Object.keys(game.players), game.master].every(one => !one || one === who) : solo === who;
      if (body.closes && !open) return "It closes texts that are not open.";
      if (body.closes && adder && adder === who && !alone) return "Who added the last text closes the texts.";
      if (body.closes && !draws && (body.kind !== "fair" || !adder)) return "It closes the texts without a die.";
      const stranger = guarded() && !(who in game.players) && who !== game.master && !(contents.get(body.number) || body).used;
      return draws && open && !body.closes && !stranger ? "Its dice should have closed the players’ texts." : "";
    }

    const atTable = who => ({own: game.players[who] || `@${who}`, sides: game.sides, acted, players: game.players, silent: areSilent});

    function problem(body) {
      const {kind, who} = body, players = kind === "join" ? fields(body, "after").players || {} : game.players;
      if (!bodies.length && (kind !== "start" || body.game !== log.data.game)) return "A log begins with the start of its game.";
      if (bodies.length && kind === "start") return "A log has one start.";
      if (body.behind !== last) return `It says that the last event before it was #${body.behind}, but that was #${last}.`;
      if (body.side !== (players[who] || "")) return `It was written for ${body.side || "no side"}, but who wrote it plays ${players[who] || "none"}.`;
      if (leftHere.has(who)) return "Who wrote it had left the game for good.";
      if (kind === "draw" && body.hand && (game.hand_dice === false || !("deck" in body) || "closed" in body)) return "Its cards were drawn by hand, which this game did not allow.";
      const own = kind === "undo" ? undo(body) : kind === "redo" ? again(body) : kind === "reveal" || kind === "end" ? opening(body)
        : ["deck", "draw", "cards"].includes(kind) && body.does !== "lead" ? ofCards(body, game.decks, out, canonical, atTable(who)) : kind === "choice" ? choice(body) : "";
      return own || leading(body, game, present, out) || (kind === "redo" ? "" : asking(body)) || waiting(body) || ofHands(body, game, out, hidden, atTable(who)) || ("upkeep" in body ? upkeep(body) : "") || tracks(body) || texts(body) || (body.keeps && !(redo.length && passedOver(body)) ? "It keeps what could be brought back, which it cannot." : "");
    }

    /* Move on behind an event. */
    function add(body) {
      const {number, kind, who, secret} = body, begins = secret && "commitment" in secret;
      Object.assign(game, fields(body, "after"));
      if ("shows" in body || kind === "import") hidden = 0; else if (closes(body)) hidden = hidden || number;
      for (const [key, count] of Object.entries((body.after || BARE).cards || {})) if (count) out.set(key, count); else out.delete(key);
      for (const [key, unit] of Object.entries(({...BARE, ...body.after}).units)) if (unit) present.set(key, unit); else present.delete(key);
      if (kind === "sealed") sealed.set(number, who);
      if (kind === "choice" || kind === "undo") waits.delete(body.event);
      if (body.asks) waits.set(kind === "redo" ? body.event : number, body.asks);
      for (const one of body.opens || []) sealed.delete(one);
      if (kind === "undo") { last = body.last; redo.push(body.event); agreed.set(body.event, "asked" in body); if (sealed.has(body.event)) withdrawn.add(body.event); }
      else if (kind === "redo") { last = Math.max(last, body.event); redo.pop(); withdrawn.delete(body.event); }
      else { last = kind === "reveal" && "last" in body ? body.last : number; if (!body.keeps) redo.length = 0; }
      if (secret && body.texts && body.texts.text && !log.text(number, "text")) missing.push([number, [number]]);
      bodies.push(body);
      acted.add(who);
      if (kind === "import") { imported = number; here = new Set(); leftHere = new Set(); }
      if (body.own) { here.delete(body.own); claimed.set(body.own, who); }
      here.add(who);
      if (kind === "privacy") { leftHere.add(who); claimed.forEach((by, own) => by === who && leftHere.add(own)); left = new Set([...left, ...leftHere]); }
      if (begins) { closing = secret.closing === true; closed = false; adder = ""; }
      else if (secret && kind === "fair") adder = who;
      closed = closed || body.closes === true;
      solo = number === 1 || !solo ? begins && closing ? number === 1 ? who : "*" : "" : solo === who ? solo : "*";
    }

    const missing = [];
    for (const {event, key, text} of log.data.texts || []) {
      if (key !== "sealed") continue;
      const content = log.opened(event);
      if (canonical(content) === text && typeof content.kind === "string") contents.set(event, content);
      else fault(event, "What was sealed in it cannot be read in one way alone.");
    }
    for (const {body} of log.data.events) {
      try {
        const found = shape(body, canonical) || problem(body);
        if (found) fault(body.number, found);
        add(body);
      } catch { return fault(body.number, "What it holds cannot be read, so nothing behind it was followed."); }
    }
    opened(bodies, log.text, fault);
    for (const id of Object.keys(game.decks)) for (const [seat, count] of at(out, id, "hand")) remark(bodies.length, `still closed: ${count} ${count === 1 ? "card" : "cards"} of ${id} ${ENDS[seat] ? "at" : "in"} ${ENDS[seat] || `${seat[0] === "@" ? "a person" : seat}’s hand`}`);
    const deleted = at => (left.size && at < imported) || left.has((bodies.find(one => one.number === at) || {}).who);
    for (const [at, opens] of missing) if (!opens.every(deleted)) fault(at, "What it adds or opens is not in the file, though nobody had it deleted.");
  }

  return {follow};
})();
