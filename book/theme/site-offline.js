// Pages of a published site are kept in the browser, so that they open without a network after the first visit.
"use strict";

(() => {
    const { serviceWorker: workers } = navigator;
    // A browser without service workers, or one that refuses them, shows the pages all the same. A reader who saves data gets
    // nothing but what a page needs.
    if (!workers || navigator.connection?.saveData) return;
    workers.addEventListener("controllerchange", () => {
        // What the page has asked for before there was a worker.
        workers.controller?.postMessage(performance.getEntriesByType("resource").map(({ name }) => name));
    });
    workers.register("service-worker.js").catch(() => {});
})();
