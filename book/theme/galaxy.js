// The galaxy of the first page: a thin disc that turns, with the law of problem D (softened gravity, every body pulled by
// every other, positions and velocities in turns). A picture, no measurement. It stands still where the reader wants
// no motion, and while nobody sees it.
"use strict";

(() => {
    const BODIES = 700;
    const SOFTENING = 0.0025;
    const STEP = 0.008;
    /** Seen from above and a little from the side. */
    const TILT = 0.55;

    /** Numbers in [0, 1), the same on every visit (mulberry32). */
    const randomFrom = (seed) => () => {
        seed = (seed + 0x6d2b79f5) | 0;
        let word = Math.imul(seed ^ (seed >>> 15), 1 | seed);
        word = (word + Math.imul(word ^ (word >>> 7), 61 | word)) ^ word;
        return ((word ^ (word >>> 14)) >>> 0) / 2 ** 32;
    };

    /** The mass of the body in the middle; the others share the rest of 1. */
    const HEAVY = 0.9;

    /** Bodies on a disc of radius 1 around a heavy one, in two arms, each nearly as fast as its circle asks. */
    const disc = () => {
        const random = randomFrom(5);
        const [x, y, u, v] = Array.from({ length: 4 }, () => new Float32Array(BODIES));
        for (let body = 1; body < BODIES; body += 1) {
            const radius = 0.1 + 0.9 * random() ** 0.8;
            const even = 2 * Math.PI * random();
            const angle = even + 0.45 * Math.sin(2 * even) - 3 * radius;
            const speed = Math.sqrt((HEAVY + (1 - HEAVY) * radius) / radius) * (0.95 + 0.1 * random());
            x[body] = radius * Math.cos(angle);
            y[body] = radius * Math.sin(angle);
            u[body] = -speed * Math.sin(angle);
            v[body] = speed * Math.cos(angle);
        }
        const mass = new Float32Array(BODIES).fill((1 - HEAVY) / (BODIES - 1));
        mass[0] = HEAVY;
        return { x, y, u, v, mass };
    };

    const step = ({ x, y, u, v, mass }) => {
        for (let i = 0; i < BODIES; i += 1) {
            let [ax, ay] = [0, 0];
            for (let j = 0; j < BODIES; j += 1) {
                const [dx, dy] = [x[j] - x[i], y[j] - y[i]];
                const square = dx * dx + dy * dy + SOFTENING;
                const pull = mass[j] / (square * Math.sqrt(square));
                ax += pull * dx;
                ay += pull * dy;
            }
            u[i] += STEP * ax;
            v[i] += STEP * ay;
        }
        for (let i = 0; i < BODIES; i += 1) {
            x[i] += STEP * u[i];
            y[i] += STEP * v[i];
        }
    };

    const draw = (canvas, { x, y }) => {
        const pen = canvas.getContext("2d");
        const { width, height } = canvas;
        pen.fillStyle = "#0b1020";
        pen.fillRect(0, 0, width, height);
        pen.globalCompositeOperation = "lighter";
        for (let body = 0; body < BODIES; body += 1) {
            const near = Math.max(0, 1 - Math.hypot(x[body], y[body]));
            pen.fillStyle = `rgb(${120 + 135 * near} ${150 + 60 * near} ${255 - 90 * near} / 0.75)`;
            pen.fillRect(width * (0.5 + 0.32 * x[body]) - 1, height * 0.5 - width * 0.32 * TILT * y[body] - 1, 2.4, 2.4);
        }
        pen.globalCompositeOperation = "source-over";
    };

    const start = (canvas) => {
        const bodies = disc();
        draw(canvas, bodies);
        canvas.dataset.ready = "true";
        const still = matchMedia("(prefers-reduced-motion: reduce)");
        let isSeen = false;
        let isRunning = false;
        const frame = () => {
            isRunning = isSeen && !still.matches;
            if (!isRunning) return;
            step(bodies);
            draw(canvas, bodies);
            requestAnimationFrame(frame);
        };
        const wake = () => {
            if (!isRunning) frame();
        };
        still.addEventListener("change", wake);
        new IntersectionObserver(([{ isIntersecting }]) => {
            isSeen = isIntersecting;
            wake();
        }).observe(canvas);
    };

    // after the first paint of the page
    addEventListener("load", () => setTimeout(() => document.querySelectorAll(".galaxy canvas").forEach(start)));
})();
