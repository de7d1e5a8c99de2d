// A link past the contents to the text, the first stop of the Tab key in each page. mdBook's template has none.
"use strict";

(() => {
    const main = document.querySelector("main");
    if (!main) return;
    const link = Object.assign(document.createElement("a"), { className: "skip", href: "#text", textContent: "Skip to the text" });
    link.addEventListener("click", (event) => {
        // Not by the address, which may name a step of the player or carry a kernel.
        event.preventDefault();
        main.tabIndex = -1;
        main.focus();
        main.scrollIntoView({ behavior: "instant" });
    });
    document.body.prepend(link);
})();
