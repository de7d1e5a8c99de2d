// The editor of a chapter's listings: Edit in place of a kernel in CUDA C++, and of its PTX.
//
// A page says `<p class="file editable" data-kernel="…" data-stage="…">` before the listing. The launches are those of the
// stage's player. Without an editor in the page, as in pages of the stock mdBook, nothing is added.
globalThis.courseEditor ??= {};

courseEditor.listings = (() => {
    "use strict";

    const { CUDA } = courseEditor.players;

    const NOT_SERVED =
        "Compiling takes the served book: `cargo run -p book` opens it. Edit PTX works here, too, and the exercises by `cargo learn`.";

    const stages = new Map();

    /** The open editors by the names of their texts: listings of parts of one file share its text. */
    const desks = new Map();

    /** The data of a stage's player, which is unpacked once. */
    function dataOf(stage) {
        if (!stages.has(stage)) {
            const element = document.querySelector(`script.player-scenes[data-stage="${stage}"], .player[data-stage="${stage}"] script.player-scenes`);
            stages.set(stage, coalesced.carried(element).then((bytes) => JSON.parse(new TextDecoder().decode(bytes))));
        }
        return stages.get(stage);
    }

    /** A kernel's file in two parts: the comment at its beginning with what follows it, and the code that the page shows. */
    function parted(source) {
        const card = source.match(/^(?:\/\/.*\n)*\n*/)[0];
        return { card, code: source.slice(card.length) };
    }

    /**
     * The text without entry points that no launch of the page calls, in lines that stay: clang takes seconds for a file with
     * an entry point for each of six block sizes. Text without an entry point that is called stays as it is.
     */
    function needed(text, entries) {
        const nameIn = (line) => line.match(/^ENTRY_POINT\((\w+)/)?.[1];
        const isCalled = (name) => entries.some((entry) => entry === name || entry.endsWith(`_${name}`));
        const lines = text.split("\n");
        const names = lines.map(nameIn).filter(Boolean);
        if (!names.some(isCalled)) return text;
        return lines.map((line) => (nameIn(line) === undefined || isCalled(nameIn(line)) ? line : "")).join("\n");
    }

    /** The lines of PTX in the emulator's refusal of a module, as messages. */
    const refusals = (text) =>
        [...text.matchAll(/line (\d+): (.+)/g)].map(([, line, words]) => ({ line: Number(line), column: 1, kind: "error", text: words }));

    /** The editor of a kernel's text. */
    class ListingDesk extends courseEditor.Desk {
        constructor(home, data, kernel) {
            const { card, code } = parted(kernel.source);
            const file = kernel.file.split("/").pop();
            const first = card.split("\n").length;
            super({ key: `kernel-${kernel.name}`, name: kernel.name, file, label: `Editor of ${file}`, original: code, first });
            Object.assign(this, { home, data, kernel, card });
            this.button("run").textContent = "Compile and run";
            this.add("close", "Close", () => this.close());
            this.announceDownload("Compiling");
        }

        run() {
            return this.work("Compiling …", async () => {
                const source = this.card + this.text.value;
                const ptx = await this.compile(this.needed(source));
                if (ptx === null) return this.sayErrors();
                this.unedited ??= await this.compiledOriginal(source, ptx);
                this.say("Running …");
                await this.show(source, ptx);
                this.say(this.player.verdict);
            });
        }

        needed(source) {
            return needed(source, this.scenes().map(({ scene }) => scene.entry));
        }

        /**
         * The PTX of the course's kernel by the page's own compiler: another one counts differently, and a first change would be
         * mixed with that. Undefined where it is not compiled.
         */
        async compiledOriginal(source, ptx) {
            const original = this.card + this.original;
            return source === original ? ptx : (await this.compiled(this.needed(original))).ptx;
        }

        async show(source, ptx) {
            this.player ??= this.openPlayer(this.scenes());
            this.player.unedited = this.unedited;
            this.player.change(source, ptx);
            await this.player.run();
            this.markFindings(this.player.findings);
        }

        scenes() {
            return courseEditor.players.scenesOf(this.data, this.kernel.name);
        }

        openPlayer(scenes) {
            const home = kernelPlayer.draw.element("div", { class: "player" });
            this.result.replaceChildren(home);
            const player = courseEditor.players.open(home, courseEditor.players.dataOf(this.data, scenes, this.kernel));
            player.original = scenes;
            // In the smallest blocks, of one warp, many mistakes cannot be seen.
            const { block } = player.choices;
            block.selectedIndex = Math.floor(block.options.length / 2);
            player.chooseFrom("block");
            return player;
        }

        /** Puts the cursor at the first line of a listing, or the first new line of a diff, if the text has it. */
        goTo(listing) {
            const lines = listing.trim().split("\n");
            const isDiff = lines[0].startsWith("--- ");
            const first = isDiff ? lines.find((line) => /^\+(?!\+\+ )/.test(line))?.slice(1) : lines[0];
            const line = this.text.value.split("\n").indexOf(first);
            this.text.go(this.text.first + Math.max(line, 0));
        }

        close() {
            desks.delete(this.key);
            this.root.remove();
            this.home.closed();
        }
    }

    /** The editor of the PTX of one launch: nothing is compiled, and nothing downloaded. */
    class PtxDesk extends ListingDesk {
        constructor(home, data, kernel) {
            super(home, data, kernel);
            const [scene] = super.scenes();
            this.ptx = scene.scene.ptx;
            this.key = `ptx-${kernel.name}-${scene.scene.entry}`;
            this.original = data.ptx[this.ptx];
            this.text.language = "ptx";
            this.text.first = 1;
            this.text.area.setAttribute("aria-label", `Editor of the PTX of ${scene.scene.entry}`);
            this.text.value = courseEditor.store.read(this.key) ?? this.original;
            this.button("run").textContent = "Run";
            this.button("link").remove();
            this.say("PTX runs as it is. Its .loc lines name lines of the kernel.");
        }

        run() {
            return this.work("Running …", async () => {
                this.showMessages([]);
                await this.show(this.kernel.source, this.text.value);
                this.showMessages(refusals(this.player.refusal ?? ""));
                this.say(this.player.verdict);
            });
        }

        /** Findings name lines of the kernel, which this field does not have. */
        markFindings() {}

        /** Only launches of the same entry. */
        scenes() {
            return super.scenes().filter(({ scene }) => scene.ptx === this.ptx);
        }
    }

    /** The buttons below a listing, and the editor in its place. */
    class Listing {
        constructor(mark) {
            const { element } = kernelPlayer.draw;
            this.mark = mark;
            this.code = mark.nextElementSibling;
            const button = (words, act) => {
                const made = element("button", { type: "button" }, words);
                made.addEventListener("click", act);
                return made;
            };
            this.edit = button(this.words(), () => this.open(ListingDesk));
            this.edit.dataset.editorOpen = "kernel";
            const ptx = button("Edit PTX", () => this.open(PtxDesk));
            ptx.dataset.editorOpen = "ptx";
            this.note = element("span", { role: "status" });
            this.buttons = element("p", { class: "editor-open" }, this.edit, " ", ptx, " ", this.note);
            this.code.after(this.buttons);
            mark.dataset.ready = "true";
            this.noteRust();
            if (courseEditor.link.carriedName() === mark.dataset.kernel) this.open(ListingDesk);
        }

        /** Below the same kernel in Rust there is a reason in place of the buttons. */
        noteRust() {
            const rust = this.mark.closest(".languages")?.querySelector('.language[data-language="rust"]');
            const words = "Kernels in Rust run and step in the player. To edit one, use its file: pages have no compiler for Rust.";
            rust?.append(kernelPlayer.draw.element("p", { class: "editor-open" }, words));
        }

        words() {
            return courseEditor.store.read(`kernel-${this.mark.dataset.kernel}`) === null ? "Edit" : "Edit your version";
        }

        async open(Kind) {
            if (Kind === ListingDesk && !courseEditor.workshop.canCompile) {
                this.note.textContent = NOT_SERVED;
                return;
            }
            this.note.textContent = "";
            const { kernel: name, stage } = this.mark.dataset;
            const data = await dataOf(stage);
            const kernel = data.kernels.find((each) => each.name === name && each.language === CUDA);
            const desk = new Kind(this, data, kernel);
            if (desks.has(desk.key)) return this.leadTo(desks.get(desk.key));
            desks.set(desk.key, desk);
            const carried = Kind === ListingDesk ? await courseEditor.link.carried(name) : null;
            if (carried !== null) desk.takeCarried(carried);
            // A diff stays: the editor has the whole file.
            this.code.hidden = !this.code.querySelector(".language-diff");
            this.buttons.hidden = true;
            this.buttons.after(desk.root);
            if (Kind === ListingDesk) desk.goTo(this.code.textContent);
            else desk.text.area.focus({ preventScroll: true });
            if (Kind === ListingDesk) courseEditor.workshop.prepare();
            if (carried !== null) desk.root.scrollIntoView({ behavior: "instant" });
        }

        /** Another listing on this page has the editor of this text. */
        leadTo(desk) {
            desk.root.closest("details")?.setAttribute("open", "");
            desk.goTo(this.code.textContent);
        }

        closed() {
            this.code.hidden = false;
            this.buttons.hidden = false;
            this.edit.textContent = this.words();
            this.edit.focus({ preventScroll: true });
        }
    }

    function start() {
        if (!document.querySelector("script.editor-wasm")) return;
        document.querySelectorAll(".file.editable").forEach((mark) => new Listing(mark));
    }

    if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
    else start();

    return { dataOf, needed };
})();
