//! Kernels that read textures, and load and store surfaces.

use std::fmt::Write as _;

/// The texture instructions of the kernels `read0`, `read1` and so on.
pub const READS: [&str; 37] = [
    "tex.1d.v4.f32.f32",
    "tex.2d.v4.f32.f32",
    "tex.3d.v4.f32.f32",
    "tex.a1d.v4.f32.f32",
    "tex.a2d.v4.f32.f32",
    "tex.1d.v4.s32.s32",
    "tex.2d.v4.u32.s32",
    "tex.3d.v4.u32.f32",
    "tex.level.1d.v4.f32.f32",
    "tex.level.2d.v4.s32.f32",
    "tex.level.3d.v4.u32.f32",
    "tex.level.a1d.v4.f32.f32",
    "tex.level.a2d.v4.f32.f32",
    "tex.level.2d.v4.f32.s32",
    "tex.grad.1d.v4.f32.f32",
    "tex.grad.2d.v4.s32.f32",
    "tex.grad.3d.v4.u32.f32",
    "tex.grad.a1d.v4.f32.f32",
    "tex.grad.a2d.v4.f32.f32",
    "tld4.r.2d.v4.f32.f32",
    "tld4.g.2d.v4.s32.f32",
    "tld4.b.2d.v4.u32.f32",
    "tld4.a.2d.v4.f32.f32",
    "tld4.r.a2d.v4.f32.f32",
    "tld4.g.a2d.v4.f32.f32",
    "tld4.b.a2d.v4.f32.f32",
    "tld4.a.a2d.v4.f32.f32",
    "tex.cube.v4.f32.f32",
    "tex.cube.v4.u32.f32",
    "tex.acube.v4.s32.f32",
    "tex.level.cube.v4.f32.f32",
    "tex.level.cube.v4.u32.f32",
    "tex.level.acube.v4.s32.f32",
    "tex.grad.cube.v4.f32.f32",
    "tex.grad.acube.v4.f32.f32",
    "tld4.r.cube.v4.f32.f32",
    "tld4.g.acube.v4.f32.f32",
];

/// The instructions of the kernels `size0`, `size1` and so on, which write the size along an axis, given the level as the last
/// coordinate.
pub const SIZES: [&str; 9] = [
    "txq.width.b32",
    "txq.height.b32",
    "txq.depth.b32",
    "txq.level.width.b32",
    "txq.level.height.b32",
    "txq.level.depth.b32",
    "suq.width.b32",
    "suq.height.b32",
    "suq.depth.b32",
];

/// The dimensions, vector, size and mode of the surface instructions of the kernels `load0`, `store0`, `load1` and so on.
pub const SURFACES: [(&str, &str, &str, &str); 8] = [
    ("1d", "", "b8", "trap"),
    ("2d", ".v2", "b16", "clamp"),
    ("3d", ".v4", "b32", "zero"),
    ("2d", "", "b64", "zero"),
    ("2d", "", "b32", "trap"),
    ("3d", ".v2", "b64", "clamp"),
    ("a1d", "", "b32", "trap"),
    ("a2d", ".v4", "b32", "zero"),
];

/// Returns the PTX of a module with these kernels. The arguments are a handle, the address of four words of coordinates for each thread,
/// and the address of 32 bytes of values for each thread.
pub fn module() -> String {
    let mut text = String::from(".version 8.1\n.target sm_80\n.address_size 64\n");
    for (number, opcode) in READS.into_iter().enumerate() {
        let read = format!(
            "{opcode} {{%r4, %r5, %r6, %r7}}, [%d0, {}]{};\n    st.global.v4.u32 [%d2], {{%r4, %r5, %r6, %r7}};",
            coordinates(dimensions(opcode)),
            behind(opcode)
        );
        kernel(&mut text, &format!("read{number}"), &read);
    }
    for (number, opcode) in SIZES.into_iter().enumerate() {
        let query = format!("{opcode} %r4, [%d0]{};\n    st.global.u32 [%d2], %r4;", behind(opcode));
        kernel(&mut text, &format!("size{number}"), &query);
    }
    for (number, (dimensions, vector, size, mode)) in SURFACES.into_iter().enumerate() {
        let place = coordinates(dimensions);
        let names = if size == "b64" { ["%d4", "%d5", "%d6", "%d7"] } else { ["%r4", "%r5", "%r6", "%r7"] };
        let count = vector.trim_start_matches(".v").parse().unwrap_or(1);
        let values = format!("{{{}}}", names[..count].join(", "));
        let value = if count == 1 { names[0].to_owned() } else { values.clone() };
        let load = format!(
            "suld.b.{dimensions}{vector}.{size}.{mode} {values}, [%d0, {place}];\n    st.global{vector}.{size} [%d2], {value};"
        );
        let store = format!(
            "ld.global{vector}.{size} {value}, [%d2];\n    sust.b.{dimensions}{vector}.{size}.{mode} [%d0, {place}], {values};"
        );
        kernel(&mut text, &format!("load{number}"), &load);
        kernel(&mut text, &format!("store{number}"), &store);
    }
    text
}

/// Returns the part of an opcode with the number of dimensions.
fn dimensions(opcode: &str) -> &str {
    let is_dimensions = |part: &&str| part.ends_with("cube") || part.ends_with('d') && part.len() < 4;
    opcode.split('.').find(is_dimensions).unwrap()
}

/// Returns the operands behind the texture: a level, or two gradients.
fn behind(opcode: &str) -> String {
    let gradient = || match dimensions(opcode) {
        "1d" | "a1d" => "{%r3}",
        "2d" | "a2d" => "{%r3, %r3}",
        _ => "{%r3, %r3, %r3, %r3}",
    };
    match opcode.split('.').nth(1) {
        Some("level") => ", %r3".to_owned(),
        Some("grad") => format!(", {0}, {0}", gradient()),
        _ => String::new(),
    }
}

/// Returns the coordinates of an instruction. The last of three is repeated.
fn coordinates(dimensions: &str) -> &'static str {
    match dimensions {
        "1d" => "{%r0}",
        "2d" | "a1d" => "{%r0, %r1}",
        "acube" => "{%r0, %r1, %r2, %r3}",
        _ => "{%r0, %r1, %r2, %r2}",
    }
}

fn kernel(text: &mut String, name: &str, body: &str) {
    write!(
        text,
        ".visible .entry {name}(.param .u64 object, .param .u64 coordinates, .param .u64 values)
{{
    .reg .b32 %r<10>;
    .reg .b64 %d<8>;
    ld.param.u64 %d0, [object];
    ld.param.u64 %d1, [coordinates];
    ld.param.u64 %d2, [values];
    mov.u32 %r8, %tid.x;
    mul.wide.u32 %d3, %r8, 16;
    add.u64 %d1, %d1, %d3;
    mul.wide.u32 %d3, %r8, 32;
    add.u64 %d2, %d2, %d3;
    ld.global.v4.u32 {{%r0, %r1, %r2, %r3}}, [%d1];
    {body}
    ret;
}}
"
    )
    .unwrap();
}
