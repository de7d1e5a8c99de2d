// The service worker of a published site. The site's build puts the list of files and a name made of their contents in front:
// `const FILES = […]; const VERSION = "…";`. Files of the list come from the store, which belongs to one version: a new version
// fills a store of its own, and takes over when no page of the old one is open. The data of players and of the editor, in the
// folder `carried`, are kept there once a page has asked for them; their names change with their contents. The compiler is not in
// the list: the editor keeps its large file itself, and the small ones are kept here once they were fetched.
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
    // The files come as they are asked for, if a reader saves data since an earlier version.
    if (navigator.connection?.saveData) return;
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
    const kept = await store.match(plain(request.url));
    if (kept) return kept;
    const response = await fetch(request);
    // A full store is no reason to fail.
    if (response.status === 200 && !response.redirected) await store.put(plain(request.url), response.clone()).catch(() => {});
    return response;
}

/** Keeps files that pages have asked for without the worker; most are in the browser's cache. */
async function keep(addresses) {
    const store = await caches.open(PAGES);
    for (const address of addresses.filter(isCarried)) {
        if (!(await store.match(address))) await store.add(address).catch(() => {});
    }
}

const NOT_KEPT = `<!DOCTYPE html><html lang="en"><meta charset="UTF-8"><title>Not kept - Coalesced</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><style>body { font: 1.1em/1.5 sans-serif; margin: 3em auto;
max-width: 34em; padding: 0 1em; color-scheme: light dark }</style><h1>This page is not kept in your browser</h1>
<p>There is no network, and this page opens only with one. All chapters and exercises are kept:
<a href="${scope}index.html">go to the first page</a>.</p></html>`;

/** A page that is not kept: the browser's own message would not say that others are. */
const fromNetworkOnly = (request) => fetch(request).catch(() =>
    new Response(NOT_KEPT, { headers: { "Content-Type": "text/html; charset=utf-8" } }));

/** From the network where there is one, since its files belong together. */
async function fromNetwork(request) {
    const store = await caches.open(COMPILER);
    const response = await fetch(request).catch(() => Response.error());
    if (response.ok) await store.put(request.url, response.clone());
    return response.ok ? response : ((await store.match(request.url)) ?? response);
}

const isCarried = (address) => address.startsWith(`${scope}carried/`);
const isSmallOfCompiler = (address) => address.startsWith(`${scope}compiler/`) && /\.(?:js|json|core\d\.wasm)$/.test(plain(address));

self.addEventListener("install", (event) => event.waitUntil(fill()));
self.addEventListener("activate", (event) => event.waitUntil(forget().then(() => self.clients.claim())));
self.addEventListener("message", (event) => event.waitUntil(keep(event.data)));
self.addEventListener("fetch", (event) => {
    const { request } = event;
    if (request.method !== "GET") return;
    if (listed.has(plain(request.url)) || isCarried(request.url)) event.respondWith(fromStore(request));
    else if (isSmallOfCompiler(request.url)) event.respondWith(fromNetwork(request));
    else if (request.mode === "navigate") event.respondWith(fromNetworkOnly(request));
});
