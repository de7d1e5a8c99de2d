// The service worker of a published site. The site's build puts the list of files and a name made of their contents in front:
// `const FILES = […]; const VERSION = "…";`. Files of the list come from the store, which belongs to one version: a new version
// fills a store of its own, and takes over when no page of the old one is open. The compiler is not in the list: the editor
// keeps its large file itself, and the small ones are kept here once they were fetched.
"use strict";

const FAMILY = "coalesced-pages-";
const PAGES = FAMILY + VERSION;
// The editor removes what it finds of other versions by the beginning of the name `coalesced-compiler-`.
const COMPILER = "coalesced-files-of-compiler";

const scope = self.registration.scope;
const listed = new Set(FILES.map((file) => new URL(file, scope).href));

/** An address as the list has it. */
function plain(address) {
    const { origin, pathname } = new URL(address);
    return origin + (pathname.endsWith("/") ? `${pathname}index.html` : pathname);
}

async function fill() {
    const store = await caches.open(PAGES);
    // The page that is open has most of them in the browser's cache already.
    await store.addAll([...listed]);
}

async function forget() {
    const names = await caches.keys();
    await Promise.all(names.filter((name) => name.startsWith(FAMILY) && name !== PAGES).map((name) => caches.delete(name)));
}

async function fromStore(request) {
    const store = await caches.open(PAGES);
    return (await store.match(plain(request.url))) ?? fetch(request);
}

/** From the network where there is one, since its files belong together. */
async function fromNetwork(request) {
    const store = await caches.open(COMPILER);
    const response = await fetch(request).catch(() => Response.error());
    if (response.ok) await store.put(request.url, response.clone());
    return response.ok ? response : ((await store.match(request.url)) ?? response);
}

const isSmallOfCompiler = (address) => address.startsWith(`${scope}compiler/`) && /\.(?:js|json|core\d\.wasm)$/.test(plain(address));

self.addEventListener("install", (event) => event.waitUntil(fill()));
self.addEventListener("activate", (event) => event.waitUntil(forget().then(() => self.clients.claim())));
self.addEventListener("fetch", (event) => {
    const { request } = event;
    if (request.method !== "GET") return;
    if (listed.has(plain(request.url))) event.respondWith(fromStore(request));
    else if (isSmallOfCompiler(request.url)) event.respondWith(fromNetwork(request));
});
