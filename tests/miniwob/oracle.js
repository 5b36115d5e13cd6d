// Says what a model that never errs does next on a page of MiniWoB++: one generator for each task, in the words of
// Gemini. Points are CSS pixels of the page. It reads the page and never acts on it.
'use strict';
(() => {
  const task = location.pathname.split('/').pop().replace('.html', '');
  Math.seedrandom(task + (new URLSearchParams(location.search).get('seed') || '1'));
  core.EPISODE_MAX_TIME = 1e7;
  let matching = [];  // shapes that the page itself says are meant
  if (window.shapes && shapes.shapeMatchesText) {
    const matches = shapes.shapeMatchesText;
    shapes.shapeMatchesText = (shape, wanted) => {
      const found = matches(shape, wanted);
      if (found) matching.push(shape);
      return found;
    };
  }

  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const one = (selector, root = document) => root.querySelector(selector);
  const text = each => (each.textContent || '').trim();
  const shown = each => each.getClientRects().length > 0 && getComputedStyle(each).visibility !== 'hidden';
  const named = (selector, name) => all(selector).filter(shown).find(each => text(each) === name);
  const query = () => text(one('#query'));
  const quoted = (number = 0) => [...query().matchAll(/"([^"]*)"/g)][number][1];
  const bold = (number = 0) => all('#query .bold, #query b')[number].textContent;
  const middle = (each, x = 0.5, y = 0.5) => {
    const box = each.getBoundingClientRect();
    return [box.left + box.width * x, box.top + box.height * y];
  };
  const ordinal = () => ({'1st': 0, '2nd': 1, '3rd': 2})[/(1st|2nd|3rd)/.exec(query())[1]];

  // Single calls
  const click = (each, x, y) => ({name: 'click_at', at: middle(each, x, y)});
  const press = (...keys) => ({name: 'key_combination', keys: keys.join('+')});
  const type = (each, value) =>
    ({name: 'type_text_at', at: middle(each), text: String(value), press_enter: false, clear_before_typing: true});
  const write = value => ({name: 'type', text: String(value), press_enter: false});
  const drag = (from, to) => ({name: 'drag_and_drop', at: from, to});
  const hover = each => ({name: 'hover_at', at: middle(each)});
  const scroll = (each, direction, magnitude) => ({name: 'scroll_at', at: middle(each), direction, magnitude});

  // Several
  const scrolled = each => {  // the list that it is in, or the page's area
    for (let box = each.parentElement; box; box = box.parentElement)
      if (/auto|scroll/.test(getComputedStyle(box).overflowY) && box.scrollHeight > box.clientHeight) return box;
    return one('#area');
  };
  const seen = each => {  // the part of it that is not scrolled away
    const box = each.getBoundingClientRect(), list = scrolled(each).getBoundingClientRect();
    const bottom = Math.min(list.bottom, one('#wrap').getBoundingClientRect().bottom, innerHeight);
    return {box, above: box.top < list.top - 1, below: box.bottom > bottom + 1, top: Math.max(box.top, list.top), bottom: Math.min(box.bottom, bottom)};
  };
  function* reach(each) {  // what has to be scrolled to
    const list = scrolled(each);
    for (let tries = 0, gone = ''; tries < 12; tries++) {
      const {above, below} = seen(each), direction = above ? 'up' : 'down';
      if (!(above || below) || (gone && gone !== direction)) return;  // a notch may be longer than the list
      const before = list.scrollTop;
      yield scroll(list, gone = direction, 60);
      if (list.scrollTop === before) return;
    }
  }
  function* press_on(each) {
    yield* reach(each);
    const {box, top, bottom} = seen(each);
    yield top < bottom ? {name: 'click_at', at: [box.left + box.width / 2, (top + bottom) / 2]} : click(each);
  }
  function* submit(selector = '#subbtn') { yield* press_on(one(selector)); }
  function* submit_again() {  // what opens or closes late may have caught the first click
    for (let tries = 0; tries < 3; tries++) yield* submit();
  }
  function* fill(selector, value) { yield type(one(selector), value); yield* submit(); }
  function* slide(handle, value, wanted) {
    yield click(handle);
    for (let tries = 0; tries < 60 && value() !== wanted; tries++) {
      const left = Math.min(10, Math.abs(wanted - value()));
      yield Array(left).fill(press(wanted > value() ? 'right' : 'left'));
    }
  }
  function* choose(select, wanted) {  // a list that opens: by keys, its rows are no part of the page
    const options = [...select.options].map(each => text(each));
    yield click(select);
    const steps = options.indexOf(wanted) - select.selectedIndex;
    for (let step = 0; step < Math.abs(steps); step++) yield press(steps > 0 ? 'down' : 'up');
    yield press('enter');
  }
  const boxes = () => query().replace(/^Select /, '').replace(/ and click Submit\.$/, '').split(', ');
  function* tick() {
    for (const name of boxes()) {
      const label = all('label').find(each => text(each) === name);
      if (label) yield* press_on(one('input', label));
    }
    yield* submit();
  }
  function* tabs() {
    for (const tab of all('#area ul a')) {
      yield click(tab);
      const link = named('.alink', quoted());
      if (link) { yield* press_on(link); return; }
    }
  }
  function* unfold() {
    const link = all('.alink').find(each => text(each) === quoted());
    const panel = link.closest('.ui-accordion-content');
    yield* press_on(panel.previousElementSibling);
    yield* press_on(link);
  }
  function* date() {
    const [month, day, year] = /(\d+)\/(\d+)\/(\d+)/.exec(query()).slice(1).map(Number);
    yield click(one('#datepicker'));
    const names = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October',
      'November', 'December'];
    for (let tries = 0; tries < 14; tries++) {
      const now = names.indexOf(text(one('.ui-datepicker-month'))) + 12 * Number(text(one('.ui-datepicker-year')));
      const off = month - 1 + 12 * year - now;
      if (!off) break;
      yield click(one(off > 0 ? '.ui-datepicker-next' : '.ui-datepicker-prev'));
    }
    yield click(named('.ui-datepicker-calendar a', String(day)));
    yield* submit_again();
  }
  function* drag_by_direction() {
    const shape = one('#area svg > *'), from = middle(shape);
    const [dx, dy] = {up: [0, -1], down: [0, 1], left: [-1, 0], right: [1, 0]}[/(up|down|left|right)/.exec(query())[1]];
    yield drag(from, [from[0] + 30 * dx, from[1] + 30 * dy]);
    yield* submit();
  }
  function* sort_item(items, wanted, {grid = false} = {}) {
    const name = /^Drag (\S+) /.exec(query())[1];
    const from = items.findIndex(each => text(each) === name), to = wanted(from);
    const box = items[to].getBoundingClientRect();
    const at = grid ? middle(items[to], to > from ? 0.85 : 0.15) : to > from ? [box.left + box.width / 2, box.bottom - 3] : [box.left + box.width / 2, box.top + 3];
    yield drag(middle(items[from]), at);
  }
  function* log_in() {
    const [user, password] = [quoted(0), quoted(1)];
    for (let tries = 0; tries < 8; tries++) {
      if (one('#popup')) yield click(one('#popup-cancel'));
      else if (one('#username').value !== user) yield type(one('#username'), user);
      else if (one('#password').value !== password) yield type(one('#password'), password);
      else { yield* submit(); if (!one('#popup')) return; }
    }
  }
  function* highlight(paragraph) { yield {name: 'triple_click', at: middle(paragraph)}; yield* submit('#subbtn, #area button'); }
  function* post(count) {
    const user = all('#query .bold, #query b, #query span').map(text).find(each => each.startsWith('@'));
    const kind = bold(0).toLowerCase();
    const posts = all('.media').filter(each => text(one('.username', each)) === user);
    for (const each of posts.slice(0, count(posts))) yield* press_on(one('.' + kind, each));
    yield* press_on(one('#submitRow button'));
  }

  const plain = {
    'choose-list': function* () {
      yield* choose(one('#options'), /^Select (.*) from the list/.exec(query())[1]);
      yield* submit('#area button');
    },
    'circle-center': function* () { yield click(one('.black-circle')); yield* submit(); },
    'click-button': function* () { yield* press_on(named('#area button', quoted())); },
    'click-button-sequence': function* () { yield click(one('#subbtn')); yield click(one('#subbtn2')); },
    'click-checkboxes': tick, 'click-checkboxes-large': tick, 'click-checkboxes-transfer': tick,
    'click-collapsible': function* () { yield click(one('#area h3')); yield* submit(); },
    'click-collapsible-2': unfold, 'click-collapsible-2-nodelay': unfold,
    'click-color': function* () {
      const asked = one('#query').children[0];
      const colour = asked.tagName === 'DIV' ? /background-color: ([^;]*)/.exec(asked.getAttribute('style'))[1] : text(asked);
      yield click(one(`.color[data-color="${colour}"]`));
    },
    'click-dialog': function* () { yield click(one('.ui-dialog-titlebar-close')); },
    'click-dialog-2': function* () {
      yield click(quoted() === 'x' ? one('.ui-dialog-titlebar-close') : named('.ui-dialog-buttonset button', quoted()));
    },
    'click-link': function* () { yield* press_on(named('.alink', quoted())); },
    'click-menu': function* () {
      const path = query().replace(/^Select /, '').split('>').map(each => each.trim());
      for (const name of path.slice(0, -1)) yield click(named('#menu li > div', name));
      yield click(named('#menu li > div', path.at(-1)));
    },
    'click-option': function* () {
      const name = query().replace(/^Select /, '').replace(/ and click Submit\.$/, '');
      yield* press_on(one('input', all('label').find(each => text(each) === name)));
      yield* submit();
    },
    'click-shape': function* () { yield click(matching[0].svg_shape[0][0]); },
    'click-tab': function* () { yield click(one(`#area a[href="#tabs-${/#(\d+)/.exec(query())[1]}"]`)); },
    'click-tab-2': tabs, 'click-tab-2-easy': tabs, 'click-tab-2-medium': tabs, 'click-tab-2-hard': tabs,
    'click-test': function* () { yield click(one('#subbtn')); },
    'click-widget': function* () { yield* press_on(one(`[data-type="${quoted()}"]`)); },
    'copy-paste': function* () { yield* fill('#answer-input', one('#container textarea').value); },
    'copy-paste-2': function* () { yield* fill('#answer-input', all('#area textarea')[ordinal()].value); },
    'count-shape': function* () { yield click(named('#count-buttons button', String(new Set(matching).size))); },
    'drag-box': function* () {
      yield drag(middle(one('#draggableSmall')), middle(one('#draggableLarge')));
      yield* submit();
    },
    'drag-circle': drag_by_direction, 'drag-single-shape': drag_by_direction,
    'drag-items': function* () {
      const items = all('#sortable li'), place = /(\d)(st|nd|rd|th) position/.exec(query());
      yield* sort_item(items, from => place ? place[1] - 1 : query().includes('to the top') ? 0
        : query().includes('to the bottom') ? items.length - 1 : from + (query().includes('down') ? 1 : -1));
    },
    'drag-items-grid': function* () {
      const places = ['top left', 'top center', 'top right', 'center left', 'center', 'center right', 'bottom left',
        'bottom center', 'bottom right'];
      const named_place = /to the (.*)\.$/.exec(query());
      const steps = {up: -3, down: 3, left: -1, right: 1};
      yield* sort_item(all('#sortable li'), from => named_place ? places.indexOf(named_place[1])
        : from + steps[/(up|down|left|right) by/.exec(query())[1]], {grid: true});
    },
    'drag-shapes': function* () {
      const tag = {circles: 'circle', squares: 'rect', rectangles: 'rect', triangles: 'polygon'}[/all (\w+) into/.exec(query())[1]];
      for (const each of all(`#area_svg ${tag}:not(#shape-container)`)) yield drag(middle(each), middle(one('#shape-container')));
      yield* submit();
    },
    'drag-sort-numbers': function* () {
      const value = each => Number(text(each));
      for (let place = 0; place < all('#sortable li').length; place++) {
        const items = all('#sortable li'), least = Math.min(...items.slice(place).map(value));
        const from = items.findIndex(each => value(each) === least);
        const box = items[place].getBoundingClientRect();
        if (from !== place) yield drag(middle(items[from]), [box.left + box.width / 2, box.top + 2]);
      }
      yield* submit();
    },
    'enter-date': function* () {
      const [month, day, year] = bold().split('/');
      yield click(one('#tt'), 0.12, 0.5);
      yield write(month.padStart(2, '0') + day.padStart(2, '0') + year);
      yield* submit();
    },
    'enter-password': function* () { yield type(one('#password'), quoted()); yield* fill('#verify', quoted()); },
    'enter-text': function* () { yield* fill('#tt', quoted()); },
    'enter-text-2': function* () {
      const lower = query().includes('lower case');
      yield* fill('#tt', lower ? quoted().toLowerCase() : quoted().toUpperCase());
    },
    'enter-time': function* () {
      const [hours, minutes, half] = /(\d+):(\d+)\s(AM|PM)/.exec(query()).slice(1);
      yield click(one('#tt'), 0.12, 0.5);
      yield write(hours.padStart(2, '0') + minutes + half);
      yield* submit();
    },
    'find-greatest': function* () {
      const cards = all('.card'), numbers = [];
      for (const each of cards) { yield click(each); numbers.push(Number(text(each))); }
      yield click(cards[numbers.indexOf(Math.max(...numbers))]);
      yield* submit('#submit');
    },
    'find-midpoint': function* () {
      const [a, b] = all('#svg-grid circle').map(each => middle(each));
      yield {name: 'click_at', at: [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2]};
      yield* submit();
    },
    'find-word': function* () {
      const words = text(one('#area p')).split(/\s+/), place = Number(/(\d+)(st|nd|rd|th)/.exec(query())[1]);
      yield* fill('#answer-input', words[place - 1].replace(/[^a-zA-Z0-9]/g, ''));
    },
    'focus-text': function* () { yield click(one('#tt')); },
    'focus-text-2': function* () {
      const inputs = all('#area input').sort((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top);
      yield click(inputs[ordinal()]);
    },
    'form-sequence': function* () {
      const [wanted] = /-?\d+/.exec(query());
      yield* slide(one('#slider .ui-slider-handle'), () => Number(text(one('#val'))), Number(wanted));
      yield click(all('input[type=checkbox]')[ordinal()]);
      yield* submit();
    },
    'form-sequence-2': function* () {
      const [radio, box] = [...query().matchAll(/(1st|2nd|3rd)/g)].map(each => Number(each[1][0]));
      yield click(all('input[type=radio]')[radio - 1]);
      yield* fill(`#input-${box}`, quoted());
    },
    'form-sequence-3': function* () {
      yield click(one('.selectric'));
      yield* press_on(named('.selectric-items li', /^Choose (.*) from/.exec(query())[1]));
      yield click(named('#buttons button', quoted()));
    },
    'generate-number': function* () {
      const bound = Number((/(\d+)/.exec(query()) || [0, 0])[1]);
      const fits = value => query().includes('odd') ? value % 2 === 1 : query().includes('even') ? value % 2 === 0
        : query().includes('less') ? value < bound : value > bound;
      do yield click(one('#generate')); while (!fits(Number(text(one('#display-number')))));
      yield* submit('#submit');
    },
    'grid-coordinate': function* () { yield click(document.getElementById(bold())); },
    'guess-number': function* () {
      let low = 0, high = 9;
      for (let tries = 0; tries < 6; tries++) {
        const guess = Math.floor((low + high) / 2);
        yield* fill('#tt', guess);
        if (shown(one('#lower'))) high = guess - 1; else low = guess + 1;
      }
    },
    'highlight-text': function* () { yield* highlight(one('#area p, #area div, #area span')); },
    'highlight-text-2': function* () { yield* highlight(all('#area p')[ordinal()]); },
    'identify-shape': function* () {
      const shape = one('#area_svg > *'), tag = shape.tagName.toLowerCase();
      const kind = {rect: 'rectangle', circle: 'circle', polygon: 'triangle'}[tag]
        || (/\d/.test(text(shape)) ? 'digit' : 'letter');
      yield click(one(`[data-type=${kind}]`));
    },
    'login-user': log_in, 'login-user-popup': log_in,
    'navigate-tree': function* () {
      const target = all('#tree span').find(each => text(each) === quoted());
      const above = [];
      for (let each = target.closest('li').parentElement.closest('#tree li'); each; each = each.parentElement.closest('#tree li'))
        above.unshift(each);
      for (const each of above) if (each.classList.contains('expandable')) yield* press_on(one('span', each));
      yield* press_on(target);
    },
    'number-checkboxes': function* () {
      const pattern = PATTERNS[Number(/\d/.exec(query())[0])], found = all('#area input[type=checkbox]');
      for (let place = 0; place < 28; place++)
        if (pattern[Math.floor(place / 4)][place % 4] === 1) yield click(found[place]);
      yield* submit();
    },
    'odd-or-even': function* () {
      for (const row of all('#area .row')) {
        const number = Number(text(one('.display-number', row)));
        yield* press_on(one(number % 2 ? '.odd' : '.even', row));
      }
      yield* submit('#submit');
    },
    'read-table': function* () {
      const cells = all('#tab td'), at = cells.findIndex(each => text(each) === bold());
      yield* fill('#tt', text(cells[at + 1]));
    },
    'read-table-2': function* () {
      const cells = all('#tab td');
      for (const number of [1, 2]) {
        const label = text(one(`#ll${number}`)).replace(/:$/, '');
        yield type(one(`#tt${number}`), text(cells[cells.findIndex(each => text(each) === label) + 1]));
      }
      yield* submit();
    },
    'resize-textarea': function* () {
      const box = one('#area textarea').getBoundingClientRect(), by = bold(1).includes('larger') ? 20 : -12;
      const from = [box.right - 4, box.bottom - 4];
      yield drag(from, bold(0) === 'width' ? [from[0] + by, from[1]] : [from[0], from[1] + by]);
      yield* submit('#subbtn, #area button');
    },
    'scroll-text': function* () {
      yield* fill('#answer-input', one('#text-area').value.trim().split(/\s+/).at(-1).replace(/[^a-zA-Z0-9]/g, ''));
    },
    'scroll-text-2': function* () {
      const area = one('#text-area'), down = query().includes('bottom');
      const left = () => down ? area.scrollHeight - area.clientHeight - area.scrollTop : area.scrollTop;
      for (let tries = 0; tries < 10 && left() > 3; tries++) yield scroll(area, down ? 'down' : 'up', 400);
      yield* submit();
    },
    'search-engine': function* () {
      const place = Number(/(\d)(st|nd|rd|th)/.exec(query())[1]) - 1;
      yield type(one('#search-text'), quoted());
      yield click(one('#search'));
      if (place > 2) yield click(named('#pagination a', String(Math.floor(place / 3) + 1)));
      yield* press_on(one(`[data-result="${place}"]`));
    },
    'simple-algebra': function* () {
      const [, x, sign, digit, sum] = /^(x|\d+) ([+-]) (x|\d+) = (-?\d+)$/.exec(text(one('#math-problem')));
      const answer = sign === '+' ? sum - (x === 'x' ? digit : x) : x === 'x' ? Number(sum) + Number(digit) : x - sum;
      yield* fill('#math-answer', answer);
    },
    'simple-arithmetic': function* () {
      const [, a, sign, b] = /^(\d+) (.) (\d+) =/.exec(text(one('#math-problem')));
      yield* fill('#math-answer', sign === '+' ? Number(a) + Number(b) : sign === '-' ? a - b : a * b);
    },
    'social-media-all': () => post(posts => posts.length),
    'social-media-some': () => post(() => Number(/(\d+) posts?/.exec(query())[1])),
    'terminal': function* () {
      const ending = (/\.(\w+)$/.exec(query()) || [])[1];
      yield click(one('#terminal'));
      yield {...write('ls'), press_enter: true};
      const names = all('#terminal-contents *').filter(each => !each.children.length).map(text).join(' ').split(/\s+/);
      const name = names.find(each => ending ? each.endsWith('.' + ending) && each !== '.' + ending : currentFiles.includes(each) && !each.includes('.'));
      yield {...write('rm ' + name), press_enter: true};
    },
    'text-transform': function* () { yield* fill('#tt', text(one('#captcha')).replace(/\s/g, '')); },
    'use-autocomplete': function* () {
      const [start, end] = [bold(0), (all('#query .bold')[1] || {textContent: ''}).textContent];
      const wanted = ui_utils.COUNTRIES.find(each => each.startsWith(start) && each.endsWith(end));
      yield type(one('#tags'), wanted);
      yield press('escape');
      yield* submit_again();
    },
    'use-slider': function* () {
      yield* slide(one('#slider .ui-slider-handle'), () => Number(text(one('#val'))), Number(/-?\d+/.exec(query())[0]));
      yield* submit();
    },
    'use-slider-2': function* () {
      for (const [place, wanted] of JSON.parse(/\[.*\]/.exec(query())[0]).entries())
        yield* slide(one(`#slider-${place + 1} .ui-slider-handle`), () => Number(text(one(`#val-${place + 1}`))), wanted);
      yield* submit();
    },
    'use-spinner': function* () {
      const value = () => Number(one('#spinner').value), wanted = Number(/-?\d+/.exec(query())[0]);
      for (let tries = 0; tries < 12 && value() !== wanted; tries++)
        yield click(one(wanted > value() ? '.ui-spinner-up' : '.ui-spinner-down'));
      yield* submit();
    },
    'visual-addition': function* () { yield* fill('#math-answer', all('#visual-1 *, #visual-2 *').filter(each => !each.children.length).length); },
  };
  Object.assign(plain, {
    'choose-date': date, 'choose-date-easy': date, 'choose-date-medium': date, 'choose-date-nodelay': date,
    'click-collapsible-nodelay': plain['click-collapsible'], 'click-test-2': plain['click-test'],
    'click-test-transfer': plain['click-test'], 'enter-text-dynamic': plain['enter-text'],
    'unicode-test': plain['click-button'], 'use-autocomplete-nodelay': plain['use-autocomplete'],
  });

  const link = document.createElement('a');
  link.textContent = 'Next page';
  const given = new URLSearchParams(location.search), [then, ...later] = (given.get('then') || '').split(',');
  link.href = then ? `${then}.html?seed=${given.get('seed')}&then=${later.join(',')}` : '#';
  link.style = 'position:fixed;left:8px;top:300px;background:white;padding:8px';
  document.body.append(link);

  function* whole() {
    yield click(one('#sync-task-cover'));
    yield* plain[task]();
  }
  const steps = whole();
  const next = () => {
    const ended = WOB_EPISODE_ID > 0;
    if (!ended) {
      try {
        const step = steps.next();
        if (!step.done) return {calls: Array.isArray(step.value) ? step.value : [step.value]};
      } catch (error) {
        return {ended: true, reward: null, why: String(error), next: middle(link)};
      }
    }
    const why = WOB_REWARD_REASON || (ended ? '' : 'the task was not ended');
    return {ended: true, reward: ended ? WOB_RAW_REWARD_GLOBAL : null, why, next: middle(link)};
  };
  const orders = new EventSource('/orders/' + task);
  addEventListener('pagehide', () => orders.close());  // a page that is kept for going back holds its connections
  orders.onmessage = ({data}) => fetch('/told', {method: 'POST', body: JSON.stringify({number: Number(data), ...next()})});
})();
