// What the editor of a listing and that of an exercise share: a field for code with its buttons, the messages of the
// compiler, the progress of its download, what was changed, and the text kept in the browser.
//
// Hooks, for tests; they stay as they are:
//   [data-editor=X]          the buttons: "run", "stop", "diff", "reset", "link", and those of one kind of editor
//   .editor-status           what goes on, in words
//   .editor-area             the text area
//   .editor-message          a message of the compiler, a button that goes to its line
globalThis.courseEditor ??= {};

courseEditor.Desk = (() => {
    "use strict";

    const SHELL = `
    <div class="editor" role="group">
      <div class="editor-bar">
        <button type="button" data-editor="run" aria-keyshortcuts="Control+Enter">Run</button>
        <button type="button" data-editor="stop" disabled>Stop</button>
        <button type="button" data-editor="diff" aria-expanded="false">Diff</button>
        <button type="button" data-editor="reset">Reset</button>
        <button type="button" data-editor="link">Copy link</button>
      </div>
      <p class="editor-status" role="status" aria-live="polite"></p>
      <progress class="editor-progress" aria-label="Download of the compiler" hidden></progress>
      <ul class="editor-messages" aria-label="Messages of the compiler"></ul>
      <pre class="editor-diff" tabindex="0" hidden><code class="language-diff"></code></pre>
      <div class="editor-result"></div>
    </div>`;

    const KINDS = { "fatal error": "error", error: "error", warning: "warning" };
    const PLACE = /^(.+?):(\d+):(\d+): (fatal error|error|warning): (.*)$/gm;

    const megabytes = (bytes) => (bytes / 1e6).toFixed(1);

    /** The messages in a log of clang about a file. */
    const messagesIn = (log, file) =>
        [...log.matchAll(PLACE)]
            .filter(([, where]) => where === file)
            .map(([, , line, column, kind, text]) => ({ line: Number(line), column: Number(column), kind: KINDS[kind], text }));

    /** The oldest architecture of a kernel's file, which its comment may name: 75 where it names none, 90 at most. */
    function architecture(text) {
        const card = text.match(/^(?:\/\/.*\n)*/)[0];
        const [, major, minor] = card.match(/requires compute capability (\d+)\.(\d)/) ?? [0, 7, 5];
        return Math.min(10 * Number(major) + Number(minor), 90);
    }

    class Desk {
        /**
         * `key` names the text in the browser's storage; `original` is the text that Reset brings back, and that Diff
         * compares with; `file` is its name in messages; lines count from `first`.
         */
        constructor({ key, name, file, label, original, first = 1, language = "cpp" }) {
            Object.assign(this, { key, name, file, original, first });
            this.root = kernelPlayer.draw.parsed(SHELL);
            this.root.setAttribute("aria-label", label);
            this.text = new courseEditor.Text({
                label,
                language,
                first,
                changed: (text) => this.keep(text),
                submitted: () => this.run(),
            });
            this.find();
            this.bar.after(this.difference, this.text.root, this.text.help);
            this.text.value = courseEditor.store.read(key) ?? original;
            courseEditor.store.watch(key, (text) => this.hearOtherTab(text ?? original));
        }

        find() {
            const part = (selector) => this.root.querySelector(selector);
            this.bar = part(".editor-bar");
            this.status = part(".editor-status");
            this.progress = part(".editor-progress");
            this.list = part(".editor-messages");
            this.difference = part(".editor-diff");
            this.result = part(".editor-result");
            this.on("run", () => this.run());
            this.on("stop", () => courseEditor.workshop.stop());
            this.on("diff", () => this.toggleDiff());
            this.on("reset", () => this.reset());
            this.on("link", () => this.copyLink());
        }

        button(name) {
            return this.root.querySelector(`[data-editor="${name}"]`);
        }

        on(name, act) {
            this.button(name).addEventListener("click", act);
        }

        /** Adds a button to the bar. */
        add(name, words, act) {
            const button = kernelPlayer.draw.element("button", { type: "button", "data-editor": name }, words);
            this.bar.append(button);
            button.addEventListener("click", act);
            return button;
        }

        say(words) {
            this.progress.hidden = true;
            this.status.replaceChildren(words);
        }

        // ---- the text

        get isChanged() {
            return this.text.value !== this.original;
        }

        keep(text) {
            const isKept = courseEditor.store.write(this.key, text === this.original ? null : text);
            if (!isKept) {
                this.say("This browser keeps no text, because its storage is full or refused: Copy link does not need it.");
            }
            if (!this.difference.hidden) this.showDiff();
            this.result.classList.add("editor-stale");
            // After a reload the changed text must come back, not that of the link.
            if (courseEditor.link.carriedName() === this.name) history.replaceState(history.state, "", location.href.split("#")[0]);
        }

        /** Shows the text of a link. The reader's own stays at hand until it is changed. */
        takeCarried(text) {
            const before = this.text.value;
            if (text === before) return;
            this.text.value = text;
            if (before === this.original) return this.say("This is the kernel of the link.");
            const own = kernelPlayer.draw.element("button", { type: "button" }, "use your own version");
            own.addEventListener("click", () => {
                this.put(before);
                this.say("");
            });
            const words = "This is the kernel of the link; a change to it replaces your own version: ";
            this.say(kernelPlayer.draw.element("span", {}, words, own));
        }

        put(text) {
            this.text.value = text;
            this.text.mark([]);
            this.keep(text);
        }

        hearOtherTab(text) {
            if (text === this.text.value) return;
            const take = kernelPlayer.draw.element("button", { type: "button" }, "take its text");
            take.addEventListener("click", () => {
                this.put(text);
                this.say("This is the text of the other tab.");
            });
            this.say(kernelPlayer.draw.element("span", {}, "Another tab has changed this kernel: ", take));
        }

        reset() {
            const before = this.text.value;
            this.put(this.original);
            const undo = kernelPlayer.draw.element("button", { type: "button" }, "bring back what you had");
            undo.addEventListener("click", () => {
                this.put(before);
                this.say("");
            });
            this.say(before === this.original ? "Nothing was changed."
                : kernelPlayer.draw.element("span", {}, "This is the original again: ", undo));
        }

        toggleDiff() {
            this.difference.hidden = !this.difference.hidden;
            this.button("diff").setAttribute("aria-expanded", !this.difference.hidden);
            this.showDiff();
        }

        showDiff() {
            const code = this.difference.firstElementChild;
            code.textContent = courseEditor.diff.unified(this.original, this.text.value) || "Nothing was changed.";
            hljs.highlightBlock(code);
        }

        async copyLink() {
            const address = await courseEditor.link.address(this.name, this.text.value);
            history.replaceState(history.state, "", address);
            const isCopied = await navigator.clipboard?.writeText(address).then(() => true, () => false);
            this.say(isCopied ? "The link is copied; it has the text of the kernel." : "The address of this page is the link now.");
        }

        // ---- compiling

        /** Runs a job with Stop enabled, and shows what went wrong with it. */
        async work(words, job) {
            if (this.isBusy) return;
            this.isBusy = true;
            this.say(words);
            this.result.classList.remove("editor-stale");
            this.button("run").disabled = true;
            this.button("stop").disabled = false;
            try {
                await job();
            } catch (error) {
                this.say(courseEditor.workshop.isStop(error) ? "Stopped." : `Not done: ${error.message}.`.replace(/([.?!])\.$/, "$1"));
            } finally {
                this.isBusy = false;
                this.button("run").disabled = false;
                this.button("stop").disabled = true;
            }
        }

        showDownload({ bytes, of }) {
            this.status.textContent = `Downloading the compiler, once: ${megabytes(bytes)} of ${megabytes(of)} MB`;
            Object.assign(this.progress, { hidden: bytes === of, value: bytes, max: of });
            if (bytes === of) this.say("The browser prepares the compiler …");
        }

        /** Says what an action downloads, unless the browser has it or something else has been said. */
        async announceDownload(action) {
            const isKept = await courseEditor.workshop.isKept();
            if (isKept || this.isBusy || this.status.textContent !== "") return;
            this.say(`${action} takes clang, 17 MB, which the browser downloads once and keeps.`);
        }

        /** What the compiler makes of a whole file. */
        compiled(text) {
            const kernel = { file: this.file, text, architecture: architecture(text) };
            return courseEditor.workshop.compile(kernel, (progress) => this.showDownload(progress));
        }

        /** Compiles a whole file, and shows its messages. Null where it has errors; `log` has what clang says. */
        async compile(text) {
            const answer = await this.compiled(text);
            this.log = answer.log;
            const refused = (answer.refused ?? []).map(({ file, line, construct }) => ({
                line: file === null || file === this.file ? line : null,
                kind: "error",
                text: `not supported in the page: ${construct}`,
            }));
            this.showMessages([...messagesIn(answer.log, this.file), ...refused]);
            return answer.ptx ?? null;
        }

        showMessages(messages) {
            const { element } = kernelPlayer.draw;
            this.text.mark(messages);
            const items = messages.map(({ line, column, kind, text }) => {
                const words = `${line === null ? "" : `line ${line}: `}${kind}: ${text}`;
                const button = element("button", { type: "button", class: `editor-message editor-${kind}` }, words);
                if (line !== null) button.addEventListener("click", () => this.text.go(line, column));
                return element("li", {}, button);
            });
            this.list.replaceChildren(...items);
        }

        /** Marks the lines of findings in the margin, beside the compiler's warnings. */
        markFindings(findings) {
            const marks = findings.flatMap(({ title, sides }) =>
                sides
                    .filter(({ file, line }) => line !== null && file?.split("/").pop() === this.file)
                    .map(({ line, verb }) => ({ line, kind: "error", text: verb ? `${title}: the ${verb}` : title })));
            const warnings = this.text.messages.filter(({ kind }) => kind === "warning");
            this.text.mark([...warnings, ...marks]);
        }

        /** What is said after a compilation with errors. */
        sayErrors() {
            const errors = this.text.messages.filter(({ kind }) => kind === "error");
            const { length } = errors;
            const earlier = this.player ? " The player below still has the kernel before." : "";
            this.say(length === 0 ? `clang refuses this: ${this.log.trim()}`
                : `It does not compile: ${length === 1 ? "one message" : `${length} messages`} in the margin, and below.${earlier}`);
        }
    }

    return Desk;
})();
