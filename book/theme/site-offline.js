// Pages of a published site are kept in the browser, so that they open without a network after the first visit.
"use strict";

// A browser without service workers, or one that refuses them, shows the pages all the same.
navigator.serviceWorker?.register("service-worker.js").catch(() => {});
