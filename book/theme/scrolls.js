// What is wider than its place scrolls by itself: it can be reached by keys, and fades out where it goes on.
//
// Classes .goes-left and .goes-right say where; legible.css draws them.
"use strict";

(() => {
    const PLACES = "main :is(.table-wrapper, .scrolls, .explorer-picture, .player-scroll, pre > code)";

    const look = (place) => {
        const rest = place.scrollWidth - place.clientWidth;
        const isWide = rest > 1;
        place.classList.toggle("goes-left", isWide && place.scrollLeft > 1);
        place.classList.toggle("goes-right", isWide && place.scrollLeft < rest - 1);
        // A stop of the keyboard only where there is something to scroll; those of others stay.
        if (isWide && !place.hasAttribute("tabindex")) {
            place.tabIndex = 0;
            place.dataset.scrolls = "";
        } else if (!isWide && "scrolls" in place.dataset) {
            place.removeAttribute("tabindex");
            delete place.dataset.scrolls;
        }
    };

    const sizes = new ResizeObserver((entries) => entries.forEach(({ target }) => look(target)));

    const watch = (place) => {
        sizes.observe(place);
        place.addEventListener("scroll", () => look(place), { passive: true });
        look(place);
    };

    /** Players and explorers put theirs in later. */
    const watchAll = () => document.querySelectorAll(PLACES).forEach((place) => {
        if (watched.has(place)) look(place);
        else watch(place);
        watched.add(place);
    });
    const watched = new WeakSet();

    let frame = null;
    const watchSoon = () => {
        frame ??= requestAnimationFrame(() => {
            frame = null;
            watchAll();
        });
    };

    document.addEventListener("DOMContentLoaded", () => {
        watchAll();
        // Letters of another font are wider, in boxes of the same size.
        document.fonts.addEventListener("loadingdone", watchSoon);
        new MutationObserver(watchSoon).observe(document.querySelector("main"), { childList: true, subtree: true });
    });
})();
