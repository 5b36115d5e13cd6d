function () {
  // The browser's own context menu is neither in a picture nor closed by the protocol, so it is kept shut. The page's own
  // handlers come first, and see the event as it is: only where they have stopped it, or all are done, its default ends.
  addEventListener('contextmenu', event => {
    for (const node of event.composedPath())
      node.addEventListener('contextmenu', each => {
        if (each === event && (each.cancelBubble || node === window)) each.preventDefault();
      }, {once: true});
  }, {capture: true});
}
