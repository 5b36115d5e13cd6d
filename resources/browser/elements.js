function (command, ...args) {
  // What the page shows and what can be used in it. Nothing of the page is changed, and its own scripts see nothing of
  // this: it runs in a world of its own. Lengths are CSS pixels of the frame's viewport.
  const MOST_TEXT = 2000, MOST_AROUND = 24, MOST_LOOKED_AT = 600, LONGEST_AROUND = 300, LARGEST_TEXT_BOX = 150000;
  const world = globalThis.operatorConsole ??= {
    token: Math.random().toString(36).slice(2), nodes: new Map(), numbers: new WeakMap(), last: 0,
  };

  // Names of nodes, as long as their document lives

  const numberOf = node => {
    let number = world.numbers.get(node);
    if (number === undefined) {
      number = ++world.last;
      world.numbers.set(node, number);
      world.nodes.set(number, new WeakRef(node));
      if (number % 4096 === 0)
        for (const [each, ref] of world.nodes) if (!ref.deref()) world.nodes.delete(each);
    }
    return number;
  };
  const idOf = node => world.token + '.' + numberOf(node);
  const nodeOf = id => {
    const [token, number] = String(id).split('.');
    const node = token === world.token ? world.nodes.get(Number(number))?.deref() : undefined;
    return node?.isConnected ? node : null;
  };

  // The tree as it is shown: through shadow roots and slots

  const parentOf = node => node.assignedSlot ?? node.parentElement ?? node.getRootNode().host ?? null;
  const rootOf = node => node.getRootNode();
  const childrenOf = el => el.shadowRoot ? el.shadowRoot.childNodes
    : el.localName === 'slot' && el.assignedNodes().length ? el.assignedNodes({flatten: true}) : el.childNodes;
  const inside = (node, whole) => {
    for (let each = node; each; each = parentOf(each)) if (each === whole) return true;
    return false;
  };
  const deepest = (x, y, root) => {
    let found = root.elementFromPoint(x, y);
    while (found?.shadowRoot) {
      const next = found.shadowRoot.elementFromPoint(x, y);
      if (!next || next === found) break;
      found = next;
    }
    return found;
  };
  const activeIn = root => {
    let found = root.activeElement;
    while (found?.shadowRoot?.activeElement) found = found.shadowRoot.activeElement;
    return found;
  };

  // Roles, by the names of WAI-ARIA

  const INPUTS = {
    button: 'button', submit: 'button', reset: 'button', image: 'button', file: 'button', color: 'button',
    checkbox: 'checkbox', radio: 'radio', range: 'slider', number: 'spinbutton', search: 'searchbox',
    password: 'password', hidden: 'none',
  };
  const TAGS = {
    article: 'article', aside: 'complementary', button: 'button', caption: 'caption', canvas: 'canvas', dd: 'definition',
    details: 'group', dialog: 'dialog', dt: 'term', fieldset: 'group', figure: 'figure', footer: 'contentinfo',
    form: 'form', h1: 'heading', h2: 'heading', h3: 'heading', h4: 'heading', h5: 'heading', h6: 'heading',
    header: 'banner', hr: 'separator', iframe: 'iframe', img: 'img', label: 'label', legend: 'label', li: 'listitem',
    main: 'main', menu: 'list', meter: 'meter', nav: 'navigation', ol: 'list', optgroup: 'group', option: 'option',
    output: 'status', p: 'paragraph', progress: 'progressbar', search: 'search', section: 'region', summary: 'button',
    svg: 'img', table: 'table', tbody: 'rowgroup', td: 'cell', textarea: 'textbox', tfoot: 'rowgroup',
    th: 'columnheader', thead: 'rowgroup', tr: 'row', ul: 'list', video: 'video',
  };
  const KNOWN = new Set([...Object.values(INPUTS), ...Object.values(TAGS), 'alert', 'alertdialog', 'application', 'combobox',
    'columnheader', 'directory', 'document', 'feed', 'grid', 'gridcell', 'image', 'link', 'listbox', 'log', 'marquee',
    'math', 'menu', 'menubar', 'menuitem', 'menuitemcheckbox', 'menuitemradio', 'none', 'note', 'presentation',
    'radiogroup', 'rowheader', 'scrollbar', 'slider', 'spinbutton', 'switch', 'tab', 'tablist', 'tabpanel', 'textbox',
    'timer', 'toolbar', 'tooltip', 'tree', 'treegrid', 'treeitem']);
  const masked = el => el.localName === 'input'
    && (el.type === 'password' || getComputedStyle(el).webkitTextSecurity !== 'none');
  const roleOf = el => {
    if (el.localName === 'input' && INPUTS[el.type] === undefined && masked(el)) return 'password';
    if (el.localName === 'input' && el.type === 'password') return 'password';
    for (const each of (el.getAttribute('role') ?? '').toLowerCase().split(/\s+/))
      if (each && KNOWN.has(each)) return each === 'image' ? 'img' : each === 'presentation' ? 'none' : each;
    switch (el.localName) {
      case 'a': case 'area': return el.hasAttribute('href') ? 'link' : 'generic';
      case 'input': return INPUTS[el.type] ?? (el.hasAttribute('list') ? 'combobox' : 'textbox');
      case 'select': return el.multiple || el.size > 1 ? 'listbox' : 'combobox';
      case 'body': case 'html': return 'document';
      default: return TAGS[el.localName] ?? (el.isContentEditable && !el.parentElement?.isContentEditable ? 'textbox' : 'generic');
    }
  };
  const roles = new Map();
  const role = el => {
    let found = roles.get(el);
    if (found === undefined) roles.set(el, found = roleOf(el));
    return found;
  };
  const FIELDS = new Set(['textbox', 'searchbox', 'password', 'combobox', 'spinbutton']);
  const CONTROLS = new Set(['button', 'checkbox', 'columnheader', 'combobox', 'link', 'menuitem', 'menuitemcheckbox',
    'menuitemradio', 'meter', 'password', 'progressbar', 'radio', 'rowheader', 'scrollbar', 'searchbox', 'slider',
    'spinbutton', 'switch', 'tab', 'textbox', 'listbox']);
  const ENTRIES = new Set(['cell', 'gridcell', 'listitem', 'treeitem', 'option']);
  const AREAS = new Set(['alert', 'alertdialog', 'application', 'article', 'banner', 'complementary', 'contentinfo',
    'dialog', 'document', 'feed', 'figure', 'form', 'generic', 'grid', 'group', 'iframe', 'list', 'listbox', 'log', 'main',
    'menu', 'menubar', 'navigation', 'none', 'radiogroup', 'region', 'row', 'rowgroup', 'search', 'status', 'table',
    'tablist', 'tabpanel', 'toolbar', 'tree', 'treegrid']);
  const READ = new Set(['alert', 'caption', 'definition', 'heading', 'label', 'meter', 'note', 'paragraph',
    'progressbar', 'status', 'term', 'text', 'timer', 'tooltip']);
  const NAMED_BY_CONTENT = new Set(['button', 'caption', 'cell', 'checkbox', 'columnheader', 'gridcell', 'heading', 'label',
    'link', 'menuitem', 'menuitemcheckbox', 'menuitemradio', 'option', 'radio', 'rowheader', 'switch', 'tab', 'text',
    'tooltip', 'treeitem']);
  const focusable = el => el.tabIndex >= 0 || (el.isContentEditable && role(el) === 'textbox');
  const isControl = el => {
    const found = role(el);
    if (found === 'meter' || found === 'progressbar' || found === 'scrollbar') return true;
    return CONTROLS.has(found) || found === 'option' || found === 'treeitem'
      || (ENTRIES.has(found) && (focusable(el) || el.hasAttribute('aria-selected')));
  };

  // Names

  const UNSEEN = new Set(['script', 'style', 'noscript', 'template', 'title', 'head']);
  const clean = text => String(text ?? '').replace(/\s+/g, ' ').trim();
  const hidden = el => {
    if (el.getAttribute('aria-hidden') === 'true') return true;
    return !el.checkVisibility({visibilityProperty: true, opacityProperty: false});
  };
  const content = (el, depth = 0) => {
    if (depth > 40) return '';
    const parts = [];
    for (const node of childrenOf(el)) {
      if (node.nodeType === 3) { parts.push(node.data); continue; }
      if (node.nodeType !== 1 || UNSEEN.has(node.localName)) continue;
      if (node.localName !== 'slot' && hidden(node)) continue;
      const named = node.getAttribute('aria-label');
      if (clean(named)) { parts.push(' ' + named + ' '); continue; }
      switch (node.localName) {
        case 'img': parts.push(' ' + (node.getAttribute('alt') ?? '') + ' '); break;
        case 'svg': parts.push(' ' + (node.querySelector(':scope > title')?.textContent ?? '') + ' '); break;
        case 'br': parts.push(' '); break;
        case 'input': case 'textarea': case 'select': parts.push(' ' + (depth ? valueOf(node) : '') + ' '); break;
        default: {
          const inner = content(node, depth + 1);
          parts.push(/^inline$|^contents$/.test(getComputedStyle(node).display) ? inner : ' ' + inner + ' ');
        }
      }
    }
    return parts.join('');
  };
  const contentOf = el => clean(content(el)).slice(0, MOST_TEXT);
  const labelsOf = el => clean([...(el.labels ?? [])].map(each => labelText(each, el)).join(' ')).slice(0, MOST_TEXT);
  const labelText = (label, el) => {
    if (!label.contains(el)) return contentOf(label);
    const own = valueOf(el), all = contentOf(label);  // what is chosen or written in it is not its label
    return clean(own && el.localName !== 'input' ? all.replace(own, ' ') : own ? all.replace(own, ' ') : all);
  };
  const referred = (el, attribute) => clean((el.getAttribute(attribute) ?? '').split(/\s+/).filter(Boolean)
    .map(id => rootOf(el).getElementById?.(id)).filter(Boolean)
    .map(each => clean(each.getAttribute('aria-label')) || contentOf(each)).join(' ')).slice(0, MOST_TEXT);
  const nameOf = el => {
    const kind = role(el);
    const told = referred(el, 'aria-labelledby') || clean(el.getAttribute('aria-label')) || labelsOf(el);
    if (told) return told;
    switch (el.localName) {
      case 'input': {
        if (['submit', 'reset', 'button'].includes(el.type))
          return clean(el.value) || {submit: 'Submit', reset: 'Reset'}[el.type] || clean(el.title);
        if (el.type === 'image') return clean(el.alt) || clean(el.title) || 'Submit';
        break;
      }
      case 'img': case 'area': if (clean(el.alt)) return clean(el.alt); break;
      case 'fieldset': { const name = el.querySelector(':scope > legend'); if (name) return contentOf(name); break; }
      case 'table': { const name = el.querySelector(':scope > caption'); if (name) return contentOf(name); break; }
      case 'figure': { const name = el.querySelector(':scope > figcaption'); if (name) return contentOf(name); break; }
      case 'svg': { const name = el.querySelector(':scope > title'); if (name) return clean(name.textContent); break; }
      case 'option': case 'optgroup': return clean(el.label);
      case 'body': case 'html': return clean(document.title);
    }
    const inner = NAMED_BY_CONTENT.has(kind) && el.localName !== 'input' ? contentOf(el) : '';
    return inner || clean(el.getAttribute('title')) || clean(el.getAttribute('placeholder'))
      || clean(el.getAttribute('aria-placeholder'));
  };
  const valueOf = el => {
    if (role(el) === 'password') return '';
    switch (el.localName) {
      case 'select': return clean([...el.selectedOptions].map(each => each.label).join(', ')).slice(0, MOST_TEXT);
      case 'textarea': return el.value.slice(0, MOST_TEXT);
      case 'input': return ['checkbox', 'radio', 'button', 'submit', 'reset', 'image', 'file', 'color'].includes(el.type)
        ? '' : el.value.slice(0, MOST_TEXT);
      case 'meter': case 'progress': return String(el.value ?? '');
    }
    if (el.isContentEditable && FIELDS.has(role(el))) return (el.innerText ?? '').trim().slice(0, MOST_TEXT);
    return clean(el.getAttribute('aria-valuetext') ?? el.getAttribute('aria-valuenow')
      ?? (FIELDS.has(role(el)) ? contentOf(el) : ''));
  };

  // States

  const flag = (el, name) => el.getAttribute('aria-' + name);
  const popup = el => !['', 'false', null].includes(flag(el, 'haspopup'));
  const writable = el => el.localName === 'textarea' || el.isContentEditable
    || (el.localName === 'input' && (FIELDS.has(INPUTS[el.type] ?? 'textbox') || role(el) === 'password'));
  const statesOf = el => {
    const found = [], kind = role(el), add = (name, holds) => { if (holds) found.push(name); };
    const native = el.localName === 'input' || el.localName === 'select' || el.localName === 'textarea';
    add('checked', el.localName === 'input' && (el.type === 'checkbox' || el.type === 'radio') ? el.checked
      : ['true', 'mixed'].includes(flag(el, 'checked')));
    add('default', kind === 'button' && el.matches(':default'));
    add('disabled', el.matches(':disabled') || !!el.closest('[aria-disabled="true"], [inert]'));
    const locked = el.readOnly === true || flag(el, 'readonly') === 'true';
    add('editable', writable(el) && !locked && !el.matches(':disabled'));
    const shows = flag(el, 'expanded') ?? (el.localName === 'summary' ? String(!!el.parentElement?.open)
      : el.localName === 'select' && kind === 'combobox' ? String(el.matches(':open')) : null);
    add('expandable', shows !== null || popup(el));
    add('expanded', shows === 'true');
    add('focusable', focusable(el));
    add('focused', activeIn(rootOf(el)) === el);
    add('invalid', !['', 'false', null].includes(flag(el, 'invalid')) || (native && el.matches(':user-invalid')));
    add('modal', flag(el, 'modal') === 'true' || (el.localName === 'dialog' && el.matches(':modal')));
    add('multi-line', el.localName === 'textarea' || flag(el, 'multiline') === 'true'
      || (el.isContentEditable && kind === 'textbox'));
    add('pressed', flag(el, 'pressed') === 'true');
    add('read-only', writable(el) && locked);
    add('required', el.required === true || flag(el, 'required') === 'true');
    add('selected', el.localName === 'option' ? el.selected : flag(el, 'selected') === 'true');
    return found;
  };

  // Places

  const boxOf = el => {
    if (el.localName === 'option' && !el.getClientRects().length) el = el.closest('select') ?? el;
    if (getComputedStyle(el).display !== 'contents') return el.getBoundingClientRect();
    const range = document.createRange();
    range.selectNodeContents(el);
    return range.getBoundingClientRect();
  };
  const rect = box => [box.x, box.y, box.width, box.height];
  const span = ({left, top, right, bottom}) => [left, top, right - left, bottom - top];
  const seen = el => {  // what can be seen of it: inside the viewport and all that cuts it off
    let {left, top, right, bottom} = boxOf(el);
    let fixed = getComputedStyle(el).position === 'fixed';
    for (let each = parentOf(el); each && !fixed; each = parentOf(each)) {
      const style = getComputedStyle(each);
      if (each !== document.documentElement && each !== document.body && style.display !== 'inline'
          && (style.overflowX !== 'visible' || style.overflowY !== 'visible')) {
        const box = each.getBoundingClientRect();
        [left, top] = [Math.max(left, box.left), Math.max(top, box.top)];
        [right, bottom] = [Math.min(right, box.right), Math.min(bottom, box.bottom)];
      }
      fixed = style.position === 'fixed';
    }
    [left, top] = [Math.max(left, 0), Math.max(top, 0)];
    [right, bottom] = [Math.min(right, innerWidth), Math.min(bottom, innerHeight)];
    return right - left >= 1 && bottom - top >= 1 ? {left, top, right, bottom} : null;
  };
  const belongs = (node, el) => {
    if (!node) return false;
    if (inside(node, el)) return true;
    const label = node.closest?.('label');
    return !!label && label.control === el;
  };
  const SPOTS = [[.5, .5], [.25, .5], [.75, .5], [.5, .25], [.5, .75], [.1, .1], [.9, .9], [.1, .9], [.9, .1]];
  const spotOf = (el, most = SPOTS.length) => {  // a point of it where a click reaches it
    const whole = seen(el);
    if (!whole) return null;
    const lines = el.getClientRects().length > 1 ? [...el.getClientRects()].slice(0, 3) : [];
    for (const box of [whole, ...lines]) {
      const left = Math.max(box.left, whole.left), top = Math.max(box.top, whole.top);
      const right = Math.min(box.right, whole.right), bottom = Math.min(box.bottom, whole.bottom);
      if (right - left < 1 || bottom - top < 1) continue;
      for (const [across, down] of SPOTS.slice(0, most)) {
        const x = left + (right - left) * across, y = top + (bottom - top) * down;
        const node = deepest(x, y, document);
        if (belongs(node, el) || (node && inClosed(node, el) && belongs(deepest(x, y, rootOf(el)), el))) return [x, y];
      }
    }
    return null;
  };
  const inClosed = (node, el) => {  // whether an element stands in the closed shadow root of the node
    for (let root = rootOf(el); root.host; root = rootOf(root.host)) if (root.host === node) return true;
    return false;
  };

  // What stands in and around an element

  const ancestors = function* (el) { for (let each = parentOf(el); each; each = parentOf(each)) yield each; };
  const DIALOGS = new Set(['alert', 'alertdialog', 'dialog']);
  const GROUPS = new Set(['form', 'group', 'radiogroup', 'region', 'main', 'navigation', 'complementary', 'banner',
    'contentinfo', 'search', 'article', 'tabpanel', 'figure', 'toolbar']);
  const LISTS = new Set(['list', 'listbox', 'menu', 'menubar', 'table', 'grid', 'tree', 'treegrid']);
  const groupsOf = el => {
    const entry = ENTRIES.has(role(el)) || role(el) === 'link' || role(el).startsWith('menuitem');
    const names = [];
    for (const each of ancestors(el))
      if (GROUPS.has(role(each)) || (entry && LISTS.has(role(each)))) names.push(nameOf(each));
    return [...new Set(names.filter(Boolean))];
  };
  const shownNodes = function* (root, most) {  // elements and texts below, in their order, so many at most
    const waiting = [...childrenOf(root)].reverse();
    for (let count = 0; waiting.length && count < most; count++) {
      const node = waiting.pop();
      if (node.nodeType === 3) { if (node.data.trim()) yield node; continue; }
      if (node.nodeType !== 1 || UNSEEN.has(node.localName)) continue;
      if (node.localName !== 'slot' && hidden(node)) continue;
      yield node;
      if (node.localName !== 'select' && node.localName !== 'textarea') waiting.push(...[...childrenOf(node)].reverse());
    }
  };
  const controlAround = (node, top) => {
    for (let each = node.nodeType === 3 ? parentOf(node) : node; each && each !== top; each = parentOf(each))
      if (isControl(each)) return each;
    return null;
  };
  const dialogOf = el => {
    for (const each of ancestors(el)) {
      if (!DIALOGS.has(role(each)) && !(each.localName === 'dialog' && each.open)) continue;
      const title = nameOf(each), words = [];
      let ends = '';
      for (const node of shownNodes(each, MOST_LOOKED_AT)) {
        if (node.nodeType === 3) { if (!controlAround(node, each)) words.push(clean(node.data)); }
        else if (!ends && role(node) === 'button' && node.matches(':default')) ends = nameOf(node);
      }
      const text = [...new Set(words)].filter(word => word && word !== title).join(' ').slice(0, MOST_TEXT);
      return {title, text, default: ends};
    }
    return null;
  };
  const distance = (a, b) => Math.hypot(Math.max(a.left - b.right, b.left - a.right, 0),
    Math.max(a.top - b.bottom, b.top - a.bottom, 0));
  const holds = (box, other) => {
    const x = (other.left + other.right) / 2, y = (other.top + other.bottom) / 2;
    return x >= box.left && x < box.right && y >= box.top && y < box.bottom;
  };
  const textBox = node => {
    const range = document.createRange();
    range.selectNodeContents(node);
    return range.getBoundingClientRect();
  };
  const pointed = el => getComputedStyle(el).cursor === 'pointer';
  const inline = el => getComputedStyle(el).display === 'inline';
  const isWordToPress = node => {  // whether a text is one that can be pressed inside of a line
    for (let each = parentOf(node); each && inline(each); each = parentOf(each))
      if (isControl(each) || each.hasAttribute('onclick') || (pointed(each) && !pointed(parentOf(each)))) return true;
    return false;
  };
  const joined = told => {  // the pieces of one text, between which are only words that can be pressed, are told as one
    const runs = new Map();
    for (const [box, name, run] of told) {
      const whole = runs.get(run);
      if (!whole) { runs.set(run, {left: box.left, top: box.top, right: box.right, bottom: box.bottom, name}); continue; }
      [whole.left, whole.top] = [Math.min(whole.left, box.left), Math.min(whole.top, box.top)];
      [whole.right, whole.bottom] = [Math.max(whole.right, box.right), Math.max(whole.bottom, box.bottom)];
      whole.name = (whole.name + ' ' + name).slice(0, LONGEST_AROUND);
    }
    return [...runs.values()];
  };
  const aroundOf = el => {  // what stands around it in the smallest part of the page that says enough, nearest first
    const own = boxOf(el), ENOUGH = 8, MOST_TOLD = 80;
    let told = [];
    for (const each of ancestors(el)) {
      told = [];
      const links = [];
      let run = {};
      for (const node of shownNodes(each, MOST_LOOKED_AT)) {
        if (node === el || (node.nodeType === 1 && node.contains(el))) continue;
        if (node.nodeType === 1) {
          if (role(node) === 'link') { links.push(node.getBoundingClientRect()); continue; }
          if (node.localName === 'br' || isControl(node)) run = {};
          // The words of others are told as texts.
          if (!isControl(node) || (NAMED_BY_CONTENT.has(role(node)) && node.localName !== 'input' && contentOf(node))) continue;
        } else if (inside(parentOf(node), el)) continue;
        const name = node.nodeType === 3 ? clean(node.data) : nameOf(node), above = parentOf(node);
        const pressed = node.nodeType === 3 && isWordToPress(node), plain = node.nodeType === 3 && !inline(above);
        if (!pressed && (!plain || run.above !== above)) run = {above};
        if (name) told.push([node.nodeType === 3 ? textBox(node) : node.getBoundingClientRect(), name.slice(0, LONGEST_AROUND), plain ? run : {}]);
        if (node.localName === 'input' && node.type === 'password') told.push([node.getBoundingClientRect(), '•••', {}]);
        if (told.length > MOST_TOLD) break;
      }
      // What a link says is about the page that it leads to.
      told = told.filter(([box]) => (box.width || box.height) && ![own, ...links].some(other => holds(other, box)));
      if (told.length > ENOUGH || DIALOGS.has(role(each))) break;
    }
    const runs = joined(told).sort((a, b) => distance(a, own) - distance(b, own));
    return [...new Set(runs.map(each => each.name))].slice(0, MOST_AROUND);
  };
  const submitsOf = el => {  // the button that Enter in a field presses, or those that may listen to it, nearest first
    const SUBMITTING = new Set(['submit', 'image']), MOST_BUTTONS = 8;
    const form = el.form ?? el.closest?.('form');
    const own = form && [...form.elements, ...form.querySelectorAll('input[type=image]')].filter(each =>
      SUBMITTING.has(each.type) && !each.disabled);
    // HTML, implicit submission: the first submit button in tree order.
    const first = own?.sort((a, b) => a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1)[0];
    if (first) return [nameOf(first)].filter(Boolean);
    const buttons = [], box = boxOf(el);
    let root = form;
    for (const each of ancestors(el)) root = root ?? (DIALOGS.has(role(each)) ? each : null);
    for (const node of shownNodes(root ?? document.body, MOST_LOOKED_AT))
      if (node.nodeType === 1 && role(node) === 'button' && nameOf(node)) buttons.push(node);
    buttons.sort((a, b) => distance(a.getBoundingClientRect(), box) - distance(b.getBoundingClientRect(), box));
    return [...new Set(buttons.map(nameOf))].slice(0, MOST_BUTTONS);
  };
  const SMALL_AREAS = new Set(['generic', 'group', 'none', 'article', 'figure', 'region']);
  const textOf = (el, kind) => {
    if (kind === 'password' || kind === 'combobox' || kind === 'listbox') return '';
    if (writable(el)) return clean(valueOf(el));
    if (AREAS.has(kind)) {
      const box = boxOf(el);
      if (!SMALL_AREAS.has(kind) || box.width * box.height > LARGEST_TEXT_BOX) return '';
      for (const node of shownNodes(el, MOST_LOOKED_AT)) if (node.nodeType === 1 && isControl(node)) return '';
    }
    return contentOf(el);
  };
  const actionsOf = el => {
    const kind = role(el);
    if (isControl(el)) return [kind === 'link' ? 'jump' : FIELDS.has(kind) && kind !== 'combobox' ? 'activate' : 'press'];
    const above = parentOf(el);
    if (el.hasAttribute('onclick') || (pointed(el) && !(above && pointed(above)))) return ['click'];
    for (const each of ancestors(el))
      if (isControl(each) || each.hasAttribute('onclick') || pointed(each)) return ['clickAncestor'];
    return [];
  };
  const linkOf = el => {
    const link = role(el) === 'link' ? el : el.closest('a[href]');
    return typeof link?.href === 'string' ? link.href : '';
  };
  const LARGEST_BUTTON = 120;
  const covering = el => {  // whether it is the only text of an area behind which all fields and buttons of the page lie
    if (isControl(el) || window !== window.top) return false;
    let area = el;
    for (const each of ancestors(el)) { if (each === document.body || contentOf(each) !== contentOf(el)) break; area = each; }
    const box = boxOf(area), style = getComputedStyle(area);
    if (Math.min(box.width, box.height) <= LARGEST_BUTTON || !style.backgroundColor.startsWith('rgb(') || style.opacity !== '1') return false;
    let behind = 0;
    for (const each of walk(document)) {
      const used = each.localName === 'iframe' || (isControl(each) && role(each) !== 'link');
      if (!used || hidden(each) || !seen(each)) continue;
      if (inside(each, area) || spotOf(each)) return false;
      behind++;
    }
    return behind > 0;
  };
  const SURROUNDED = new Set(['button', 'switch', 'checkbox', 'radio', 'label', 'text', 'generic', 'group', 'none',
    'listitem', 'option', 'menuitem', 'menuitemcheckbox', 'menuitemradio', 'treeitem', 'link', 'heading', 'row', 'img']);
  const brief = el => ({
    id: idOf(el), role: role(el), pressed: flag(el, 'pressed') !== null, name: nameOf(el),
    description: referred(el, 'aria-describedby') || clean(el.getAttribute('aria-description')), label: labelsOf(el),
    states: statesOf(el), box: rect(boxOf(el)), value: valueOf(el), actions: actionsOf(el), link: linkOf(el),
  });
  const full = el => {
    const told = brief(el);
    return {
      ...told, text: textOf(el, told.role), dialog: dialogOf(el), group: groupsOf(el),
      states: covering(el) ? [...told.states, 'covering'] : told.states,
      around: SURROUNDED.has(told.role) ? aroundOf(el) : [],
      submits: FIELDS.has(told.role) ? submitsOf(el) : [],
    };
  };

  // The control that something at a point is a part of: the text and the picture in a button are the button

  const PARTS = new Set(['generic', 'none', 'group', 'figure', 'heading', 'img', 'label', 'paragraph', 'separator',
    'caption', 'definition', 'term', 'canvas', 'video']);
  const isPart = el => PARTS.has(role(el)) || (ENTRIES.has(role(el)) && !isControl(el));
  const controlOf = el => {
    const label = el.closest?.('label');
    if (label?.control && !isControl(el)) {
      for (let each = el; each && each !== label; each = parentOf(each)) if (isControl(each)) return each;
      return label.control;
    }
    let found = el;
    for (let each = el; isPart(each);) {
      each = parentOf(each);
      if (!each) break;
      if (isControl(each)) return each;
      if (role(each) === 'heading') found = each;
    }
    return found;
  };
  const textAt = (el, x, y) => {  // the text of its own that stands at the point
    for (const node of childrenOf(el)) {
      if (node.nodeType !== 3 || !node.data.trim()) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      for (const box of range.getClientRects())
        if (x >= box.left - 2 && x < box.right + 2 && y >= box.top - 2 && y < box.bottom + 2) return node;
    }
    return null;
  };
  const HOLD_TEXT = new Set(['generic', 'none', 'paragraph', 'label', 'listitem', 'cell', 'gridcell', 'caption',
    'definition', 'term', 'group', 'article', 'region', 'row', 'main', 'document', 'dialog', 'form']);
  const toldAt = (el, x, y) => {
    const control = controlOf(el);
    const text = control === el && !isControl(el) && HOLD_TEXT.has(role(el)) ? textAt(el, x, y) : null;
    if (text) {
      const words = clean(text.data).slice(0, MOST_TEXT);
      return {...full(el), role: 'text', name: words, text: words, value: '', box: rect(textBox(text)), around: aroundOf(el)};
    }
    const told = full(control), label = el.closest?.('label');
    if (label && label.control === control && !inside(el, control)) {  // what is pressed is the control that it labels
      const a = boxOf(control), b = boxOf(label);
      told.box = span({
        left: Math.min(a.left, b.left), top: Math.min(a.top, b.top), right: Math.max(a.right, b.right),
        bottom: Math.max(a.bottom, b.bottom),
      });
    }
    return told;
  };

  // All that can be seen

  const frameOf = el => {
    const box = el.getBoundingClientRect(), style = getComputedStyle(el), part = seen(el);
    const across = el.offsetWidth ? box.width / el.offsetWidth : 1;
    const down = el.offsetHeight ? box.height / el.offsetHeight : 1;
    return {
      id: idOf(el), across, down, seen: part && span(part),
      x: box.x + (el.clientLeft + parseFloat(style.paddingLeft)) * across,
      y: box.y + (el.clientTop + parseFloat(style.paddingTop)) * down,
    };
  };
  const MAY_HOLD_SHADOW = /^(article|aside|blockquote|body|div|footer|h[1-6]|header|main|nav|p|section|span)$/;
  const walk = function* (root) {
    const waiting = [...(root.children ?? [])].reverse();
    while (waiting.length) {
      const node = waiting.pop();
      yield node;
      if (node.localName === 'svg' || node.localName === 'select') continue;
      const children = node.shadowRoot ? node.shadowRoot.children
        : node.localName === 'slot' && node.assignedElements().length ? node.assignedElements() : node.children;
      for (let at = children.length - 1; at >= 0; at--) waiting.push(children[at]);
    }
  };
  const holdsText = el => {
    for (let node = el.firstChild; node; node = node.nextSibling) if (node.nodeType === 3 && node.data.trim()) return true;
    return false;
  };
  const ownText = el => clean([...childrenOf(el)].filter(node => node.nodeType === 3).map(node => node.data).join(' '))
    .slice(0, MOST_TEXT);
  const labelled = el => [...(el.labels ?? [])].some(each => each.getClientRects().length && !hidden(each) && seen(each));
  const uncovered = (el, part) => {
    const node = deepest((part.left + part.right) / 2, (part.top + part.bottom) / 2, document);
    return !node || inside(node, el) || inside(el, node) || inClosed(node, el);
  };
  const USED = new Set(['a', 'area', 'button', 'input', 'select', 'summary', 'textarea']);
  const mayBeUsed = el => USED.has(el.localName) || el.hasAttribute('role') || el.hasAttribute('tabindex')
    || el.hasAttribute('contenteditable') || el.hasAttribute('aria-selected');
  const listed = (root, kind, most) => {
    const found = [], frames = [], hosts = [], MOST_HOSTS = 64;
    for (const el of walk(root)) {
      if (found.length >= most) break;
      const name = el.localName, used = mayBeUsed(el), text = kind === 'all' && holdsText(el);
      const host = !el.shadowRoot && (name.includes('-') || (!el.childNodes.length && MAY_HOLD_SHADOW.test(name)));
      const frame = name === 'iframe' || name === 'frame';
      if (!used && !text && !host && !frame && !(kind === 'all' && name in TAGS)) continue;
      const box = el.getBoundingClientRect();
      if (box.bottom <= 0 || box.top >= innerHeight || box.right <= 0 || box.left >= innerWidth) continue;
      if (!box.width || !box.height || UNSEEN.has(name)) continue;
      if (frame) {
        const where = frameOf(el);
        if (where.seen && !hidden(el)) frames.push(where);
        continue;
      }
      if (host && hosts.length < MOST_HOSTS) hosts.push(idOf(el));
      const control = isControl(el), read = kind === 'all' && !control && (READ.has(role(el)) || text);
      if (kind === 'fields' ? !FIELDS.has(role(el)) : !control && !read) continue;
      if (hidden(el) || (getComputedStyle(el).opacity === '0' && !labelled(el))) continue;
      const part = seen(el);
      if (!part || (control ? !spotOf(el, 5) && !labelled(el) : !uncovered(el, part))) continue;
      if (control) {
        found.push({...(kind === 'fields' ? full(el) : brief(el)), text: kind === 'fields' ? textOf(el, role(el)) : '', seen: span(part)});
        continue;
      }
      const whole = controlOf(el);
      if (whole !== el) continue;  // it is told with its control or heading
      const words = READ.has(role(el)) ? nameOf(el) || contentOf(el) : ownText(el);
      if (words) found.push({...brief(el), role: READ.has(role(el)) ? role(el) : 'text', name: words, text: words, value: '', seen: span(part)});
    }
    return {elements: found, frames, hosts};
  };

  // Lines of text, with their words

  const WORDS = /\S+/g;
  const PICTURES = new Set(['img', 'canvas', 'video', 'embed', 'object', 'svg']);
  const lines = most => {
    const found = [], pictures = [], frames = [];
    let words = 0;
    for (const el of walk(document)) {
      const name = el.localName;
      if (words > most) break;
      const field = name === 'input' || name === 'textarea' || name === 'select', frame = name === 'iframe' || name === 'frame';
      const text = holdsText(el) && !UNSEEN.has(name);
      if (!PICTURES.has(name) && !field && !frame && !text) continue;
      const box = el.getBoundingClientRect();
      if (box.bottom <= 0 || box.top >= innerHeight || box.right <= 0 || box.left >= innerWidth || hidden(el)) continue;
      if (frame) { const where = frameOf(el); if (where.seen) frames.push(where); continue; }
      if (PICTURES.has(name)) { pictures.push(rect(box)); continue; }
      if (getComputedStyle(el).opacity === '0') continue;
      if (field) {
        const said = ['submit', 'button', 'reset'].includes(el.type) ? el.value : valueOf(el) || el.placeholder || '';
        if (clean(said) && uncovered(el, box)) found.push({text: clean(said), box: rect(box), parts: []});
        continue;
      }
      for (const node of el.childNodes) {
        if (node.nodeType !== 3 || !node.data.trim()) continue;
        const range = document.createRange();
        let line = null;
        for (const match of node.data.matchAll(WORDS)) {
          if (++words > most) break;
          range.setStart(node, match.index);
          range.setEnd(node, match.index + match[0].length);
          const place = range.getClientRects()[0];
          if (!place?.width || place.bottom <= 0 || place.top >= innerHeight) continue;
          if (!line || Math.abs(line.bottom - place.bottom) > place.height / 2 || place.left < line.right - 2) {
            line = {text: '', left: place.left, top: place.top, right: place.right, bottom: place.bottom, parts: [], el};
            found.push(line);
          }
          line.text += (line.text && /\s/.test(node.data[match.index - 1] ?? ' ') ? ' ' : '') + match[0];
          line.right = place.right;
          line.parts.push({text: match[0], box: rect(place)});
        }
      }
    }
    const told = [];
    for (const {text, box, parts, el, ...place} of found)
      if (box || uncovered(el, place)) told.push({text, box: box ?? span(place), parts});
    return {lines: told, pictures, frames};
  };

  // Lists and pickers that the browser shows over the page

  const openList = el => {
    if (!el?.matches?.('select:open, input:open')) return null;
    if (el.localName !== 'select') return {id: idOf(el), picker: el.type, name: nameOf(el)};
    const options = [];
    for (const each of el.options) {
      const group = each.parentElement?.localName === 'optgroup' ? each.parentElement : null;
      if (each.hidden || group?.hidden || getComputedStyle(each).display === 'none') continue;
      options.push({
        number: each.index, name: clean(each.label), group: group ? clean(group.label) : '',
        disabled: each.disabled || !!group?.disabled,
      });
    }
    return {id: idOf(el), picker: '', name: nameOf(el), box: rect(boxOf(el)), chosen: el.selectedIndex, options};
  };
  const optionsOf = el => {
    if (!el) return null;
    if (el.localName === 'select') {
      const options = [...el.options].map(each => ({
        id: idOf(each), number: each.index, name: clean(each.label),
        disabled: each.disabled || !!each.closest('optgroup[disabled]'),
      }));
      return {value: el.selectedIndex, options, drops: role(el) === 'combobox'};
    }
    const options = [...el.querySelectorAll('[role="option"]')].map((each, number) => ({
      id: idOf(each), number, name: nameOf(each), disabled: flag(each, 'disabled') === 'true',
    }));
    return {value: -1, options, drops: false};
  };

  // A frame without an address of its own is judged by that of the page that wrote it.
  const address = () => location.href.startsWith('about:') ? document.baseURI : location.href;

  switch (command) {
    case 'point': return deepest(args[0], args[1], args[2] ?? document);
    case 'active': return activeIn(args[0] ?? document);
    case 'node': return nodeOf(args[0]);
    case 'tell': return {...toldAt(args[0], args[1], args[2]), url: address()};
    case 'told': return {...full(args[0]), url: address()};
    case 'frame': return frameOf(args[0]);
    case 'list': return {...listed(args[2] ?? document, args[0], args[1]), url: address()};
    case 'lines': return lines(args[0]);
    case 'spot': { const el = nodeOf(args[0]); return el && {spot: spotOf(el), box: rect(boxOf(el))}; }
    case 'within': { const el = nodeOf(args[0]); return !!el && belongs(args[1], el); }
    case 'open': return openList(args[0]);
    case 'options': return optionsOf(nodeOf(args[0]));
    default: throw new Error(command);
  }
}
