//! Kernels that read textures, and load and store surfaces.

use std::fmt::Write as _;

/// The texture instructions of the kernels `read0`, `read1` and so on.
pub const READS: [&str; 8] = [
    "tex.1d.v4.f32.f32",
    "tex.2d.v4.f32.f32",
    "tex.3d.v4.f32.f32",
    "tex.a1d.v4.f32.f32",
    "tex.a2d.v4.f32.f32",
    "tex.1d.v4.s32.s32",
    "tex.2d.v4.u32.s32",
    "tex.3d.v4.u32.f32",
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
            "{opcode} {{%r4, %r5, %r6, %r7}}, [%d0, {}];\n    st.global.v4.u32 [%d2], {{%r4, %r5, %r6, %r7}};",
            coordinates(opcode.split('.').nth(1).unwrap())
        );
        kernel(&mut text, &format!("read{number}"), &read);
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

/// Returns the coordinates of an instruction. The last of three is repeated.
fn coordinates(dimensions: &str) -> &'static str {
    match dimensions {
        "1d" => "{%r0}",
        "2d" | "a1d" => "{%r0, %r1}",
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
