// Tells the test's server each event that reaches the page, and runs what the server asks for.
(() => {
  const frame = document.currentScript.getAttribute('data-frame') || window.name || 'top';
  const kinds = `pointerdown pointerup pointermove pointerover pointerout pointercancel mousedown mouseup mousemove
    mouseover mouseout click auxclick dblclick contextmenu wheel keydown keyup keypress beforeinput input change
    compositionstart compositionupdate compositionend dragstart drag dragenter dragover dragleave drop dragend
    copy cut paste focusin focusout submit select`.split(/\s+/);
  const plain = `isTrusted button buttons detail clientX clientY screenX screenY offsetX offsetY movementX movementY
    pointerType pointerId isPrimary pressure key code keyCode which charCode location repeat isComposing deltaX deltaY
    deltaMode inputType data ctrlKey shiftKey altKey metaKey`.split(/\s+/);
  const named = node => (node && (node.id || node.nodeName)) || '';
  let waiting = [];
  const post = more => {
    const events = waiting;
    waiting = [];
    return fetch('/told/' + frame, {method: 'POST', body: JSON.stringify({events, ...more})});
  };
  const held = new Set();
  window.inputs = 0;  // presses, motions, turns of the wheel and characters so far
  window.held = () => [...held];
  const acts = /^(keydown|mousedown|mousemove|wheel|input|drag|dragover)$/;
  const follow = event => {
    if (acts.test(event.type)) window.inputs++;
    if (event.type === 'keydown') held.add(event.code);
    if (event.type === 'keyup') held.delete(event.code);
    if (event.type === 'mousedown') held.add('button ' + event.button);
    if (event.type === 'mouseup') held.delete('button ' + event.button);
    if (event.type === 'dragend') held.delete('button 0');
  };
  for (const kind of kinds) {
    addEventListener(kind, event => {
      const told = {type: kind, frame, target: named(event.target), at: performance.timeOrigin + performance.now()};
      for (const name of plain) if (name in event && event[name] !== undefined) told[name] = event[name];
      if (event.getModifierState)
        told.modifiers = ['Alt', 'Control', 'Meta', 'Shift', 'CapsLock', 'NumLock', 'AltGraph']
          .filter(each => event.getModifierState(each));
      if (event.dataTransfer) told.dropEffect = event.dataTransfer.dropEffect;
      waiting.push(told);
      follow(event);
      if (window.postAtOnce) post({});
    }, {capture: true, passive: true});
  }
  const orders = new EventSource('/orders/' + frame);
  orders.onmessage = async message => {
    const {number, code} = JSON.parse(message.data);
    try {
      const value = await (0, eval)(code);
      await post({number, value: value === undefined ? null : value});
    } catch (error) {
      await post({number, error: String(error)});
    }
  };
})();
