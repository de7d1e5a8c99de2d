//! The PTX of `device`'s functions, as their documentation states it.

use crate::{compile, kernel};

const ARRAYS: &str = "let (words, floats, vectors) = unsafe {
    (Global::new(words, 64), Global::new(floats, 64), Global::new(vectors, 64))
};
let (shared, signed) = unsafe { (shared!([u32; 8]), shared!([i32; 8])) };
shared.set(thread_idx().x as usize % 8, n);
signed.set(thread_idx().x as usize % 8, n as i32);
sync_threads();
";

/// Requires that the PTX of a kernel with the arrays and this body contains each expected instruction.
fn becomes(body: &str, architecture: i32, expected: &[&str]) {
    let Some(ptx) = compile(&kernel(&format!("{ARRAYS}{body}")), architecture) else { return };
    let ptx = ptx.unwrap_or_else(|error| panic!("{error}"));
    // Without indentation.
    let lines: Vec<String> = ptx.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    for instruction in expected {
        assert!(lines.iter().any(|line| line.starts_with(instruction)), "no `{instruction}` in\n{ptx}");
    }
}

#[test]
fn barriers_and_fences() {
    becomes("sync_warp(n); thread_fence(); words.set(0, 1);", 75, &["bar.sync 0;", "bar.warp.sync %r", "membar.gl;"]);
}

#[test]
fn shuffles_and_votes() {
    let body = "
        words.set(0, shuffle(ALL_LANES, n, 3)); words.set(1, shuffle_down(ALL_LANES, n, 3));
        words.set(2, shuffle_xor(ALL_LANES, n, 3)); words.set(3, ballot(ALL_LANES, n > 3));
        words.set(4, any(ALL_LANES, n > 4).into()); words.set(5, all(ALL_LANES, n > 5).into());";
    let expected = ["shfl.sync.idx.b32", "shfl.sync.down.b32", "shfl.sync.bfly.b32", "vote.sync.ballot.b32"];
    becomes(body, 75, &expected);
    becomes(body, 75, &["vote.sync.any.pred", "vote.sync.all.pred"]);
}

#[test]
fn functions_of_units() {
    let body = "
        floats.set(0, rsqrt(f)); floats.set(1, fast_rsqrt(f)); floats.set(2, fast_log2(f)); floats.set(3, fast_exp2(f));
        floats.set(4, floor(f)); floats.set(5, mul_add(f, f, 3.0)); words.set(0, round_to_i64(f) as u32);";
    let roots = ["rsqrt.approx.f32", "rsqrt.approx.ftz.f32", "lg2.approx.ftz.f32", "ex2.approx.ftz.f32"];
    becomes(body, 75, &roots);
    becomes(body, 75, &["cvt.rmi.f32.f32", "cvt.rni.s64.f32", "fma.rn.f32"]);
}

#[test]
fn atomics_of_integers() {
    let body = "
        words.set(1, words.fetch_add(0, n)); words.set(2, words.fetch_min(0, n)); words.set(3, words.fetch_max(0, n));
        words.set(4, words.compare_exchange(0, 5, n)); words.set(5, shared.fetch_add(0, n));
        words.set(6, shared.fetch_max(0, n)); words.set(7, signed.fetch_min(0, 3) as u32);
        words.set(8, shared.compare_exchange(0, 5, n));";
    let global =
        ["atom.global.add.u32", "atom.global.min.u32", "atom.global.max.u32", "atom.relaxed.sys.global.cas.b32"];
    becomes(body, 75, &global);
    let shared =
        ["atom.shared.add.u32", "atom.shared.max.u32", "atom.shared.min.s32", "atom.relaxed.sys.shared.cas.b32"];
    becomes(body, 75, &shared);
}

#[test]
fn additions_to_floats() {
    let body = "floats.fetch_add(0, f); vectors.fetch_add(0, Float4::new(f, f, f, f));";
    becomes(body, 90, &["atom.global.add.f32", "red.global.add.v4.f32"]);
}

#[test]
fn loads_and_stores_of_vectors() {
    let body = "let v = vectors.get(1); vectors.set(n as usize % 8, v);";
    becomes(body, 75, &["ld.global.v4.b32", "st.global.v4.b32"]);
    let body = "vectors.set(0, vectors.get_from_l2(1)); words.set(0, words.get_volatile(1));";
    becomes(body, 75, &["ld.global.cg.v4.u32", "ld.volatile.global.b32"]);
}

#[test]
fn loads_that_stay_in_no_cache() {
    let body = "let x = unsafe { &*floats_at }; floats.set(0, load_streaming(x));";
    let text = kernel(&format!("let floats_at = floats.cast_const();\n{ARRAYS}{body}"));
    let Some(ptx) = compile(&text, 75) else { return };
    assert!(ptx.unwrap_or_else(|error| panic!("{error}")).contains("ld.global.cs.u32"));
}

#[test]
fn properties_of_kernels() {
    let body = "launch_bounds(128); resident_blocks(2); words.set(0, 1);";
    becomes(body, 75, &[".maxntid 128", ".minnctapersm 2"]);
}

#[test]
fn source_order_compiles_to_no_instruction() {
    becomes("source_order(); words.set(0, 1);", 75, &["st.global.b32"]);
}
