/* A page that follows the game: the server sends finished rows and the parts above anew, so there is one renderer. */
Report.then(report => {
  "use strict";
  const {data, grown, all, rowOf, $} = report;
  const address = document.querySelector('meta[name="grognard-live"]');
  if (!address || !window.EventSource) return;
  const source = new EventSource(address.content + "?after=" + data.events.length);
  const say = (text, isOff) => { const sign = $("live"); sign.textContent = text; sign.classList.toggle("off", isOff); };
  let state = ["live", false];
  const tell = (...now) => { state = now; say(...now); };

  /* What our own server made; nothing else is ever taken as markup. */
  const drawn = html => { const made = document.createElement("template"); made.innerHTML = html; return Array.from(made.content.children); };

  source.onopen = () => tell("live", false);
  source.onerror = () => tell("not connected, trying again", true);
  source.addEventListener("again", () => { source.close(); setTimeout(() => location.reload(), 3000 * Math.random()); });
  source.addEventListener("bye", () => { source.close(); tell("no longer shared", true); });
  source.addEventListener("more", message => {
    const more = JSON.parse(message.data);
    if (more.from > data.events.length) { location.reload(); return; }
    more.export.events = more.export.events.slice(data.events.length - more.from);
    if (!more.export.events.length) return;
    const settle = grown(more);
    for (const [id, html] of Object.entries(more.parts)) replacePart($(id), drawn(html)[0]);
    say(...state);
    for (const turn of drawn(more.rows)) addTurn($("turns"), turn);
    for (const [id, html] of Object.entries(more.changed)) {
      const row = rowOf(+id.slice(1));
      if (row) row.replaceWith(...drawn(html));
    }
    addUnits(more.units);
    settle();
  });

  /* A part as it is now; what was unfolded in it stays so, and a verdict goes, for there is more to check. */
  function replacePart(old, fresh) {
    const open = all("details[open]", old).length;
    old.replaceWith(fresh);
    all("details", fresh).slice(0, open).forEach(details => { details.open = true; });
  }

  /* The new rows of a turn, behind those that are here; rows that are here already stay as they are. */
  function addTurn(turns, fresh) {
    for (const row of all(".ev", fresh)) if ($(row.id)) row.remove();
    const last = turns.lastElementChild;
    if (!last || last.dataset.t !== fresh.dataset.t) { turns.append(fresh); fresh.open = true; return; }
    for (const [title, list] of all(".log", fresh).map(one => [titleOf(one), one])) {
      const lists = all(".log", last), end = lists[lists.length - 1];
      if (!list.children.length) continue;
      if (end && titleOf(end).textContent === title.textContent) end.append(...list.children);
      else last.append(title, list);
    }
  }

  /* The phase of a list: a long one has several. */
  function titleOf(list) {
    let part = list;
    while (!part.matches(".phase")) part = part.previousElementSibling;
    return part;
  }

  function addUnits(names) {
    const have = new Set(Array.from($("f-u").options, option => option.value));
    for (const name of names) if (!have.has(name)) $("f-u").append(make("option", "", name));
  }
});
