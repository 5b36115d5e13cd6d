// Begins each document, in a world that the page's scripts do not see.
(() => {
  // A button that is released because of a stop is released outside the page, which would be a click on what surrounds
  // both places.
  const swallow = event => {
    if (event.pointerId !== -1 && event.clientX < 0 && event.clientY < 0) {
      event.preventDefault();
      event.stopImmediatePropagation();
    }
  };
  addEventListener('click', swallow, true);
  addEventListener('auxclick', swallow, true);
  // The middle button pastes what is selected on the desktop, which is not for the page.
  let middle = false;
  addEventListener('mouseup', event => {
    middle = event.button === 1;
    setTimeout(() => { middle = false; });
  }, true);
  addEventListener('paste', event => {
    if (middle) {
      event.preventDefault();
      event.stopImmediatePropagation();
    }
  }, true);
})();
