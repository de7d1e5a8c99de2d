//! Kernels that read textures.

use std::fmt::Write as _;

/// The texture instructions of the kernels `read0`, `read1` and so on.
pub const READS: [&str; 6] = [
    "tex.1d.v4.f32.f32",
    "tex.2d.v4.f32.f32",
    "tex.3d.v4.f32.f32",
    "tex.1d.v4.s32.s32",
    "tex.2d.v4.u32.s32",
    "tex.3d.v4.u32.f32",
];

/// Returns the PTX of a module with these kernels. The arguments are a handle, the address of four words of coordinates for each thread,
/// and the address of 32 bytes of values for each thread.
pub fn module() -> String {
    let mut text = String::from(".version 8.1\n.target sm_80\n.address_size 64\n");
    for (number, opcode) in READS.into_iter().enumerate() {
        // The last of three coordinates is repeated.
        let coordinates = match opcode.split('.').nth(1) {
            Some("1d") => "{%r0}",
            Some("2d") => "{%r0, %r1}",
            _ => "{%r0, %r1, %r2, %r2}",
        };
        let read = format!(
            "{opcode} {{%r4, %r5, %r6, %r7}}, [%d0, {coordinates}];\n    st.global.v4.u32 [%d2], {{%r4, %r5, %r6, %r7}};"
        );
        kernel(&mut text, &format!("read{number}"), &read);
    }
    text
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
