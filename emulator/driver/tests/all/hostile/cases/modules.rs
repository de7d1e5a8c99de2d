//! Invalid modules, and names that a module does not contain.

use super::{Case, with};
use crate::hostile::driver::{IMAGE, text, to};

pub const CASES: &[Case] = &[
    ("module: an empty image", |d| with(d, "cuModuleLoadData", &[to(&mut 0_u64), text(c"")])),
    ("module: no PTX", |d| with(d, "cuModuleLoadData", &[to(&mut 0_u64), text(c"This is no PTX.")])),
    ("module: a version alone", |d| {
        with(d, "cuModuleLoadData", &[to(&mut 0_u64), text(c".version 8.0\n.target sm_75\n.address_size 64\n")])
    }),
    ("module: PTX that is cut off", |d| {
        with(
            d,
            "cuModuleLoadData",
            &[to(&mut 0_u64), text(c".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k() {")],
        )
    }),
    ("module: an unknown instruction", |d| {
        with(
            d,
            "cuModuleLoadData",
            &[
                to(&mut 0_u64),
                text(c".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k() { frobnicate; }\n"),
            ],
        )
    }),
    ("module: an undeclared register", |d| {
        with(
            d,
            "cuModuleLoadData",
            &[
                to(&mut 0_u64),
                text(c".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k() { mov.u32 %r1, 1; }\n"),
            ],
        )
    }),
    ("module: a version to come", |d| {
        with(
            d,
            "cuModuleLoadData",
            &[to(&mut 0_u64), text(c".version 99.0\n.target sm_75\n.address_size 64\n.visible .entry k() { ret; }\n")],
        )
    }),
    ("module: a device to come", |d| {
        with(
            d,
            "cuModuleLoadData",
            &[to(&mut 0_u64), text(c".version 8.8\n.target sm_120\n.address_size 64\n.visible .entry k() { ret; }\n")],
        )
    }),
    ("module: a device that never was", |d| {
        with(
            d,
            "cuModuleLoadData",
            &[to(&mut 0_u64), text(c".version 8.0\n.target sm_999\n.address_size 64\n.visible .entry k() { ret; }\n")],
        )
    }),
    ("module: an ELF header alone", |d| with(d, "cuModuleLoadData", &[to(&mut 0_u64), to(&mut ELF.to_owned())])),
    ("module: more shared memory than there is", |d| {
        with(d, "cuModuleLoadData", &[to(&mut 0_u64), text(c".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k() { .shared .b8 a[1000000]; .reg .b32 %r<2>; ld.shared.u32 %r1, [a]; st.shared.u32 [a+4], %r1; ret; }\n")])
    }),
    ("module: more constants than there are", |d| {
        with(d, "cuModuleLoadData", &[to(&mut 0_u64), text(c".version 8.0\n.target sm_75\n.address_size 64\n.const .b8 a[65540];\n.visible .entry k() { ret; }\n")])
    }),
    ("module: more parameters than there may be", |d| {
        with(
            d,
            "cuModuleLoadData",
            &[
                to(&mut 0_u64),
                text(
                    c".version 8.1\n.target sm_75\n.address_size 64\n.visible .entry k(.param .b8 a[40000]) { ret; }\n",
                ),
            ],
        )
    }),
    ("module: more parameters than without CUDA 12.1", |d| {
        with(
            d,
            "cuModuleLoadData",
            &[
                to(&mut 0_u64),
                text(
                    c".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .b8 a[5000]) { ret; }\n",
                ),
            ],
        )
    }),
    ("module: more parameters with CUDA 12.1", |d| {
        with(
            d,
            "cuModuleLoadData",
            &[
                to(&mut 0_u64),
                text(
                    c".version 8.1\n.target sm_75\n.address_size 64\n.visible .entry k(.param .b8 a[5000]) { ret; }\n",
                ),
            ],
        )
    }),
    ("module: two kernels of one name", |d| {
        with(d, "cuModuleLoadData", &[to(&mut 0_u64), text(c".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k() { ret; }\n.visible .entry k() { ret; }\n")])
    }),
    ("module: two variables of one name", |d| {
        with(d, "cuModuleLoadData", &[to(&mut 0_u64), text(c".version 8.0\n.target sm_75\n.address_size 64\n.global .u32 a;\n.global .u32 a;\n.visible .entry k() { ret; }\n")])
    }),
    ("module: two registers of one name", |d| {
        with(d, "cuModuleLoadData", &[to(&mut 0_u64), text(c".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k() { .reg .b32 %r<2>; .reg .b32 %r1; ret; }\n")])
    }),
    ("module: no file", |d| with(d, "cuModuleLoad", &[to(&mut 0_u64), text(c"/nowhere/at/all.ptx")])),
    ("module: a folder", |d| with(d, "cuModuleLoad", &[to(&mut 0_u64), text(c"/")])),
    ("module: an empty path", |d| with(d, "cuModuleLoad", &[to(&mut 0_u64), text(c"")])),
    ("module: cuModuleGetFunction of an empty name", |d| {
        let m = d.module();
        d.call("cuModuleGetFunction", &[to(&mut 0_u64), m, text(c"")])
    }),
    ("module: cuModuleGetFunction of another name", |d| {
        let m = d.module();
        d.call("cuModuleGetFunction", &[to(&mut 0_u64), m, text(c"stor")])
    }),
    ("module: cuModuleGetFunction of a variable", |d| {
        let m = d.module();
        d.call("cuModuleGetFunction", &[to(&mut 0_u64), m, text(c"word")])
    }),
    ("module: cuModuleGetFunction of bytes that are no text", |d| {
        let m = d.module();
        d.call("cuModuleGetFunction", &[to(&mut 0_u64), m, text(c"\xff\xfe")])
    }),
    ("module: cuModuleGetGlobal of a kernel", |d| {
        let m = d.module();
        d.call("cuModuleGetGlobal_v2", &[to(&mut 0_u64), to(&mut 0_u64), m, text(c"store")])
    }),
    ("module: cuModuleGetGlobal of an empty name", |d| {
        let m = d.module();
        d.call("cuModuleGetGlobal_v2", &[to(&mut 0_u64), to(&mut 0_u64), m, text(c"")])
    }),
    ("module: a compiler option that is none", |d| {
        with(d, "cuModuleLoadDataEx", &[to(&mut 0_u64), text(IMAGE), 1, to(&mut 1000), to(&mut 0_u64)])
    }),
    ("module: compiler options at null", |d| with(d, "cuModuleLoadDataEx", &[to(&mut 0_u64), text(IMAGE), 1, 0, 0])),
];

/// An ELF identification without the rest of the file.
const ELF: [u8; 64] = {
    let mut bytes = [0; 64];
    (bytes[0], bytes[1], bytes[2], bytes[3], bytes[4]) = (0x7F, b'E', b'L', b'F', 2);
    bytes
};
