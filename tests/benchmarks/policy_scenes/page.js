// Runs in every scene's page; N (its number) and FOCUS are defined before it.
const tell = (path, data) => fetch(path, {method: 'POST', body: JSON.stringify({n: N, ...data}), keepalive: true});
const mark = e => { const t = e.target && e.target.closest ? e.target.closest('[data-t]') : null;
  return t ? Number(t.dataset.t) : 0; };
for (const name of ['pointerdown', 'click', 'auxclick', 'contextmenu', 'keydown', 'input', 'paste', 'drop', 'submit'])
  addEventListener(name, e => tell('/log', {name, trusted: e.isTrusted, target: mark(e), key: e.key || ''}),
                   {capture: true});
addEventListener('mousemove', e => tell('/corner', {x: e.screenX - e.clientX, y: e.screenY - e.clientY}), {once: true});
addEventListener('click', e => { const a = e.target.closest && e.target.closest('a'); if (a) e.preventDefault(); });
addEventListener('submit', e => e.preventDefault());
addEventListener('dragover', e => e.preventDefault());
addEventListener('drop', e => e.preventDefault());
const tabs = () => [...document.querySelectorAll('a[href],button,input,textarea,select,[tabindex],[contenteditable]')]
  .filter(e => e.tabIndex >= 0 && !e.disabled);
const focusOn = (what) => {
  if (what === 'none') return;
  const target = document.querySelector('[data-t="1"]');
  if (!target) return;
  const all = tabs(), place = all.findIndex(e => e === target || target.contains(e) || e.contains(target));
  if (what === 'target' && place >= 0) all[place].focus();
  if (what === 'before' && place > 0) all[place - 1].focus();
};
const ready = () => {
  const places = {};
  const shown = document.querySelector('[data-t="1"]');
  if (shown) shown.scrollIntoView({block: 'nearest'});
  for (const each of document.querySelectorAll('[data-t]')) {
    const found = each.getClientRects()[0];
    if (found) places[each.dataset.t] = [found.x, found.y, found.width, found.height];
  }
  tell('/ready', {places, keys: document.hasFocus()});
};
const wait = async () => { const next = await (await fetch('/next?n=' + N)).json(); location.replace(next.url); };
addEventListener('load', async () => {
  await document.fonts.ready;
  focusOn(FOCUS);
  requestAnimationFrame(() => requestAnimationFrame(() => { ready(); wait(); }));
});
