// What mdBook's own pages lack for keys and for those who hear a page: arrow keys that do not leave it by surprise, a button for the
// table of contents, and the name of its current page.
"use strict";

(() => {
    // mdBook turns the page at the arrow keys left and right, unless a field has the focus. A table, a player or a list moves by them
    // too, so here they turn the page only where nothing has the focus. `skip.js` gives it to the whole text.
    const whole = ["body", "main"];
    document.documentElement.addEventListener("keydown", (event) => {
        const isArrow = event.key === "ArrowLeft" || event.key === "ArrowRight";
        if (isArrow && !whole.includes(event.target.localName)) event.stopPropagation();
    });

    // mdBook's label is no stop of the Tab key. Only a button can be expanded.
    const label = document.querySelector("label#mdbook-sidebar-toggle");
    if (label) {
        label.setAttribute("role", "button");
        label.tabIndex = 0;
        label.addEventListener("keydown", (event) => {
            if (event.key !== "Enter" && event.key !== " ") return;
            event.preventDefault();
            label.click();
        });
    }
    document.querySelector("#mdbook-searchbar")?.setAttribute("aria-label", "Search this book");
    document.querySelector("#mdbook-sidebar .active")?.setAttribute("aria-current", "page");
})();
