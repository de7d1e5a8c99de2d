// Code in two languages: tabs, CUDA C++ and Rust, in place of parts one after the other. A choice is one for all tabs, and
// other pages remember it.
//
// A page says `<div class="languages"><div class="language" data-language="cuda">…</div><div class="language"
// data-language="rust">…</div></div>`. Without this script both parts are shown; print has the chosen one.
//
// `courseLanguages.chosen()` is the language, `"cuda"` or `"rust"`; the document hears `language-chosen` when it changes.
"use strict";

globalThis.courseLanguages = (() => {
    const NAMES = { cuda: "CUDA C++", rust: "Rust" };
    const KEY = "coalesced-language";

    // Where a browser refuses storage, the choice is the page's alone.
    const storage = (act) => {
        try {
            return act(localStorage);
        } catch {
            return null;
        }
    };

    let language = storage((kept) => kept.getItem(KEY));
    if (!(language in NAMES)) language = "cuda";

    const groups = () => document.querySelectorAll(".languages");
    const tabsOf = (group) => [...group.querySelectorAll("[role=tab]")];

    /** Shows the chosen part of a group, and takes the others out of the way of the Tab key. */
    function show(group) {
        for (const part of group.querySelectorAll(".language")) part.hidden = part.dataset.language !== language;
        for (const tab of tabsOf(group)) {
            const isChosen = tab.dataset.language === language;
            tab.setAttribute("aria-selected", isChosen);
            tab.tabIndex = isChosen ? 0 : -1;
        }
    }

    /** Chooses for all groups. What the reader clicked stays where it is in the window: parts above are longer or shorter. */
    function choose(chosen, tab) {
        language = chosen;
        storage((kept) => kept.setItem(KEY, chosen));
        const before = tab.getBoundingClientRect().top;
        groups().forEach(show);
        scrollBy({ top: tab.getBoundingClientRect().top - before, behavior: "instant" });
        document.dispatchEvent(new CustomEvent("language-chosen", { detail: chosen }));
    }

    /** The keys of a list of tabs. */
    function press(event, tabs) {
        const at = tabs.indexOf(event.target);
        const places = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: tabs.length - 1 };
        if (!(event.key in places) || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        const tab = tabs[(places[event.key] + tabs.length) % tabs.length];
        tab.focus();
        choose(tab.dataset.language, tab);
    }

    function build(group, number) {
        const list = document.createElement("div");
        list.setAttribute("role", "tablist");
        list.setAttribute("aria-label", "Language of the code");
        list.className = "language-tabs";
        const tabs = [...group.querySelectorAll(".language")].map((part) => {
            const tab = document.createElement("button");
            part.id = `language-${number}-${part.dataset.language}`;
            tab.id = `${part.id}-tab`;
            tab.type = "button";
            tab.dataset.language = part.dataset.language;
            tab.textContent = NAMES[part.dataset.language];
            tab.setAttribute("role", "tab");
            tab.setAttribute("aria-controls", part.id);
            tab.addEventListener("click", () => choose(tab.dataset.language, tab));
            part.setAttribute("role", "tabpanel");
            part.setAttribute("aria-labelledby", tab.id);
            return tab;
        });
        list.append(...tabs);
        list.addEventListener("keydown", (event) => press(event, tabs));
        group.prepend(list);
        show(group);
    }

    function start() {
        groups().forEach(build);
    }

    if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
    else start();

    return { NAMES, chosen: () => language };
})();
