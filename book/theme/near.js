// Scripts of players and explorers, which a page loads once a reader comes near to one.
//
// The book's build marks them: `<script type="text/plain" data-later=".player" data-src="theme/player.js"></script>`. Where it
// has not, as in pages of the stock mdBook, they are loaded with the page, and there is nothing to do.
"use strict";

(() => {
    const MARGIN = "600px";

    const later = (places) => [...document.querySelectorAll(`script[data-later="${places}"]`)];

    /** Loads the scripts of some places in their order. */
    function load(places) {
        for (const { dataset } of later(places)) {
            document.head.append(Object.assign(document.createElement("script"), { src: dataset.src, async: false }));
        }
    }

    /** Loads once a place is near the window, or at once where the address names a step of a player. */
    function watch(places) {
        const observer = new IntersectionObserver((entries) => {
            if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
            observer.disconnect();
            load(places);
        }, { rootMargin: MARGIN });
        if (location.hash.startsWith("#player=")) load(places);
        else document.querySelectorAll(places).forEach((place) => observer.observe(place));
    }

    const kinds = new Set([...document.querySelectorAll("script[data-later]")].map(({ dataset }) => dataset.later));
    kinds.forEach(watch);
})();
