function (longest) {
  const root = document.body ?? document.documentElement;
  return (root?.innerText ?? "").slice(0, longest);
}
