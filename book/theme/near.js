// Scripts of players and explorers, which a page loads once a reader comes near to one.
//
// The book's build marks them: `<script type="text/plain" data-later=".player" data-src="theme/player.js"></script>`. Where it
// has not, as in pages of the stock mdBook, they are loaded with the page, and there is nothing to do.
"use strict";

(() => {
    const MARGIN = "600px";

    // The scripts by the selector of their places, each in their order.
    const kinds = new Map();
    document.querySelectorAll("script[data-later]").forEach(({ dataset: { later, src } }) => {
        kinds.set(later, [...(kinds.get(later) ?? []), src]);
    });

    /** Loads the scripts of some places in their order, once. */
    function load(places) {
        for (const src of kinds.get(places)) {
            document.head.append(Object.assign(document.createElement("script"), { src, async: false }));
        }
        kinds.delete(places);
    }

    /** Loads all that a place needs, in the order of the page: scripts use those before them. */
    const loadFor = (place) => [...kinds.keys()].filter((places) => place.matches(places)).forEach(load);

    const observer = new IntersectionObserver((entries) => {
        for (const { isIntersecting, target } of entries) {
            if (!isIntersecting) continue;
            observer.unobserve(target);
            loadFor(target);
        }
    }, { rootMargin: MARGIN });

    // Or at once where the address names a step of a player, or an edited kernel.
    const isNamed = /^#(?:player|edit)=/.test(location.hash);
    for (const places of [...kinds.keys()]) {
        document.querySelectorAll(places).forEach((place) => (isNamed ? loadFor(place) : observer.observe(place)));
    }

    /** Whether the reader keeps a log of minutes, which counts on every page. */
    function keepsLog() {
        try {
            return localStorage.getItem("coalesced-log") !== null;
        } catch {
            return false;
        }
    }

    if (keepsLog()) {
        document.documentElement.classList.add("keeps-log");
        loadFor(document.documentElement);
    }
})();
