// Print with folded answers open, or closed: buttons below each page, and `?answers=closed` in the address.
"use strict";

(() => {
    const CLOSED = "answers-closed";
    const root = document.documentElement;
    if (new URLSearchParams(location.search).get("answers") === "closed") root.classList.add(CLOSED);

    /** A button that prints the page. */
    const button = (words, isClosed) => {
        const made = Object.assign(document.createElement("button"), { type: "button", textContent: words });
        made.addEventListener("click", () => {
            root.classList.toggle(CLOSED, isClosed);
            print();
        });
        return made;
    };

    document.querySelector(".book-footer")?.append(Object.assign(document.createElement("p"), { className: "book-print" }));
    document.querySelector(".book-print")?.append(
        "Print this page: ", button("with answers", false), " ", button("without answers", true));
})();
