//! Vector types, which one instruction loads or stores.

/// Defines a vector type, whose fields have the same type.
macro_rules! vector {
    ($(#[$doc:meta])+ $name:ident, $element:ty, $align:literal, $($field:ident $which:literal),+) => {
        $(#[$doc])+
        #[derive(Clone, Copy, Debug, Default, PartialEq)]
        #[repr(C, align($align))]
        pub struct $name {
            $(#[doc = $which] pub $field: $element,)+
        }

        impl $name {
            /// Makes a vector of its components.
            #[inline(always)]
            #[must_use]
            pub const fn new($($field: $element),+) -> Self {
                Self { $($field),+ }
            }
        }
    };
}

vector! {
    /// Two floats, aligned to 8 bytes: CUDA's `float2`. A vector is loaded or stored in one access of 8 bytes, PTX's `ld.v2.f32`
    /// and `st.v2.f32`.
    Float2, f32, 8, x "The first.", y "The second."
}

vector! {
    /// Four floats, aligned to 16 bytes: CUDA's `float4`. A vector is loaded or stored in one access of 16 bytes, PTX's
    /// `ld.v4.f32` and `st.v4.f32`.
    Float4, f32, 16, x "The first.", y "The second.", z "The third.", w "The fourth."
}

vector! {
    /// Two unsigned integers, aligned to 8 bytes: CUDA's `uint2`, PTX's `ld.v2.u32` and `st.v2.u32`.
    UInt2, u32, 8, x "The first.", y "The second."
}

vector! {
    /// Four integers, aligned to 16 bytes: CUDA's `int4`, PTX's `ld.v4.s32` and `st.v4.s32`.
    Int4, i32, 16, x "The first.", y "The second.", z "The third.", w "The fourth."
}
