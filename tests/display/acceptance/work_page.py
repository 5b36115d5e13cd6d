"""A page for the managed browser, which tells its server what was done to it and where its elements stand in it."""

from __future__ import annotations

from tests.display.acceptance.log_page import LogPage

BILL = b"One room, two nights.\n"
_PAGE = """<!doctype html><meta charset="utf-8"><title>Expenses</title>
<style>body{font:16px sans-serif;margin:24px;user-select:none}
input,button{font:inherit;padding:8px;margin:8px 0;display:block}
#track{position:relative;width:400px;height:24px;background:#ddd;margin:12px 0}
#knob{position:absolute;width:24px;height:24px;background:#06c}
.box{display:inline-block;width:120px;height:48px;background:#eee;margin:8px;text-align:center;line-height:48px}
#entries{display:none} #entries.open{display:block}</style>
<h1>Expenses</h1>
<label>Note <input id="name" size="40"></label>
<div id="track"><div id="knob"></div></div>
<div class="box" id="item" draggable="true">Receipt</div><div class="box" id="folder">Folder</div>
<button id="menu">More</button><div id="entries"><button id="entry">Show totals</button></div>
<label>Photo <input id="photo" type="file"></label>
<a id="bill" href="/bill.txt">Bill</a>
<button id="done">Keep it</button>
<script>
const post = (path, data) => fetch(path, {method: 'POST', body: JSON.stringify(data)});
const get = id => document.getElementById(id);
const tell = (name, e, more) =>
  post('/log', {name, trusted: e.isTrusted, at: [e.clientX, e.clientY], shown: devicePixelRatio, ...more});
for (const id of ['name', 'entry', 'bill']) get(id).addEventListener('click', e => tell(id, e, {}));
get('done').onclick = e => tell('done', e, {value: get('name').value});
let from = null;
get('knob').onpointerdown = e => { from = e.clientX; get('knob').setPointerCapture(e.pointerId); };
get('knob').onpointermove = e => { if (from !== null) get('knob').style.left = `${e.clientX - from}px`; };
get('knob').onpointerup = e => { from = null; tell('knob', e, {left: get('knob').style.left}); };
get('item').ondragstart = e => e.dataTransfer.setData('text/plain', 'receipt');
get('folder').ondragover = e => e.preventDefault();
get('folder').ondrop = e => { e.preventDefault(); tell('folder', e, {data: e.dataTransfer.getData('text/plain')}); };
get('menu').onmouseenter = get('menu').onclick = () => { get('entries').className = 'open'; places(); };
get('photo').onchange = async e => {
  const file = e.target.files[0];
  tell('photo', e, {file: file.name, text: await file.text()});
};
let told = Promise.resolve();
const places = () => {
  const out = {};
  for (const id of ['name', 'knob', 'item', 'folder', 'menu', 'entry', 'photo', 'bill', 'done']) {
    const r = get(id).getBoundingClientRect();
    if (r.width) out[id] = [r.x + r.width / 2, r.y + r.height / 2];
  }
  told = told.then(() => post('/places', out));
};
requestAnimationFrame(places);
</script>
"""


class WorkPage(LogPage):
    """Serves the page on loopback while the context is open. Its places are in CSS pixels."""

    def __init__(self) -> None:
        super().__init__(_PAGE, {"bill.txt": BILL})
