// A field for code: a plain text area, whose letters are shown by colored code below it, with numbers of lines and marks of
// messages beside it. The text area keeps what readers know: the keys, undo, selection, and screen readers.
//
// Tab indents and Enter keeps the indentation. The Escape key gives the next Tab back to the page.
globalThis.courseEditor ??= {};

courseEditor.Text = (() => {
    "use strict";

    const INDENT = "    ";
    let fields = 0;

    const SHELL = `
    <div class="editor-body">
      <div class="editor-numbers" aria-hidden="true"></div>
      <div class="editor-layers">
        <pre class="editor-colors" aria-hidden="true"><code></code></pre>
        <textarea class="editor-area" spellcheck="false" autocapitalize="off" autocomplete="off" autocorrect="off" wrap="off"></textarea>
      </div>
    </div>`;

    class Text {
        /** `label` names the field; `language` is one of highlight.js; lines count from `first`. */
        constructor({ label, language, first = 1, changed = () => {}, submitted = () => {} }) {
            Object.assign(this, { language, first, changed, submitted, messages: [], leaves: false });
            this.root = kernelPlayer.draw.parsed(SHELL);
            const part = (selector) => this.root.querySelector(selector);
            this.numbers = part(".editor-numbers");
            this.colors = part("code");
            this.area = part("textarea");
            this.addHelp(label);
            this.area.addEventListener("input", () => {
                this.show();
                this.changed(this.value);
            });
            this.area.addEventListener("keydown", (event) => this.press(event));
        }

        addHelp(label) {
            const { element } = kernelPlayer.draw;
            const id = `editor-help-${(fields += 1)}`;
            this.area.setAttribute("aria-label", label);
            this.area.setAttribute("aria-describedby", id);
            const help = "Tab indents; Escape, then Tab, leaves this field. Ctrl-Enter runs.";
            this.help = element("p", { class: "editor-help", id }, help);
        }

        get value() {
            return this.area.value;
        }

        set value(text) {
            this.area.value = text;
            this.show();
        }

        /** Messages are `{ line, kind, text }`; they stay until the next ones. */
        mark(messages) {
            this.messages = messages;
            this.showNumbers();
        }

        show() {
            this.colors.className = `language-${this.language}`;
            // A last line without letters has no height of its own.
            this.colors.textContent = `${this.value}\n`;
            hljs.highlightBlock(this.colors);
            this.showNumbers();
        }

        showNumbers() {
            const { element } = kernelPlayer.draw;
            const count = this.value.split("\n").length;
            const numbers = Array.from({ length: count }, (_, index) => {
                const line = this.first + index;
                const found = this.messages.filter((message) => message.line === line);
                if (found.length === 0) return element("span", {}, `${line}`);
                const kind = found.some((message) => message.kind === "error") ? "error" : "warning";
                const title = found.map((message) => message.text).join("\n");
                return element("span", { class: `editor-${kind}`, title }, `${kind === "error" ? "✗" : "!"} ${line}`);
            });
            this.numbers.replaceChildren(...numbers);
        }

        /** Puts the cursor at a place, and the place into the window. Columns count from 1. */
        go(line, column = 1) {
            const before = this.value.split("\n").slice(0, line - this.first);
            const place = before.reduce((sum, text) => sum + text.length + 1, 0) + column - 1;
            this.area.focus({ preventScroll: true });
            this.area.setSelectionRange(place, place);
            this.numbers.children[line - this.first]?.scrollIntoView({ block: "nearest", behavior: "instant" });
        }

        press(event) {
            // mdBook turns pages and opens its search by keys.
            event.stopPropagation();
            const { key } = event;
            if (key === "Enter" && (event.ctrlKey || event.metaKey)) {
                event.preventDefault();
                this.submitted();
            } else if (key === "Enter") {
                this.replace(event, `\n${this.indentation()}`);
            } else if (key === "Tab" && !this.leaves && !event.ctrlKey && !event.altKey && !event.metaKey) {
                if (event.shiftKey) this.outdent(event);
                else this.replace(event, INDENT);
            }
            if (!["Shift", "Tab"].includes(key)) this.leaves = key === "Escape";
        }

        /** The blanks at the beginning of the line of the cursor. */
        indentation() {
            const before = this.value.slice(0, this.area.selectionStart);
            const line = before.slice(before.lastIndexOf("\n") + 1);
            return line.match(/^[ \t]*/)[0] + (/\{\s*$/.test(line) ? INDENT : "");
        }

        outdent(event) {
            event.preventDefault();
            const { selectionStart } = this.area;
            const start = this.value.lastIndexOf("\n", selectionStart - 1) + 1;
            const blanks = this.value.slice(start).match(/^ {0,4}/)[0].length;
            if (blanks === 0) return;
            this.area.setSelectionRange(start, start + blanks);
            this.insert("");
            const place = Math.max(start, selectionStart - blanks);
            this.area.setSelectionRange(place, place);
        }

        replace(event, text) {
            event.preventDefault();
            this.insert(text);
        }

        /** In place of the selection, so that undo knows of it: only this old command does. */
        insert(text) {
            const isDone = document.execCommand(text ? "insertText" : "delete", false, text);
            if (isDone) return;
            this.area.setRangeText(text, this.area.selectionStart, this.area.selectionEnd, "end");
            this.area.dispatchEvent(new Event("input"));
        }
    }

    return Text;
})();
