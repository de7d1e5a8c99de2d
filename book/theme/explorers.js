// Explorers: small pictures that answer to a reader's input. Every count in them is the emulator's, asked for in the
// page (emulator.js); JavaScript makes the addresses and draws them. Times are measured ones that the page brings.
//
// The book's build puts `<div class="explorer" data-explorer="NAME">what to see without it</div>` into a page. This
// file puts the live one in its place as soon as the reader comes near it; without WebAssembly what was there stays.
//
// Hooks for tests: on the div, data-ready="true" once it is live, and data-response, the emulator's last answer as
// JSON. In it, inputs with the names of the controls, buttons with data-preset, .explorer-note with what
// was out of range, .explorer-answer with the sentence, and .explorer-picture with the SVG.
"use strict";

(() => {
    const kinds = {};

    const LANES = 32;
    const ALL_LANES = 0xffffffff;

    /** "1 sector", "4 sectors". */
    const count = (number, noun) => `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;

    /** The mask of the first lanes. */
    const firstLanes = (lanes) => (lanes >= LANES ? ALL_LANES : 2 ** lanes - 1);

    const isActive = (mask, lane) => ((mask >>> lane) & 1) === 1;

    /** 32 values, one per lane. */
    const eachLane = (make) => Array.from({ length: LANES }, (_, lane) => make(lane));

    const html = (name, properties = {}, ...children) => {
        const element = Object.assign(document.createElement(name), properties);
        element.append(...children);
        return element;
    };

    const svg = (name, attributes = {}, ...children) => {
        const element = document.createElementNS("http://www.w3.org/2000/svg", name);
        for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
        element.append(...children);
        return element;
    };

    const text = (x, y, words, kind = "") => svg("text", { x, y, class: kind }, String(words));

    const line = (x1, y1, x2, y2, kind) => svg("line", { x1, y1, x2, y2, class: kind });

    /** A row of cells, one per lane; lanes that take no part are dashed and without a number. */
    const laneRow = (left, top, width, mask) => eachLane((lane) => {
        const x = left + lane * width;
        const takesPart = isActive(mask, lane);
        const kind = takesPart ? "lane" : "lane idle";
        const cell = svg("rect", { x: x + 1, y: top, width: width - 2, height: 18, class: kind });
        return takesPart ? [cell, text(x + width / 2, top + 13, lane, "number")] : [cell];
    }).flat();

    /** Draws into a picture of this size; the sentence is also its text for those who do not see it. */
    const picture = (width, height, label, parts) =>
        svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label }, ...parts.flat());

    /** A value that depends on the state is given as a function of it. */
    const valueFor = (value, state) => (typeof value === "function" ? value(state) : value);

    const clamp = (value, low, high, step) => Math.min(high, Math.max(low, Math.round(value / step) * step));

    /** Brings numbers into their ranges, which may depend on other controls; says which ones were outside. */
    const settle = (controls, state) => controls.filter((control) => !control.choices).flatMap((control) => {
        const [low, high, step] = ["min", "max", "step"].map((bound) => valueFor(control[bound] ?? 1, state));
        const wanted = state[control.name];
        const taken = clamp(Number(wanted) || 0, low, high, step);
        state[control.name] = taken;
        const range = `${low} to ${high}${step > 1 ? ` in steps of ${step}` : ""}`;
        return Number(wanted) === taken ? [] : [`${control.label}: ${range}. ${taken} is taken.`];
    });

    const choiceField = (control, change) => {
        const select = html("select", { name: control.name });
        for (const [value, label] of control.choices) select.append(html("option", { value, textContent: label }));
        select.addEventListener("change", () => {
            const isNumber = typeof control.choices[0][0] === "number";
            change(control.name, isNumber ? Number(select.value) : select.value);
        });
        const show = (state) => { select.value = state[control.name]; };
        const label = html("span", { textContent: control.label });
        return [html("label", { className: "explorer-control" }, label, select), show];
    };

    const numberField = (control, change) => {
        const label = html("span", { textContent: control.label });
        const number = html("input", { type: "number", name: control.name, inputMode: "numeric" });
        const range = html("input", { type: "range" });
        range.setAttribute("aria-label", `${control.label}, slider`);
        range.addEventListener("input", () => change(control.name, Number(range.value)));
        // what is typed counts once it is whole: "1" of "16" is nobody's wish
        number.addEventListener("change", () => change(control.name, number.value === "" ? NaN : Number(number.value)));
        const show = (state) => {
            for (const input of [range, number]) {
                for (const bound of ["min", "max", "step"]) input[bound] = valueFor(control[bound] ?? 1, state);
                input.value = state[control.name];
            }
        };
        return [html("div", { className: "explorer-control" }, html("label", {}, label, number), range), show];
    };

    const isShown = (control, state) => !control.when || control.when(state);

    /** Buttons that set several controls at once; the one that fits the state is marked. */
    const presetRow = (kind, choose) => {
        const buttons = kind.presets.map(([name, values]) => {
            const button = html("button", { type: "button", textContent: name });
            button.dataset.preset = name;
            button.addEventListener("click", () => choose(values));
            return [button, { ...kind.start, ...values }];
        });
        const row = html("div", { className: "explorer-presets" }, ...buttons.map(([button]) => button));
        row.setAttribute("role", "group");
        row.setAttribute("aria-label", "Examples");
        const show = (state) => buttons.forEach(([button, values]) => {
            const agrees = ({ name }) => state[name] === values[name];
            const fits = kind.controls.every((control) => !isShown(control, state) || agrees(control));
            button.setAttribute("aria-pressed", fits);
        });
        return [row, show];
    };

    /** Puts the live explorer into its place, with what was there kept for print. */
    const mount = (place, kind, emulator) => {
        const state = { ...kind.start };
        const answer = html("p", { className: "explorer-answer" });
        answer.setAttribute("aria-live", "polite");
        const view = html("div", { className: "explorer-picture", tabIndex: 0 });
        const details = html("p", { className: "explorer-details" });

        const note = html("p", { className: "explorer-note" });
        note.setAttribute("role", "status");

        const update = () => {
            note.textContent = settle(kind.controls, state).join(" ");
            shows.forEach((show) => show(state));
            try {
                const request = kind.request(state);
                // an explorer of what a GPU was measured to do has its points in the page
                const response = kind.respond ? kind.respond(request, place) : emulator.ask(request);
                place.dataset.response = JSON.stringify(response);
                answer.textContent = kind.answer(state, response, request);
                view.replaceChildren(kind.draw(state, response, request, answer.textContent));
                details.textContent = kind.details?.(state, response, request) ?? "";
            } catch (error) {
                delete place.dataset.response;
                answer.textContent = `No answer: ${error.message}`;
                view.replaceChildren();
                details.textContent = "";
            }
        };
        const change = (name, value) => { state[name] = value; update(); };
        const choose = (values) => { Object.assign(state, kind.start, values); update(); };
        const [presets, showPresets] = presetRow(kind, choose);
        const fields = kind.controls.map((control) => {
            const [field, show] = (control.choices ? choiceField : numberField)(control, change);
            return [field, (current) => { field.hidden = !isShown(control, current); show(current); }];
        });
        const shows = [showPresets, ...fields.map(([, show]) => show)];

        const controls = html("div", { className: "explorer-controls" }, ...fields.map(([field]) => field));
        const live = html("div", { className: "explorer-live" }, presets, controls, note, answer, view, details);
        live.setAttribute("role", "group");
        live.setAttribute("aria-label", kind.title);
        view.setAttribute("aria-label", "Picture");
        view.setAttribute("role", "group");
        const figure = html("div", { className: "explorer-figure" }, ...place.childNodes);
        place.append(live, figure);
        update();
        place.dataset.ready = "true";
    };

    const near = new IntersectionObserver((entries) => {
        for (const { isIntersecting, target } of entries) {
            if (!isIntersecting) continue;
            near.unobserve(target);
            // where there is no WebAssembly the static figure is the answer
            const kind = kinds[target.dataset.explorer];
            coalesced.emulator().then((emulator) => mount(target, kind, emulator), () => {});
        }
    }, { rootMargin: "300px" });

    /** Makes an explorer known: its title, controls, presets, request to the emulator, sentence and picture. */
    coalesced.explorer = (name, kind) => {
        kinds[name] = kind;
        document.querySelectorAll(`.explorer[data-explorer="${name}"]`).forEach((place) => near.observe(place));
    };
    coalesced.drawing = { LANES, ALL_LANES, count, firstLanes, isActive, eachLane, svg, text, line, laneRow, picture };
})();
