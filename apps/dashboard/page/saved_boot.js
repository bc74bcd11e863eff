// Starts the page of a saved report. A browser loads no module beside a page from the disk, so the modules are in the
// page as texts; each becomes a module of its own, those that it imports first.
(() => {
  const texts = new Map([...document.querySelectorAll("script[data-module]")].map((script) => [script.dataset.module, script.textContent]));
  const addresses = new Map();
  const address_of = (name) => {
    if (!addresses.has(name)) {
      const text = texts.get(name).replace(/from "\.\/([\w.]+)"/g, (_, imported) => `from "${address_of(imported)}"`);
      addresses.set(name, URL.createObjectURL(new Blob([text], {type: "text/javascript"})));
    }
    return addresses.get(name);
  };
  import(address_of("saved.js"));
})();
